import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { readBlocks } from '../blocks';
import type { Message } from '../chat';
import type { Generation } from '../generation';
import { memo } from '../memo';
import { Pace } from '../pace';
import { BlocksView } from './blocks_view';
import { usePage } from './context';
import { CopyButton } from './copy_button';
import { IconAgain } from './icons';

export const UserMessage = memo(({ message }: { message: Message }) => {
  const { t } = usePage();
  return (
    <article class="message from-user" aria-label={t('message.you')}>
      <div class="bubble">{message.content}</div>
      <div class="actions">
        <CopyButton label={t('message.copy')} text={() => message.content} />
      </div>
    </article>
  );
});

interface AssistantProps {
  message: Message;
  generation: Generation | null;
  last: boolean;
  hideBroken: boolean;
  onAgain: () => void;
}

export function AssistantMessage({ message, generation, last, hideBroken, onAgain }: AssistantProps) {
  const { t } = usePage();
  useGrowth(generation);
  // The readers of a generation outlive it here, so that a finished answer is not drawn a second time.
  const written = useMemo(() => (generation ? generation : null), [message]);
  const stored = useMemo(
    () =>
      written
        ? null
        : { content: readBlocks(message.content), reasoning: readBlocks(message.reasoning ?? '') },
    [message],
  );
  const content = written ? written.content.finished : (stored?.content ?? []);
  const contentTail = written?.content.tail() ?? null;
  const reasoning = written ? written.reasoning.finished : (stored?.reasoning ?? []);
  const reasoningTail = written?.reasoning.tail() ?? null;
  const writing = generation !== null;
  const thinking = writing && message.content === '';

  return (
    <article class="message from-model" aria-label={t('message.assistant')} aria-busy={writing}>
      {(reasoning.length > 0 || reasoningTail) && (
        <details class="thoughts">
          <summary>{thinking ? t('message.thinking') : t('message.thoughts')}</summary>
          <div class="thoughts-text">
            <BlocksView finished={reasoning} tail={reasoningTail} />
          </div>
        </details>
      )}
      {writing && !generation.begun && (
        <p class="waiting">
          <Embers />
          {t('message.waiting')}
        </p>
      )}
      <BlocksView finished={content} tail={contentTail} />
      {!writing && <Ending {...{ message, last, hideBroken, onAgain }} />}
    </article>
  );
}

function Ending({ message, last, hideBroken, onAgain }: Omit<AssistantProps, 'generation'>) {
  const { t } = usePage();
  const note = message.note === 'broken' && hideBroken ? undefined : message.note;
  const { tokens, tokensPerSecond } = message;
  return (
    <>
      {note && <p class="note">{t(`message.${note}`)}</p>}
      <div class="actions">
        <CopyButton label={t('message.copy')} text={() => message.content} />
        {last && (
          <button type="button" class="quiet" onClick={onAgain}>
            <IconAgain />
            <span>{t('message.regenerate')}</span>
          </button>
        )}
        {tokens !== undefined && (
          <span class="measure">
            {tokensPerSecond === undefined
              ? t('message.tokens', { tokens })
              : t('message.speed', { tokens, speed: tokensPerSecond })}
          </span>
        )}
      </div>
    </>
  );
}

function Embers() {
  return (
    <span class="embers" aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
  );
}

function useGrowth(generation: Generation | null): void {
  const [, redraw] = useState(0);
  useLayoutEffect(() => {
    if (!generation) return undefined;
    const pace = new Pace(() => redraw((count) => count + 1));
    const unsubscribe = generation.subscribe(() => pace.request());
    return () => {
      unsubscribe();
      pace.stop();
    };
  }, [generation]);
}
