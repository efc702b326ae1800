import type { Block } from '../blocks';
import { memo } from '../memo';
import { CodeView } from './code_view';
import { MarkdownView } from './markdown_view';

const BlockView = memo(({ block, open }: { block: Block; open: boolean }) =>
  block.kind === 'code' ? (
    <CodeView lang={block.lang} chunks={block.chunks} open={block.open} />
  ) : (
    <MarkdownView source={block.source} open={open} />
  ),
);

/** Finished blocks are drawn once; the open one, under the key that it will keep, whenever it grows. */
export function BlocksView({ finished, tail }: { finished: readonly Block[]; tail: Block | null }) {
  const blocks = tail ? [...finished, tail] : finished;
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} open={block === tail} />
      ))}
    </>
  );
}
