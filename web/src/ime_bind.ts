// Joins the input box's events to the state machine of ime.ts.

import { imeStart, imeStep, type ImeEvent, type ImeState } from './ime';

export interface ImeHandlers {
  /** True if the text was taken: the box is emptied then. */
  onSend(text: string): boolean;
  /** The box's text was changed by us. */
  onChanged(): void;
  /** False where Enter makes a new line and only the button sends (touch keyboards). */
  enterSends(): boolean;
}

export interface ImeBinding {
  pressSend(): void;
  close(): void;
}

export function bindIme(box: HTMLTextAreaElement, handlers: ImeHandlers): ImeBinding {
  let state: ImeState = imeStart();
  let closed = false;
  const off = new AbortController();

  const take = (event: ImeEvent, source?: Event) => {
    const outcome = imeStep(state, event);
    state = outcome.state;
    if (outcome.prevent) source?.preventDefault();
    if (outcome.send && handlers.onSend(box.value)) empty();
    if (outcome.clear) empty();
    if (outcome.settle) setTimeout(() => closed || take({ type: 'settle', value: box.value, nowMs: now() }));
    if (outcome.commit) {
      box.blur();
      box.focus();
    }
  };
  const empty = () => {
    box.value = '';
    handlers.onChanged();
  };
  const on = <E extends Event>(name: string, listener: (event: E) => void) =>
    box.addEventListener(name, listener as EventListener, { signal: off.signal });

  on<CompositionEvent>('compositionstart', () => take({ type: 'compositionstart' }));
  on<CompositionEvent>('compositionupdate', ({ data }) =>
    take({ type: 'compositionupdate', data: data ?? '' }),
  );
  on<CompositionEvent>('compositionend', ({ data }) => take({ type: 'compositionend', data: data ?? '' }));
  on<KeyboardEvent>('keydown', (event) => {
    const { key, code, shiftKey, ctrlKey, altKey, metaKey, keyCode, isComposing, repeat } = event;
    if (key === 'Shift' || key === 'Control' || key === 'Alt' || key === 'Meta') return;
    // Windows input methods report the key as "Process"; its place on the keyboard is still told.
    const enter = key === 'Enter' || code === 'Enter' || code === 'NumpadEnter';
    if (!enter || altKey || (!ctrlKey && !metaKey && !handlers.enterSends()))
      return take({ type: 'otherkey' });
    const value = box.value;
    take(
      { type: 'enter', shift: shiftKey, composing: isComposing, keyCode, repeat, value, nowMs: now() },
      event,
    );
  });
  on<InputEvent>('beforeinput', (event) => {
    const breaks = event.inputType === 'insertLineBreak' || event.inputType === 'insertParagraph';
    if (breaks) take({ type: 'linebreak', nowMs: now() }, event);
  });
  on<InputEvent>('input', () => take({ type: 'input', value: box.value, nowMs: now() }));

  return {
    pressSend: () => take({ type: 'button', value: box.value, nowMs: now() }),
    close: () => {
      closed = true;
      off.abort();
    },
  };
}

function now(): number {
  return performance.now();
}
