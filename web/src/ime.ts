// When does Enter send? A pure state machine over the input box's events; it knows no DOM.
//
// A Korean syllable is still "being composed" when its writer presses Enter, and one Enter must both finish
// the syllable and send. A Japanese or Chinese writer presses Enter to accept a candidate, and that must not
// send. Browsers report the same key press in these orders (keyCode 229 means "the input method had this
// key"):
//
//   A  keydown 229 isComposing, compositionend                    Chrome and Firefox, Windows and Linux
//   B  keydown 229 isComposing, compositionend, keydown 13        Chrome on macOS, Korean
//   C  compositionend, keydown 229 not composing                  Safari
//   A' as A, then a bare beforeinput "insertLineBreak"            Linux input methods that pass Enter on
//
// So: Enter while composing Hangul is remembered and sends once, after compositionend, when the text has
// settled; what the same key press brings afterwards (second keydown, line break, the last syllable inserted
// again) is swallowed until another key, a new composition or kEchoMs. Hangul turned into Hanja by that Enter
// does not send.

/** How long the echo of a sending key press may arrive. */
export const kEchoMs = 300;

export interface ImeState {
  composing: boolean;
  /** Text of the composition that runs, or of the last one. */
  composed: string;
  /** Enter (or the Send button) was pressed during composition: send once it has ended. */
  pending: 'none' | 'enter' | 'button';
  pendingText: string;
  /** Echoes of the sending key press are swallowed until then. */
  echoUntilMs: number;
  shiftEnter: boolean;
}

export type ImeEvent =
  | { type: 'compositionstart' }
  | { type: 'compositionupdate'; data: string }
  | { type: 'compositionend'; data: string }
  | {
      type: 'enter';
      shift: boolean;
      composing: boolean;
      keyCode: number;
      repeat: boolean;
      value: string;
      nowMs: number;
    }
  | { type: 'otherkey' }
  | { type: 'linebreak'; nowMs: number }
  | { type: 'input'; value: string; nowMs: number }
  | { type: 'button'; value: string; nowMs: number }
  | { type: 'settle'; value: string; nowMs: number };

export interface ImeOutcome {
  state: ImeState;
  /** Cancel the event's default action. */
  prevent?: boolean;
  /** Send the box's text now and empty the box. */
  send?: boolean;
  /** Empty the box: an echo came in after sending. */
  clear?: boolean;
  /** Call back with `settle` in a new task. */
  settle?: boolean;
  /** Take the focus away and give it back, so that the input method finishes its composition. */
  commit?: boolean;
}

export function imeStart(): ImeState {
  return {
    composing: false,
    composed: '',
    pending: 'none',
    pendingText: '',
    echoUntilMs: 0,
    shiftEnter: false,
  };
}

/** True if the text ends in a Hangul syllable or jamo. */
export function endsInHangul(text: string): boolean {
  return /[\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7a3\ud7b0-\ud7ff\uffa0-\uffdc]$/.test(text);
}

function sent(state: ImeState, nowMs: number): ImeState {
  return { ...state, pending: 'none', pendingText: '', echoUntilMs: nowMs + kEchoMs };
}

export function imeStep(state: ImeState, event: ImeEvent): ImeOutcome {
  switch (event.type) {
    case 'compositionstart':
      return { state: { ...state, composing: true, composed: '', echoUntilMs: 0 } };

    case 'compositionupdate':
      // An input method may clear its preview just before it commits: remember the last text that was there.
      return { state: { ...state, composing: true, composed: event.data || state.composed } };

    case 'compositionend': {
      const next = { ...state, composing: false, composed: event.data || state.composed };
      if (state.pending === 'none') return { state: next };
      const becameOther = state.pending === 'enter' && event.data !== '' && !endsInHangul(event.data);
      if (becameOther) return { state: { ...next, pending: 'none', pendingText: '' } };
      return { state: next, settle: true };
    }

    case 'enter':
      return enterStep({ ...state, shiftEnter: event.shift }, event);

    case 'otherkey': {
      const pending = state.pending === 'button' ? 'button' : 'none';
      return {
        state: { ...state, pending, composed: state.composing ? state.composed : '', echoUntilMs: 0 },
      };
    }

    case 'linebreak':
      if (state.shiftEnter) return { state };
      return { state, prevent: state.pending !== 'none' || event.nowMs < state.echoUntilMs };

    case 'input': {
      if (event.nowMs >= state.echoUntilMs || state.composing) return { state };
      const text = event.value.replace(/\n/g, '');
      const echo = event.value !== '' && (text === '' || text === state.composed);
      if (echo) return { state, clear: true };
      return { state: event.value === '' ? state : { ...state, echoUntilMs: 0 } };
    }

    case 'button':
      if (!state.composing) return { state: sent(state, event.nowMs), send: true };
      return { state: { ...state, pending: 'button', pendingText: event.value }, commit: true };

    case 'settle': {
      if (state.pending === 'none' || state.composing) return { state };
      // The composition was cancelled, not committed: its text is gone from the box.
      const cancelled = state.pending === 'enter' && event.value.length < state.pendingText.length;
      if (cancelled) return { state: { ...state, pending: 'none', pendingText: '' } };
      return { state: sent(state, event.nowMs), send: true };
    }
  }
}

type EnterEvent = Extract<ImeEvent, { type: 'enter' }>;

function enterStep(state: ImeState, event: EnterEvent): ImeOutcome {
  // The new line that follows is wanted, also right after a message.
  if (event.shift) return { state: { ...state, echoUntilMs: 0 } };
  if (state.composing || event.composing) {
    if (!endsInHangul(state.composed)) return { state };
    return { state: { ...state, pending: 'enter', pendingText: event.value } };
  }
  if (state.pending !== 'none') return { state: sent(state, event.nowMs), prevent: true, send: true };
  if (event.nowMs < state.echoUntilMs || event.repeat) return { state, prevent: true };
  if (event.keyCode === 229 && !endsInHangul(state.composed)) return { state };
  return { state: sent(state, event.nowMs), prevent: true, send: true };
}
