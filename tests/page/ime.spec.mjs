// X14: one Enter while a Hangul syllable is composed sends the whole text once; a candidate's Enter does not
// send.

import { answers, box, expect, open, test } from './fixture.mjs';
import { sleep } from './fake_server.mjs';

/** Plays a list of input events on the box, each browser's order as it was observed. */
async function play(page, steps) {
  await box(page).evaluate(async (area, list) => {
    const insert = (value, type, data) => {
      const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set;
      set.call(area, value);
      area.dispatchEvent(new InputEvent('input', { bubbles: true, inputType: type, data }));
    };
    for (const [name, arg, extra] of list) {
      const key = (options) => new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...options });
      if (name === 'start')
        area.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true, data: '' }));
      if (name === 'update')
        area.dispatchEvent(new CompositionEvent('compositionupdate', { bubbles: true, data: arg }));
      if (name === 'end')
        area.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true, data: arg }));
      if (name === 'value') insert(arg, 'insertCompositionText', extra ?? arg);
      if (name === 'late') insert(area.value + arg, 'insertText', arg);
      if (name === 'task') await new Promise((resolve) => setTimeout(resolve, arg ?? 0));
      if (name === 'enter229') {
        area.dispatchEvent(
          key({ key: arg ?? 'Enter', code: 'Enter', keyCode: 229, which: 229, isComposing: true }),
        );
      }
      if (name === 'enterSafari')
        area.dispatchEvent(key({ key: 'Enter', code: 'Enter', keyCode: 229, which: 229 }));
      if (name === 'enter13') {
        const event = key({ key: 'Enter', code: 'Enter', keyCode: 13, which: 13 });
        if (area.dispatchEvent(event)) insert(`${area.value}\n`, 'insertLineBreak', null);
      }
      if (name === 'break') {
        const event = new InputEvent('beforeinput', {
          bubbles: true,
          cancelable: true,
          inputType: 'insertLineBreak',
        });
        if (area.dispatchEvent(event)) insert(`${area.value}\n`, 'insertLineBreak', null);
      }
      if (name === 'keyup')
        area.dispatchEvent(new KeyboardEvent('keyup', { bubbles: true, key: 'Enter', code: 'Enter' }));
    }
  }, steps);
}

async function expectSentOnce(page, server, text) {
  await expect(answers(page)).toHaveCount(1);
  await sleep(500);
  expect(server.posts.map(({ messages }) => messages.map(({ content }) => content))).toEqual([[text]]);
  await expect(box(page)).toHaveValue('');
}

const kWritten = [
  ['start'],
  ['update', 'ㄱ'],
  ['value', '한ㄱ', 'ㄱ'],
  ['update', '글'],
  ['value', '한글', '글'],
];
const kKorean = {
  'Chrome: keydown 229, compositionend': [['enter229'], ['end', '글'], ['keyup']],
  'Chrome on Windows, where the key is called Process': [['enter229', 'Process'], ['end', '글'], ['keyup']],
  'Chrome on macOS: and a second keydown in the same task': [
    ['enter229'],
    ['end', '글'],
    ['enter13'],
    ['keyup'],
  ],
  'Chrome on macOS: and a second keydown later': [
    ['enter229'],
    ['end', '글'],
    ['task', 5],
    ['enter13'],
    ['keyup'],
  ],
  'the last syllable comes again, then a second keydown': [
    ['enter229'],
    ['end', '글'],
    ['task', 5],
    ['late', '글'],
    ['enter13'],
    ['keyup'],
  ],
  'a bare line break follows': [['enter229'], ['end', '글'], ['break'], ['task', 5], ['break'], ['keyup']],
  'Firefox: input follows compositionend': [['enter229'], ['end', '글'], ['value', '한글', '글'], ['keyup']],
  'Safari: compositionend, keydown 229': [['end', '글'], ['enterSafari'], ['keyup']],
  'Safari: and a line break after it': [['end', '글'], ['enterSafari'], ['late', '\n'], ['keyup']],
};
for (const [name, steps] of Object.entries(kKorean)) {
  test(`X14: Korean, ${name}: sent once, whole, box empty`, async ({ page, server }) => {
    await open(page, server.url);
    await play(page, [...kWritten, ...steps]);
    await expectSentOnce(page, server, '한글');
  });
}

