import { describe, expect, test } from 'vitest';
import { endsInHangul, imeStart, imeStep, kEchoMs, type ImeEvent } from '../src/ime';

/** An input box with the state machine at it, and what it sent. */
class Box {
  value = '';
  sent: string[] = [];
  nowMs = 1000;
  private state = imeStart();
  private settling = 0;

  take(event: ImeEvent): boolean {
    const outcome = imeStep(this.state, event);
    this.state = outcome.state;
    if (outcome.send) {
      if (this.value.trim() !== '') this.sent.push(this.value);
      this.value = '';
    }
    if (outcome.clear) this.value = '';
    if (outcome.settle) this.settling += 1;
    if (outcome.commit) this.end(this.composedTail);
    return outcome.prevent === true;
  }
  composedTail = '';
  compose(before: string, data: string) {
    this.take({ type: 'compositionstart' });
    this.key();
    this.take({ type: 'compositionupdate', data });
    this.value = before + data;
    this.composedTail = data;
    this.input();
  }
  end(data: string) {
    this.take({ type: 'compositionend', data });
  }
  key() {
    this.take({ type: 'otherkey' });
  }
  input() {
    this.take({ type: 'input', value: this.value, nowMs: this.nowMs });
  }
  enter(options: { composing?: boolean; keyCode?: number; shift?: boolean; repeat?: boolean } = {}): boolean {
    const { composing = false, keyCode = composing ? 229 : 13, shift = false, repeat = false } = options;
    return this.take({
      type: 'enter',
      composing,
      keyCode,
      shift,
      repeat,
      value: this.value,
      nowMs: this.nowMs,
    });
  }
  linebreak() {
    const prevented = this.take({ type: 'linebreak', nowMs: this.nowMs });
    if (prevented) return;
    this.value += '\n';
    this.input();
  }
  tasks() {
    while (this.settling > 0) {
      this.settling -= 1;
      this.take({ type: 'settle', value: this.value, nowMs: this.nowMs });
    }
  }
}

describe('Korean: one Enter sends the whole text once', () => {
  const composed = () => {
    const box = new Box();
    box.compose('한', '글');
    return box;
  };
  const done = (box: Box) => {
    box.tasks();
    expect(box.sent).toEqual(['한글']);
    expect(box.value).toBe('');
  };

  test('A: keydown 229, then compositionend, no second keydown', () => {
    const box = composed();
    box.enter({ composing: true });
    expect(box.sent).toEqual([]);
    box.end('글');
    done(box);
  });

  test('B: a second keydown follows before the text has settled', () => {
    const box = composed();
    box.enter({ composing: true });
    box.end('글');
    expect(box.enter()).toBe(true);
    done(box);
  });

  test('B: a second keydown follows after the text was sent', () => {
    const box = composed();
    box.enter({ composing: true });
    box.end('글');
    box.tasks();
    expect(box.enter()).toBe(true);
    done(box);
  });

  test('B: the last syllable is inserted again, then comes the second keydown', () => {
    const box = composed();
    box.enter({ composing: true });
    box.end('글');
    box.tasks();
    box.value = '글';
    box.input();
    expect(box.value).toBe('');
    box.enter();
    done(box);
  });

  test('C: compositionend, then keydown 229 that is not composing', () => {
    const box = composed();
    box.end('글');
    expect(box.enter({ keyCode: 229 })).toBe(true);
    done(box);
  });

  test('A with a bare line break before and after the text was sent', () => {
    for (const late of [false, true]) {
      const box = composed();
      box.enter({ composing: true });
      box.end('글');
      if (late) box.tasks();
      box.linebreak();
      done(box);
    }
  });

  test('the preview is cleared before the commit', () => {
    const box = composed();
    box.enter({ composing: true });
    box.take({ type: 'compositionupdate', data: '' });
    box.end('글');
    done(box);
  });

  test('compositionend tells no text, but the text is there', () => {
    const box = composed();
    box.enter({ composing: true });
    box.end('');
    done(box);
  });

  test('a lone jamo is Hangul too', () => {
    const box = new Box();
    box.compose('네 ', 'ㅋ');
    box.enter({ composing: true });
    box.end('ㅋ');
    box.tasks();
    expect(box.sent).toEqual(['네 ㅋ']);
  });

  test('Hanja chosen by Enter does not send', () => {
    const box = composed();
    box.enter({ composing: true });
    box.value = '한契';
    box.end('契');
    box.tasks();
    expect(box.sent).toEqual([]);
  });

  test('a cancelled composition does not send', () => {
    const box = composed();
    box.enter({ composing: true });
    box.value = '한';
    box.end('');
    box.tasks();
    expect(box.sent).toEqual([]);
  });

  test('a held key sends once', () => {
    const box = composed();
    box.enter({ composing: true });
    box.end('글');
    box.tasks();
    for (let i = 0; i < 5; i += 1) box.enter({ repeat: true });
    done(box);
  });

  test('the next message can be written at once', () => {
    const box = composed();
    box.enter({ composing: true });
    box.end('글');
    box.tasks();
    box.compose('', '글');
    expect(box.value).toBe('글');
    box.enter({ composing: true });
    box.end('글');
    box.tasks();
    expect(box.sent).toEqual(['한글', '글']);
  });

  test('the button during composition sends the whole text once', () => {
    const box = composed();
    box.take({ type: 'button', value: box.value, nowMs: box.nowMs });
    done(box);
  });
});

