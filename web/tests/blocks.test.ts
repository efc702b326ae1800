import { describe, expect, test } from 'vitest';
import { BlockReader, kBlockCharsMax, kChunkLines, readBlocks, type Block } from '../src/blocks';

const kText = `# Title
Intro line
still intro
- one

  more of one
  \`\`\`py
  x = 1

  y = 2
  \`\`\`
- two
1. a

After the list

\`\`\`\`js title
let a = \`\`;
\`\`\`
not closed by three

\`\`\`\`
| a | b |
|---|---|
| 1 | 2 |

> quote
> more

    indented

    code
~~~
tilde
~~~
Set
---
end`;

const code = (block: Block | undefined) => (block?.kind === 'code' ? block : undefined);

describe('blocks', () => {
  test('text is cut where Markdown cuts it', () => {
    const blocks = readBlocks(kText);
    expect(
      blocks.map((block) => (block.kind === 'code' ? `[${block.lang}]` : block.source.split('\n')[0])),
    ).toEqual([
      '# Title',
      'Intro line',
      '- one',
      'After the list',
      '[js]',
      '| a | b |',
      '> quote',
      '    indented',
      '[]',
      'Set',
    ]);
    expect(code(blocks[4])?.chunks.join('')).toBe('let a = ``;\n```\nnot closed by three\n\n');
    const list = blocks[2];
    expect(list?.kind === 'markdown' && list.source.includes('y = 2')).toBe(true);
  });

  test('any pieces give the blocks of the whole', () => {
    const whole = readBlocks(kText);
    for (let cut = 0; cut <= kText.length; cut += 1) {
      const reader = new BlockReader();
      reader.append(kText.slice(0, cut));
      reader.tail();
      reader.append(kText.slice(cut));
      reader.finish();
      expect(reader.finished).toEqual(whole);
    }
  });

  test('a finished block never changes while the text grows', () => {
    const reader = new BlockReader();
    const seen: string[] = [];
    for (const letter of kText) {
      reader.append(letter);
      reader.finished.forEach((block, index) => {
        const now = JSON.stringify(block);
        seen[index] ??= now;
        expect(now).toBe(seen[index]);
      });
    }
  });

  test('no line of the text is lost', () => {
    const text = readBlocks(kText)
      .map((block) => (block.kind === 'code' ? block.chunks.join('') : block.source))
      .join('\n');
    for (const line of kText.split('\n')) if (!/^(`|~)/.test(line)) expect(text).toContain(line.trim());
  });

  test('open code shows its last line, but not a fence that may be closing', () => {
    const reader = new BlockReader();
    reader.append('```py\na = 1\nb');
    expect(code(reader.tail() ?? undefined)?.chunks.join('')).toBe('a = 1\nb');
    reader.append('\n``');
    expect(code(reader.tail() ?? undefined)?.chunks.join('')).toBe('a = 1\nb\n');
    reader.append('`');
    expect(reader.tail()?.kind).toBe('code');
    reader.append('\n');
    expect(reader.tail()).toBe(null);
    expect(code(reader.finished[0])?.open).toBe(false);
  });

  test('code is kept in pieces of equal line count', () => {
    const [block] = readBlocks(`\`\`\`\n${'line\n'.repeat(kChunkLines * 2 + 1)}\`\`\``);
    expect(code(block)?.chunks.map((chunk) => chunk.split('\n').length - 1)).toEqual([
      kChunkLines,
      kChunkLines,
      1,
    ]);
  });

  test('a language name carries nothing else', () => {
    expect(code(readBlocks('```"><img src=x>\n```')[0])?.lang).toBe('imgsrcx'.slice(0, 3));
    expect(code(readBlocks('```c++ {1}\n```')[0])?.lang).toBe('c++');
  });

  test('a very long list is cut between items', () => {
    const blocks = readBlocks(`${'1. an item of the list\n'.repeat(2000)}`);
    expect(blocks.length).toBeGreaterThan(3);
  });

  test('a paragraph or a line without end is cut, the same way in any pieces', () => {
    const line = 'word **bold** and '.repeat(3000);
    const poem = 'a line of it\n'.repeat(3000);
    for (const text of [line, poem, `${line}\n\n${poem}${line}`]) {
      const whole = readBlocks(text);
      expect(
        Math.max(...whole.map((block) => (block.kind === 'markdown' ? block.source.length : 0))),
      ).toBeLessThan(2.1 * kBlockCharsMax);
      for (const size of [1, 7, 4096, 20_000]) {
        const reader = new BlockReader();
        for (let at = 0; at < text.length; at += size) reader.append(text.slice(at, at + size));
        reader.finish();
        expect(reader.finished).toEqual(whole);
      }
      const words = whole
        .map((block) => (block.kind === 'markdown' ? block.source : ''))
        .join(' ')
        .split(/\s+/);
      expect(words).toEqual(text.trim().split(/\s+/));
    }
  });

  test('work grows with the text, not with its square', () => {
    const measure = (lines: number) => {
      const startMs = performance.now();
      const reader = new BlockReader();
      reader.append('```\n');
      for (let i = 0; i < lines; i += 1) {
        reader.append('abc ');
        reader.append('def\n');
      }
      return performance.now() - startMs;
    };
    measure(2000);
    expect(measure(80_000)).toBeLessThan(Math.max(200, measure(8000) * 60));
  });
});