const kJapanese = {
  Chrome: [['enter229'], ['value', '日本', '日本'], ['end', '日本'], ['task', 50], ['keyup']],
  Safari: [['value', '日本', '日本'], ['end', '日本'], ['enterSafari'], ['task', 50], ['keyup']],
};
for (const [name, steps] of Object.entries(kJapanese)) {
  test(`X14: Japanese, ${name}: Enter for a candidate does not send, the next Enter does`, async ({
    page,
    server,
  }) => {
    await open(page, server.url);
    await play(page, [['start'], ['update', 'にほん'], ['value', 'にほん'], ...steps]);
    await sleep(400);
    expect(server.posts).toEqual([]);
    await expect(box(page)).toHaveValue('日本');
    await play(page, [['enter13']]);
    await expectSentOnce(page, server, '日本');
  });
}

test.describe('X14: composition by Chromium itself', () => {
  const start = async (page) => {
    const cdp = await page.context().newCDPSession(page);
    await box(page).focus();
    const compose = async (...texts) => {
      for (const text of texts) {
        await cdp.send('Input.imeSetComposition', {
          text,
          selectionStart: text.length,
          selectionEnd: text.length,
        });
      }
    };
    const commit = (text) => cdp.send('Input.insertText', { text });
    const enter = (type, keyCode, more = {}) =>
      cdp.send('Input.dispatchKeyEvent', {
        type,
        key: keyCode === 229 ? 'Process' : 'Enter',
        code: 'Enter',
        windowsVirtualKeyCode: keyCode,
        ...more,
      });
    return { compose, commit, enter };
  };

  test('Korean: one Enter, no second keydown', async ({ page, server }) => {
    await open(page, server.url);
    const { compose, commit, enter } = await start(page);
    await compose('ㅎ', '하', '한');
    await commit('한');
    await compose('ㄱ', '그', '글');
    await enter('rawKeyDown', 229);
    await commit('글');
    await enter('keyUp', 13);
    await expectSentOnce(page, server, '한글');
  });

  test('Korean: one Enter, and a second keydown', async ({ page, server }) => {
    await open(page, server.url);
    const { compose, commit, enter } = await start(page);
    await compose('글');
    await enter('rawKeyDown', 229);
    await commit('글');
    await enter('keyDown', 13, { text: '\r' });
    await enter('keyUp', 13);
    await expectSentOnce(page, server, '글');
  });

  test('Korean: one Enter, and a character event that would break the line', async ({ page, server }) => {
    await open(page, server.url);
    const { compose, commit, enter } = await start(page);
    await compose('글');
    await enter('rawKeyDown', 229);
    await commit('글');
    await enter('char', 13, { text: '\r' });
    await enter('keyUp', 13);
    await expectSentOnce(page, server, '글');
  });

  test('Korean: two messages, one after the other', async ({ page, server }) => {
    await open(page, server.url);
    const { compose, commit, enter } = await start(page);
    for (const count of [1, 2]) {
      await compose('네');
      await enter('rawKeyDown', 229);
      await commit('네');
      await enter('keyUp', 13);
      await expect(answers(page)).toHaveCount(count);
      await expect(answers(page).last()).toHaveAttribute('aria-busy', 'false');
    }
    expect(server.posts.map(({ messages }) => messages.at(-1).content)).toEqual(['네', '네']);
  });

  test('Korean: the Send button during composition', async ({ page, server }) => {
    await open(page, server.url);
    const { compose, commit } = await start(page);
    await compose('한');
    await commit('한');
    await compose('글');
    await page.getByRole('button', { name: 'Send' }).click();
    await expectSentOnce(page, server, '한글');
  });

  test('Japanese: Enter for a candidate', async ({ page, server }) => {
    await open(page, server.url);
    const { compose, commit, enter } = await start(page);
    await compose('に', 'にほ', 'にほん', '日本');
    await enter('rawKeyDown', 229);
    await commit('日本');
    await enter('keyUp', 13);
    await sleep(400);
    expect(server.posts).toEqual([]);
    await box(page).press('Enter');
    await expectSentOnce(page, server, '日本');
  });
});

test('Shift+Enter is a new line, a held Enter sends once', async ({ page, server }) => {
  await open(page, server.url);
  await box(page).fill('one');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('two');
  await page.keyboard.down('Enter');
  await page.keyboard.down('Enter');
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  await expectSentOnce(page, server, 'one\ntwo');
});
