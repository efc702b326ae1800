// One Markdown block. Code inside it (in a list, say) gets the same frame as code between blocks, once it is
// whole.

import { render } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { kChunkLines } from '../blocks';
import { renderMarkdown } from '../markdown';
import { memo } from '../memo';
import { CodeView } from './code_view';
import { PageContext, usePage } from './context';

export const MarkdownView = memo(({ source, open }: { source: string; open: boolean }) => {
  const page = usePage();
  const box = useRef<HTMLDivElement>(null);
  const html = useMemo(() => renderMarkdown(source), [source]);

  useLayoutEffect(() => {
    if (open || !box.current) return undefined;
    const frames = [...box.current.querySelectorAll('pre')].map((pre) => {
      const lang = /^language-(.*)$/.exec(pre.firstElementChild?.className ?? '')?.[1] ?? '';
      const frame = document.createElement('div');
      pre.replaceWith(frame);
      render(
        <PageContext.Provider value={page}>
          <CodeView lang={lang} chunks={cutLines(pre.textContent ?? '')} open={false} />
        </PageContext.Provider>,
        frame,
      );
      return { frame, pre };
    });
    return () => {
      for (const { frame, pre } of frames) {
        render(null, frame);
        frame.replaceWith(pre);
      }
    };
  }, [html, open, page.language]);

  return <div class="prose" ref={box} dangerouslySetInnerHTML={{ __html: html }} />;
});

function cutLines(code: string): string[] {
  const lines = code.replace(/\n$/, '').split('\n');
  const chunks: string[] = [];
  for (let at = 0; at < lines.length; at += kChunkLines) {
    chunks.push(`${lines.slice(at, at + kChunkLines).join('\n')}\n`);
  }
  return chunks;
}
