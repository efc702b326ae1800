// A code block: plain while it is being written, coloured a few pieces a frame once it is whole.

import { memo } from '../memo';
import { useEffect, useState } from 'preact/hooks';
import { sanitize } from '../markdown';
import { usePage } from './context';
import { CopyButton } from './copy_button';

const kPiecesPerFrame = 3;

const PlainPiece = memo(({ text }: { text: string }) => <span class="piece">{text}</span>);
const ColouredPiece = memo(({ html }: { html: string }) => (
  <span class="piece" dangerouslySetInnerHTML={{ __html: sanitize(html) }} />
));

export interface CodeViewProps {
  lang: string;
  chunks: string[];
  open: boolean;
}

export function CodeView({ lang, chunks, open }: CodeViewProps) {
  const { t, highlighter } = usePage();
  const [pieces, setPieces] = useState<string[]>([]);
  const [painted, setPainted] = useState(0);

  useEffect(() => {
    if (open) return undefined;
    let gone = false;
    void highlighter.highlight(chunks.join(''), lang).then((coloured) => {
      if (!gone && coloured && coloured.length === chunks.length) setPieces(coloured);
    });
    return () => {
      gone = true;
    };
  }, [open]);

  useEffect(() => {
    if (painted >= pieces.length) return undefined;
    const frame = requestAnimationFrame(() => setPainted(painted + kPiecesPerFrame));
    return () => cancelAnimationFrame(frame);
  }, [pieces, painted]);

  return (
    <figure class="code">
      <figcaption>
        <span class="code-lang">{lang || t('code.text')}</span>
        <CopyButton label={t('code.copy')} text={() => chunks.join('')} />
      </figcaption>
      <pre tabIndex={0}>
        <code>
          {chunks.map((text, index) => {
            const html = index < painted ? pieces[index] : undefined;
            return html === undefined ? (
              <PlainPiece key={index} text={text} />
            ) : (
              <ColouredPiece key={`c${index}`} html={html} />
            );
          })}
        </code>
      </pre>
    </figure>
  );
}
