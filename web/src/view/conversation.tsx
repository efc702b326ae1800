import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Message } from '../chat';
import { newId } from '../ids';
import { Stick } from '../stick';
import { usePage, useWatch } from './context';
import { EmptyView } from './empty_view';
import { IconDown } from './icons';
import { AssistantMessage, UserMessage } from './message_view';
import { AgainButtons, TroubleView } from './trouble_view';

export function Conversation({ onFill }: { onFill: (text: string) => void }) {
  const { t, session } = usePage();
  useWatch(session);
  const box = useRef<HTMLDivElement>(null);
  const column = useRef<HTMLDivElement>(null);
  const stick = useRef<Stick | null>(null);
  const [away, setAway] = useState(false);
  const { current, generation, trouble } = session;

  useEffect(() => {
    if (!box.current || !column.current) return undefined;
    const keeper = new Stick(box.current, () => setAway(!keeper.stuck));
    const watcher = new ResizeObserver(() => keeper.follow());
    watcher.observe(column.current);
    watcher.observe(box.current);
    stick.current = keeper;
    return () => {
      watcher.disconnect();
      keeper.close();
    };
  }, []);
  useLayoutEffect(() => stick.current?.toEnd(), [current, generation]);

  // A message's own key: an answer that is written again is not drawn over the old one.
  const keys = useRef(new WeakMap<Message, string>());
  const keyOf = (message: Message) => {
    const key = keys.current.get(message) ?? newId();
    keys.current.set(message, key);
    return key;
  };
  const messages = current?.messages ?? [];
  const again = () => session.regenerate();
  const edit = () => onFill(session.takeBack() ?? '');
  const unanswered = messages.at(-1)?.role === 'user' && !generation;
  return (
    <div class="stage">
      <div class="scroll" ref={box} tabIndex={0} role="log" aria-live="off" aria-label={t('log.label')}>
        <div class="column" ref={column}>
          {messages.length === 0 && <EmptyView onSuggest={onFill} />}
          {messages.map((message, index) => {
            const key = keyOf(message);
            if (message.role === 'user') return <UserMessage key={key} message={message} />;
            const last = index === messages.length - 1;
            const mine = last && generation?.message === message ? generation : null;
            return (
              <AssistantMessage
                key={key}
                message={message}
                generation={mine}
                last={last}
                hideBroken={last && trouble !== null}
                onAgain={again}
              />
            );
          })}
          {trouble && <TroubleView trouble={trouble} onAgain={again} onEdit={unanswered ? edit : null} />}
          {!trouble && unanswered && <AgainButtons onAgain={again} onEdit={edit} />}
        </div>
      </div>
      {away && (
        <button
          type="button"
          class="to-end"
          aria-label={t('scroll.down')}
          onClick={() => stick.current?.toEnd()}
        >
          <IconDown />
        </button>
      )}
    </div>
  );
}
