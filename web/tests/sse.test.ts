import { describe, expect, test } from 'vitest';
import { kLineCharsMax, SseParser, type SseEvent } from '../src/sse';

function parse(pieces: string[]): SseEvent[] {
  const parser = new SseParser();
  return [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()];
}

const kStream =
  '\ufeff: hello\n\ndata: {"a":"가나다 🙂"}\nid: 7\n\r\nevent: error\r\ndata: one\r\ndata:two\r\n\r\n' +
  'retry: 10\rdata\rdata:  x\r\rdata: [DONE]\n\n';
const kEvents: SseEvent[] = [
  { event: 'message', data: '{"a":"가나다 🙂"}', id: '7' },
  { event: 'error', data: 'one\ntwo', id: '7' },
  { event: 'message', data: '\n x', id: '7' },
  { event: 'message', data: '[DONE]', id: '7' },
];

describe('event stream', () => {
  test('a whole stream gives its events', () => expect(parse([kStream])).toEqual(kEvents));

  test('a stream cut at any two places gives the same events', () => {
    for (let a = 0; a <= kStream.length; a += 1) {
      for (let b = a; b <= kStream.length; b += 1) {
        expect(parse([kStream.slice(0, a), kStream.slice(a, b), kStream.slice(b)])).toEqual(kEvents);
      }
    }
  });

  test('bytes cut inside a character give the same events', () => {
    const bytes = new TextEncoder().encode(kStream);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
      const pieces = [
        decoder.decode(bytes.slice(0, cut), { stream: true }),
        decoder.decode(bytes.slice(cut)),
      ];
      expect(parse(pieces)).toEqual(kEvents);
    }
  });

  test('one character at a time', () => expect(parse([...kStream])).toEqual(kEvents));

  test('a lost last blank line does not lose the event', () => {
    expect(parse(['data: a\n\ndata: b']).map(({ data }) => data)).toEqual(['a', 'b']);
  });

  test('comments and empty events are nothing', () =>
    expect(parse([': ping\n\n\n\nevent: x\n\n'])).toEqual([]));

  test('a line without end is refused', () => {
    const parser = new SseParser();
    expect(() => {
      for (let i = 0; i < 9; i += 1) parser.push('x'.repeat(kLineCharsMax / 8));
    }).toThrow();
  });
});