describe('Japanese and Chinese: Enter for a candidate does not send', () => {
  for (const [preview, chosen] of [
    ['にほん', '日本'],
    ['nihao', '你好'],
    ['ㄋㄧˇ', '你'],
    ['カナ', 'カナ'],
  ] as const) {
    test(`${preview}: A, then Enter again sends`, () => {
      const box = new Box();
      box.compose('', preview);
      expect(box.enter({ composing: true })).toBe(false);
      box.value = chosen;
      box.end(chosen);
      box.tasks();
      expect(box.sent).toEqual([]);
      expect(box.enter()).toBe(true);
      expect(box.sent).toEqual([chosen]);
    });

    test(`${preview}: C (Safari)`, () => {
      const box = new Box();
      box.compose('', preview);
      box.value = chosen;
      box.end(chosen);
      expect(box.enter({ keyCode: 229 })).toBe(false);
      box.tasks();
      expect(box.sent).toEqual([]);
      box.enter();
      expect(box.sent).toEqual([chosen]);
    });
  }
});

test('Japanese: a compositionend that tells no text does not send', () => {
  const box = new Box();
  box.compose('', 'にほん');
  box.enter({ composing: true });
  box.end('');
  box.tasks();
  expect(box.sent).toEqual([]);
});

describe('without an input method', () => {
  test('Enter sends; Shift+Enter makes a new line', () => {
    const box = new Box();
    box.value = 'a';
    expect(box.enter({ shift: true })).toBe(false);
    box.linebreak();
    box.value += 'b';
    expect(box.enter()).toBe(true);
    expect(box.sent).toEqual(['a\nb']);
  });

  test('Shift+Enter in the middle of a syllable does not send', () => {
    const box = new Box();
    box.compose('', '글');
    box.enter({ composing: true, shift: true });
    box.end('글');
    box.tasks();
    expect(box.sent).toEqual([]);
  });

  test('text pasted and sent right after a message goes out', () => {
    const box = new Box();
    box.value = 'a';
    box.enter();
    box.value = 'pasted';
    box.input();
    box.enter();
    expect(box.sent).toEqual(['a', 'pasted']);
  });

  test('a new line right after a message stays', () => {
    const box = new Box();
    box.value = 'a';
    box.enter();
    box.enter({ shift: true });
    box.linebreak();
    expect(box.value).toBe('\n');
  });

  test('text that comes back without an input event is not sent by the second keydown', () => {
    const box = new Box();
    box.compose('', '글');
    box.enter({ composing: true });
    box.end('글');
    box.tasks();
    box.value = '글';
    expect(box.enter()).toBe(true);
    expect(box.sent).toEqual(['글']);
  });

  test('a held Enter does not send what is there when it repeats', () => {
    const box = new Box();
    box.value = 'b';
    box.enter({ repeat: true });
    expect(box.sent).toEqual([]);
  });

  test('the echo ends by itself', () => {
    const box = new Box();
    box.value = 'a';
    box.enter();
    box.nowMs += kEchoMs;
    box.value = 'b';
    box.enter();
    expect(box.sent).toEqual(['a', 'b']);
  });
});

test('what is Hangul', () => {
  for (const text of ['가', '힣', 'ㄱ', 'ㅣ', 'a한']) expect(endsInHangul(text)).toBe(true);
  for (const text of ['', 'a', '한a', '漢', 'あ', 'ㄅ', '한 ']) expect(endsInHangul(text)).toBe(false);
});
