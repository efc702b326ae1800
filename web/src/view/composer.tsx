// The input box keeps its own text: drawing it from state would fight the input method.

import { useEffect, useRef, useState } from 'preact/hooks';
import { bindIme, type ImeBinding } from '../ime_bind';
import { usePage, useWatch } from './context';
import { IconSend, IconStop } from './icons';

const kBoxHeightMaxPx = 220;

export interface ComposerHandle {
  fill(text: string): void;
  focus(): void;
}

export function Composer({ handle }: { handle: { current: ComposerHandle | null } }) {
  const { t, session } = usePage();
  useWatch(session);
  const box = useRef<HTMLTextAreaElement>(null);
  const ime = useRef<ImeBinding | null>(null);
  const [filled, setFilled] = useState(false);
  const [touch] = useState(() => matchMedia('(hover: none) and (pointer: coarse)').matches);
  const writing = session.generation !== null;

  useEffect(() => {
    const area = box.current;
    if (!area) return undefined;
    const changed = () => {
      setFilled(area.value.trim() !== '');
      area.style.height = 'auto';
      area.style.height = `${Math.min(area.scrollHeight, kBoxHeightMaxPx)}px`;
    };
    const binding = bindIme(area, {
      onSend: (text) => session.send(text),
      onChanged: changed,
      enterSends: () => !touch,
    });
    ime.current = binding;
    handle.current = {
      focus: () => area.focus(),
      fill: (text) => {
        area.value = text;
        changed();
        area.focus();
      },
    };
    area.addEventListener('input', changed);
    if (!touch) area.focus();
    return () => {
      area.removeEventListener('input', changed);
      binding.close();
    };
  }, [session, touch]);

  return (
    <form class={`composer${writing ? ' writing' : ''}`} onSubmit={(event) => event.preventDefault()}>
      <div class="composer-box">
        <label class="offscreen" for="message-box">
          {t('input.label')}
        </label>
        <textarea
          id="message-box"
          ref={box}
          rows={1}
          placeholder={t('input.placeholder')}
          autocomplete="off"
          aria-describedby="message-hint"
          enterkeyhint={touch ? 'enter' : 'send'}
        />
        {writing ? (
          <button
            type="button"
            class="round stop"
            aria-label={t('input.stop')}
            title={t('input.stop')}
            onClick={() => session.stop()}
          >
            <IconStop />
          </button>
        ) : (
          <button
            type="button"
            class="round"
            aria-label={t('input.send')}
            title={t('input.send')}
            disabled={!filled || session.model === ''}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => ime.current?.pressSend()}
          >
            <IconSend />
          </button>
        )}
      </div>
      <p class="composer-hint" id="message-hint">
        {touch ? t('input.hint_touch') : t('input.hint')}
      </p>
    </form>
  );
}
