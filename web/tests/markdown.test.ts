import { describe, expect, test } from 'vitest';
import { readBlocks } from '../src/blocks';
import { renderMarkdown, safeLink, sanitize } from '../src/markdown';

function draw(source: string): HTMLElement {
  const box = document.createElement('div');
  for (const block of readBlocks(source)) {
    if (block.kind === 'markdown') box.innerHTML += renderMarkdown(block.source);
  }
  return box;
}

const kHostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg onload=alert(1)><circle/></svg>',
  '<svg><style><img src=x onerror=alert(1)></style></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '<b onmouseover=alert(1)>x</b>',
  '<div style="background:url(http://evil.example/x)">x</div>',
  '<form action=http://evil.example><input name=q></form>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](javascript&colon;alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](vbscript:x)',
  '[x](file:///etc/passwd)',
  '[x](//evil.example/x)',
  '[x](/api/logout)',
  '[x](http://user:secret@evil.example/)',
  '[x](http://a.example/"onmouseover="alert(1))',
  '[x](http://a.example "t\\" onmouseover=alert(1)")',
  '<javascript:alert(1)>',
  '![x](http://evil.example/p.png)',
  '![x"onerror="alert(1)](http://evil.example/p.png)',
  '![x](data:image/svg+xml,<svg onload=alert(1)>)',
  '[![x](http://evil.example/p.png)](javascript:alert(1))',
  '`<img src=x onerror=alert(1)>`',
  '- <img src=x onerror=alert(1)>\n  ```"><img src=x onerror=alert(1)>\n  <script>alert(1)</script>\n  ```',
  '| <img src=x onerror=alert(1)> |\n|---|\n| <script>alert(1)</script> |',
  '# <img src=x onerror=alert(1)>',
  '> <details open ontoggle=alert(1)>',
  '<!-- --><img src=x onerror=alert(1)>',
  '<style>*{background:url(http://evil.example)}</style>',
  '<meta http-equiv=refresh content="0;url=http://evil.example">',
  '[a]: javascript:alert(1)\n\n[a]',
];

describe('what users and models write is shown, never run', () => {
  for (const source of kHostile) {
    test(JSON.stringify(source).slice(0, 70), () => {
      const box = draw(source);
      expect(
        box.querySelectorAll('script,img,svg,math,iframe,object,embed,style,form,input,meta,link').length,
      ).toBe(0);
      for (const element of box.querySelectorAll('*')) {
        for (const { name, value } of element.attributes) {
          expect(name).not.toMatch(/^on|^style$|^src|^id$|^name$/);
          if (name === 'href') expect(value).toMatch(/^(https?:\/\/|mailto:)/);
        }
        if (element.tagName === 'A') {
          expect(element.getAttribute('rel')).toContain('noopener');
          expect(element.getAttribute('href')).not.toBeNull();
        }
      }
    });

    test(`cut anywhere: ${JSON.stringify(source).slice(0, 56)}`, () => {
      for (let cut = 1; cut < source.length; cut += 1) {
        expect(
          draw(source.slice(0, cut)).querySelectorAll('script,img,svg,iframe,style,form,input').length,
        ).toBe(0);
      }
    });
  }

  test('raw HTML is shown as text', () => {
    expect(draw('a <b>bold</b> <script>x()</script>').textContent?.trim()).toBe(
      'a <b>bold</b> <script>x()</script>',
    );
    expect(draw('<div>\n**x**\n</div>').textContent).toContain('<div>');
  });

  test('a picture elsewhere becomes a link', () => {
    const link = draw('![a cat](https://evil.example/cat.png)').querySelector('a');
    expect(link?.textContent).toBe('a cat');
    expect(link?.getAttribute('href')).toBe('https://evil.example/cat.png');
  });

  test('the last fence holds alone', () => {
    expect(sanitize('<a href="javascript:x" onclick="x" style="x">a</a><img src=x>')).toBe('<a>a</a>');
  });
});

describe('Markdown', () => {
  test('links', () => {
    expect(safeLink('https://a.example/x?y=1#z')).toBe('https://a.example/x?y=1#z');
    expect(safeLink('mailto:a@b.example')).toBe('mailto:a@b.example');
    expect(safeLink(' javascript:x')).toBe(null);
    expect(draw('see https://a.example/x').querySelector('a')?.getAttribute('href')).toBe(
      'https://a.example/x',
    );
  });

  test('bold, lists, tables, headings', () => {
    const box = draw('# H\n\n**굵게**\n\n3. a\n4. b\n\n| l | r |\n|:--|--:|\n| 1 | 2 |\n\n- [x] done');
    expect(box.querySelector('h3')?.textContent).toBe('H');
    expect(box.querySelector('strong')?.textContent).toBe('굵게');
    expect(box.querySelector('ol')?.getAttribute('start')).toBe('3');
    expect(box.querySelectorAll('td')[1]?.getAttribute('align')).toBe('right');
    expect(box.querySelector('ul')?.textContent).toContain('☑ done');
  });

  test('ampersands and angle brackets are written once', () => {
    expect(draw('a < b && c > d &amp; `x<y`').textContent?.trim()).toBe('a < b && c > d & x<y');
  });
});
