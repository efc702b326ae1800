// Server-sent events from text cut anywhere, after the HTML standard's event stream grammar.
// Lines end in LF, CRLF or CR; a CRLF may itself be cut. Work is proportional to the new text.

export interface SseEvent {
  event: string;
  data: string;
  id: string;
}

/** A server that never ends its line must not fill the browser's memory. */
export const kLineCharsMax = 8 * 1024 * 1024;

export class SseParser {
  private line = '';
  private skipLineFeed = false;
  private atStart = true;
  private data: string[] = [];
  private event = '';
  private id = '';

  /** Takes the next piece of the stream and returns the events that it completed. */
  push(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    let from = 0;
    if (this.atStart && text.length > 0) {
      this.atStart = false;
      if (text.charCodeAt(0) === 0xfeff) from = 1;
    }
    if (this.skipLineFeed && from < text.length) {
      this.skipLineFeed = false;
      if (text[from] === '\n') from += 1;
    }
    const ends = /\r\n|\n|\r/g;
    ends.lastIndex = from;
    for (let match = ends.exec(text); match; match = ends.exec(text)) {
      const line = this.line + text.slice(from, match.index);
      this.line = '';
      from = ends.lastIndex;
      this.takeLine(line, events);
      if (match[0] === '\r' && from === text.length) this.skipLineFeed = true;
    }
    this.line += text.slice(from);
    if (this.line.length > kLineCharsMax) throw new Error('event stream line too long');
    return events;
  }

  /** The stream ended: an event whose closing blank line was lost is still worth having. */
  end(): SseEvent[] {
    const events: SseEvent[] = [];
    if (this.line !== '') this.takeLine(this.line, events);
    this.line = '';
    this.takeLine('', events);
    return events;
  }

  private takeLine(line: string, events: SseEvent[]): void {
    if (line === '') {
      if (this.data.length > 0) {
        events.push({ event: this.event || 'message', data: this.data.join('\n'), id: this.id });
      }
      this.data = [];
      this.event = '';
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? '' : line.slice(colon + 1);
    if (value.startsWith(' ')) value = value.slice(1);
    if (field === 'data') this.data.push(value);
    else if (field === 'event') this.event = value;
    else if (field === 'id' && !value.includes('\0')) this.id = value;
  }
}
