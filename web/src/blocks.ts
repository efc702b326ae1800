// Cuts a growing Markdown text into blocks: finished ones never change again, only the last is still open.
// A whole text and the same text in any pieces give the same blocks. Work is proportional to the new text.

export interface MarkdownBlock {
  kind: 'markdown';
  source: string;
}

export interface CodeBlock {
  kind: 'code';
  lang: string;
  /** Pieces of kChunkLines lines, so that one more line re-lays-out one piece and not the whole block. */
  chunks: string[];
  lines: number;
  open: boolean;
}

export type Block = MarkdownBlock | CodeBlock;

export const kChunkLines = 50;
/**
 * The open block is rendered again for new text, so its length is bounded: a longer list is cut between two
 * items, a longer paragraph after a line, a longer line at a space. Tables and code inside lists are left
 * whole.
 */
export const kBlockCharsMax = 8192;

interface Fence {
  mark: string;
  length: number;
  indent: number;
}

const kFence = /^( *)(`{3,}|~{3,})(.*)$/;
const kItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+\S/;
const kInterruptingItem = /^ {0,3}(?:[-*+]|1[.)])[ \t]+\S/;
const kHeading = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const kIndented = /^(?: {4}|\t)/;
const kMaybeClosing = /^ {0,3}(?:`+|~+)[ \t]*$/;

export class BlockReader {
  readonly finished: Block[] = [];
  private partial = '';
  private lines: string[] = [];
  private chars = 0;
  private blankSeen = false;
  private inList = false;
  private innerFence: Fence | null = null;
  private fence: Fence | null = null;
  private code: CodeBlock | null = null;

  append(text: string): void {
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      this.partial += text.slice(from, at);
      from = at + 1;
      this.cutLongLine();
      const line = this.partial;
      this.partial = '';
      this.takeLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    this.partial += text.slice(from);
    this.cutLongLine();
  }

  /** No more text: what is open becomes finished. */
  finish(): void {
    if (this.partial !== '') this.takeLine(this.partial);
    this.partial = '';
    if (this.code) this.closeCode();
    this.flush();
  }

  /** The open block as it should be shown now, or null. */
  tail(): Block | null {
    if (this.code) {
      const hidden = this.partial === '' || kMaybeClosing.test(this.partial);
      if (hidden) return { ...this.code };
      const chunks = this.code.chunks.slice();
      const line = unindent(this.partial, this.fence?.indent ?? 0);
      if (this.code.lines % kChunkLines === 0) chunks.push(line);
      else chunks[chunks.length - 1] += line;
      return { ...this.code, chunks };
    }
    const source = this.lines.join('\n');
    if (this.partial === '' || (!this.inList && kMaybeClosing.test(this.partial))) {
      return source.trim() === '' ? null : { kind: 'markdown', source };
    }
    return { kind: 'markdown', source: source === '' ? this.partial : `${source}\n${this.partial}` };
  }

  private cutLongLine(): void {
    while (this.partial.length > kBlockCharsMax && !this.code && !this.innerFence) {
      const space = this.partial.indexOf(' ', kBlockCharsMax);
      if (space < 0 || /^[\s|]|^(?:`{3}|~{3})/.test(this.partial)) return;
      const line = this.partial.slice(0, space);
      this.partial = this.partial.slice(space + 1).trimStart();
      this.takeLine(line);
      this.flush();
    }
  }

  private takeLine(line: string): void {
    if (this.fence && this.code) return this.takeCodeLine(line, this.fence, this.code);
    if (this.innerFence) {
      if (closes(line, this.innerFence)) this.innerFence = null;
      return this.keep(line);
    }
    if (line.trim() === '') {
      if (this.lines.length > 0) this.keep('');
      this.blankSeen = this.lines.length > 0;
      return;
    }
    const indent = line.length - line.trimStart().length;
    const fence = openingFence(line);
    const inner = this.inList && indent >= 2;
    if (fence && !inner && fence.indent <= 3) return this.openCode(line, fence);
    if (fence && inner) this.innerFence = fence;

    if (this.endsBlock(line, indent)) this.flush();
    if (this.lines.length === 0) this.inList = kItem.test(line);
    this.blankSeen = false;
    this.keep(line);
    if (kHeading.test(line) && this.lines.length === 1) this.flush();
  }

  /** Does this line, which is not blank and no fence, begin a new block? */
  private endsBlock(line: string, indent: number): boolean {
    if (this.lines.length === 0) return false;
    if (kHeading.test(line)) return !(this.inList && indent >= 2);
    if (this.inList) {
      if (kItem.test(line)) return indent === 0 && this.chars > kBlockCharsMax;
      return this.blankSeen && indent < 2;
    }
    if (this.blankSeen) return !(kIndented.test(line) && kIndented.test(this.lines[0] ?? ''));
    if (this.chars > kBlockCharsMax && !line.startsWith('|')) return true;
    return kInterruptingItem.test(line);
  }

  private takeCodeLine(line: string, fence: Fence, code: CodeBlock): void {
    if (closes(line, fence)) return this.closeCode();
    const text = `${unindent(line, fence.indent)}\n`;
    if (code.lines % kChunkLines === 0) code.chunks.push(text);
    else code.chunks[code.chunks.length - 1] += text;
    code.lines += 1;
  }

  private openCode(line: string, fence: Fence): void {
    this.flush();
    const info = (kFence.exec(line)?.[3] ?? '').trim();
    const lang = (info.split(/[\s{,:]/)[0] ?? '').replace(/[^\w+#.-]/g, '').slice(0, 32);
    this.fence = fence;
    this.code = { kind: 'code', lang, chunks: [], lines: 0, open: true };
  }

  private closeCode(): void {
    if (this.code) this.finished.push({ ...this.code, open: false });
    this.code = null;
    this.fence = null;
  }

  private keep(line: string): void {
    this.lines.push(line);
    this.chars += line.length + 1;
  }

  private flush(): void {
    const source = this.lines.join('\n').trimEnd();
    if (source !== '') this.finished.push({ kind: 'markdown', source });
    this.lines = [];
    this.chars = 0;
    this.blankSeen = false;
    this.inList = false;
    this.innerFence = null;
  }
}

export function readBlocks(text: string): Block[] {
  const reader = new BlockReader();
  reader.append(text);
  reader.finish();
  return reader.finished;
}

function openingFence(line: string): Fence | null {
  const match = kFence.exec(line);
  if (!match) return null;
  const [, indent = '', mark = '', info = ''] = match;
  if (mark[0] === '`' && info.includes('`')) return null;
  return { mark: mark[0] ?? '`', length: mark.length, indent: indent.length };
}

function closes(line: string, fence: Fence): boolean {
  const match = kFence.exec(line);
  if (!match) return false;
  const [, , mark = '', info = ''] = match;
  return mark[0] === fence.mark && mark.length >= fence.length && info.trim() === '';
}

function unindent(line: string, columns: number): string {
  let at = 0;
  while (at < columns && line[at] === ' ') at += 1;
  return line.slice(at);
}
