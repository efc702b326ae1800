// X18: copying without a secure context. X19: a fault of the browser's storage costs one record, never the
// rest.

import { readFile } from 'node:fs/promises';
import { answers, ask, expect, open, test, whole } from './fixture.mjs';

const kAnswer = 'Here:\n\n```py\nprint("안녕")\n```\n';

async function withCode(page, server) {
  server.reply = async (_, stream) => {
    stream.content(kAnswer);
    stream.finish();
  };
  await open(page, server.url);
  await ask(page, '물어보기');
  await whole(page);
}

const withoutSecureContext = () => {
  Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined });
  Object.defineProperty(Crypto.prototype, 'randomUUID', { value: undefined });
};

test('X18: copy with the clipboard', async ({ page, server, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await withCode(page, server);
  await page.getByRole('button', { name: 'Copy code' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('print("안녕")\n');
  await answers(page).getByRole('button', { name: 'Copy', exact: true }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(kAnswer);
});

test('X18: copy without navigator.clipboard and crypto.randomUUID', async ({ page, server, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.addInitScript(withoutSecureContext);
  await page.addInitScript(() => {
    window.copies = [];
    addEventListener('copy', () => window.copies.push(document.activeElement.value), true);
  });
  await withCode(page, server);
  expect(await page.evaluate(() => [navigator.clipboard, crypto.randomUUID])).toEqual([undefined, undefined]);
  await page.getByRole('button', { name: 'Copy code' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  await answers(page).getByRole('button', { name: 'Copy', exact: true }).click();
  await page.locator('.from-user').hover();
  await page.locator('.from-user').getByRole('button', { name: 'Copy', exact: true }).click();
  expect(await page.evaluate(() => window.copies)).toEqual(['print("안녕")\n', kAnswer, '물어보기']);
  await expect(page.locator('dialog')).toHaveCount(0);
});

test('X18: copy where everything is refused the text is shown, selected', async ({ page, server }) => {
  await page.addInitScript(withoutSecureContext);
  await page.addInitScript(() => {
    document.execCommand = () => false;
  });
  await withCode(page, server);
  await page.getByRole('button', { name: 'Copy code' }).click();
  const area = page.getByRole('dialog').getByRole('textbox');
  await expect(area).toHaveValue('print("안녕")\n');
  expect(await area.evaluate((el) => el.selectionEnd - el.selectionStart)).toBe('print("안녕")\n'.length);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('X19: a full storage fails that save alone, with a message', async ({ page, server }) => {
  await open(page, server.url);
  await ask(page, 'kept');
  await whole(page);
  await page.evaluate(() => {
    const set = Storage.prototype.setItem;
    Storage.prototype.setItem = function setItem(key, value) {
      if (value.includes('too big')) throw new DOMException('full', 'QuotaExceededError');
      set.call(this, key, value);
    };
  });
  await page.locator('.side').getByRole('button', { name: 'New chat' }).click();
  await ask(page, 'too big');
  await whole(page);
  await expect(page.getByRole('alert')).toContainText('storage is full: this chat could not be saved');
  await expect(answers(page)).toContainText('You said: too big');
  await page.reload();
  await expect(page.locator('.chat-open')).toHaveText(['kept']);
});

test('a storage that is really full', async ({ page, server }) => {
  await open(page, server.url);
  await ask(page, 'kept');
  await whole(page);
  await page.evaluate(() => {
    let size = 1 << 22;
    for (let i = 0; size > 0; i += 1) {
      try {
        localStorage.setItem(`other${i}`, 'x'.repeat(size));
      } catch {
        size >>= 1;
      }
    }
  });
  await ask(page, 'more');
  await expect(page.getByRole('alert')).toContainText('storage is full');
  await page.reload();
  await expect(page.locator('.chat-open')).toHaveText(['kept']);
  await page.locator('.chat-open').click();
  await expect(answers(page)).toHaveText(/You said: kept/);
});

test('X19: bad records are skipped, told and left alone', async ({ page, server }) => {
  await open(page, server.url);
  await ask(page, 'kept');
  await whole(page);
  await page.evaluate(() => {
    localStorage.setItem('ondol.chat.bad', '{"v":1,"chat":');
    localStorage.setItem('ondol.chat.future', '{"v":99,"chat":{}}');
  });
  await page.reload();
  await expect(page.locator('.chat-open')).toHaveText(['kept']);
  await expect(page.getByRole('alert')).toContainText('Saved chats that cannot be read: 2.');
  expect(await page.evaluate(() => localStorage.getItem('ondol.chat.bad'))).toBe('{"v":1,"chat":');
});

test('no storage at all: the page works and says what is lost', async ({ page, server }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('denied', 'SecurityError');
      },
    });
  });
  await open(page, server.url);
  await ask(page, 'Hi');
  await whole(page);
  await expect(answers(page)).toContainText('You said: Hi');
  await expect(page.getByRole('alert')).toContainText('chats are lost when you close it');
});

test('export, delete, import gives the chats back', async ({ page, server }) => {
  await open(page, server.url);
  await ask(page, 'kept');
  await whole(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ]);
  const text = await readFile(await download.path(), 'utf8');
  await page.evaluate(() => localStorage.clear());
  await page.goto(server.url);
  await page.reload();
  await expect(page.locator('.chat-open')).toHaveCount(0);
  const give = (buffer) =>
    page.locator('input[type=file]').setInputFiles({
      name: 'chats.json',
      mimeType: 'application/json',
      buffer: Buffer.from(buffer),
    });
  await give('not ours');
  await expect(page.getByRole('alert')).toContainText('does not hold chats');
  await give(text);
  await expect(page.getByRole('alert')).toContainText('Chats added: 1.');
  await page.getByRole('button', { name: 'kept', exact: true }).click();
  await expect(answers(page)).toContainText('You said: kept');
});

test('two tabs do not overwrite each other’s chats', async ({ page, server, context }) => {
  await open(page, server.url);
  const other = await context.newPage();
  await open(other, server.url);
  await ask(page, 'from the first');
  await whole(page);
  await ask(other, 'from the second');
  await whole(other);
  await expect(page.locator('.chat-open')).toHaveText(['from the second', 'from the first']);
  await other.close();
});
