import { answers, ask, box, expect, open, test, whole } from './fixture.mjs';
import { sleep } from './fake_server.mjs';

test('a message is sent with the chosen model and its answer streams in', async ({ page, server }) => {
  let goOn;
  const wait = new Promise((resolve) => {
    goOn = resolve;
  });
  server.reply = async (body, stream) => {
    stream.content('Hel');
    await wait;
    stream.content('lo **you**');
    stream.finish('stop', 3);
  };
  await open(page, server.url);
  await page.locator('#model-box').selectOption('Qwen2.5-Coder-1.5B-Instruct');
  await ask(page, 'Hi');
  await expect(answers(page)).toContainText('Hel');
  await expect(answers(page)).toHaveAttribute('aria-busy', 'true');
  goOn();
  await whole(page);
  await expect(answers(page).locator('strong')).toHaveText('you');
  await expect(page.getByRole('status')).toHaveText('The answer is complete. Hello **you**');
  expect(server.posts).toEqual([
    {
      model: 'Qwen2.5-Coder-1.5B-Instruct',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    },
  ]);
});

test('the conversation so far goes with each message', async ({ page, server }) => {
  await open(page, server.url);
  await ask(page, 'one');
  await whole(page);
  await ask(page, 'two');
  await expect(answers(page)).toHaveCount(2);
  await whole(page);
  expect(server.posts[1].messages).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'You said: one' },
    { role: 'user', content: 'two' },
  ]);
});

test('Stop closes the stream, keeps what came, and the next message can go', async ({ page, server }) => {
  let stream;
  server.reply = async (_, opened) => {
    stream = opened;
    for (let i = 0; !opened.closed; i += 1) {
      opened.content(`word${i} `);
      await sleep(5);
    }
  };
  await open(page, server.url);
  await ask(page, 'Hi');
  await expect(answers(page)).toContainText('word3');
  await page.getByRole('button', { name: 'Stop' }).click();
  await whole(page);
  await expect(answers(page)).toContainText('You stopped this answer.');
  await expect.poll(() => stream.closed).toBe(true);
  await box(page).fill('next');
  await expect(page.getByRole('button', { name: 'Send' })).toBeEnabled();
});

test('Stop before the first token leaves a way to try again', async ({ page, server }) => {
  server.reply = async () => undefined;
  await open(page, server.url);
  await ask(page, 'Hi');
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(answers(page)).toHaveCount(0);
  server.reply = async (_, stream) => {
    stream.content('now');
    stream.finish();
  };
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(answers(page)).toContainText('now');
});

test('Regenerate asks the same again and replaces the answer', async ({ page, server }) => {
  let count = 0;
  server.reply = async (_, stream) => {
    stream.content(`\`\`\`js\nlet answer = ${(count += 1)};\n\`\`\`\n`);
    stream.finish();
  };
  await open(page, server.url);
  await ask(page, 'Hi');
  await whole(page);
  await expect(answers(page).locator('.hljs-number')).toHaveText('1');
  await page.getByRole('button', { name: 'Regenerate' }).click();
  await expect(answers(page).locator('.hljs-number')).toHaveText('2');
  await expect(answers(page)).toHaveCount(1);
  expect(server.posts[1]).toEqual(server.posts[0]);
});

test('reasoning stands in a block that can be opened', async ({ page, server }) => {
  server.reply = async (_, stream) => {
    stream.reasoning('Let me ');
    stream.reasoning('think.');
    stream.content('42');
    stream.finish();
  };
  await open(page, server.url);
  await ask(page, 'Hi');
  await whole(page);
  await expect(page.getByText('Let me think.')).toBeHidden();
  await page.getByText('How it got there').click();
  await expect(page.getByText('Let me think.')).toBeVisible();
  await ask(page, 'more');
  expect(JSON.stringify(server.posts.at(-1))).not.toContain('think');
});

test('chats are kept, opened by address, and deleted after a question', async ({ page, server }) => {
  await open(page, server.url);
  await ask(page, 'first chat');
  await whole(page);
  await page.locator('.side').getByRole('button', { name: 'New chat' }).click();
  await expect(answers(page)).toHaveCount(0);
  await ask(page, 'second chat');
  await whole(page);
  const address = page.url();
  await page.goto(server.url);
  await expect(page.locator('.chat-open')).toHaveText(['second chat', 'first chat']);
  await page.goto(address);
  await expect(answers(page)).toHaveText(/You said: second chat/);
  await page.getByRole('button', { name: 'first chat', exact: true }).click();
  await expect(answers(page)).toHaveText(/You said: first chat/);
  await page.goBack();
  await expect(answers(page)).toHaveText(/You said: second chat/);
  await page.getByRole('button', { name: 'Delete “second chat”' }).click();
  await page.getByRole('button', { name: 'Delete?' }).click();
  await expect(page.locator('.chat-open')).toHaveText(['first chat']);
  await page.reload();
  await expect(page.locator('.chat-open')).toHaveText(['first chat']);
});

test('an answer goes on while another chat is open', async ({ page, server }) => {
  let goOn;
  const wait = new Promise((resolve) => {
    goOn = resolve;
  });
  server.reply = async (_, stream) => {
    stream.content('begun');
    await wait;
    stream.content(' and done');
    stream.finish();
  };
  await open(page, server.url);
  await ask(page, 'slow');
  await expect(answers(page)).toContainText('begun');
  await page.locator('.side').getByRole('button', { name: 'New chat' }).click();
  goOn();
  await page.getByRole('button', { name: 'slow', exact: true }).click();
  await expect(answers(page)).toContainText('begun and done');
});

test('the small model is named as an English test model', async ({ page, server }) => {
  await open(page, server.url);
  await expect(page.locator('#model-box option')).toHaveText([
    'English test model — SmolLM2-135M-Instruct',
    'Qwen2.5-Coder-1.5B-Instruct — Qwen 2.5 Coder, Q4_K_M',
  ]);
  await expect(page.getByText('A very small model for trying things out, in English.')).toBeVisible();
  await page.locator('#model-box').selectOption('Qwen2.5-Coder-1.5B-Instruct');
  await expect(page.getByText('A very small model for trying things out, in English.')).toHaveCount(0);
  await page.reload();
  await expect(page.locator('#model-box')).toHaveValue('Qwen2.5-Coder-1.5B-Instruct');
});

test('the reader who scrolls up is left alone until they come back', async ({ page, server }) => {
  let running = true;
  server.reply = async (_, stream) => {
    for (let i = 0; running && !stream.closed; i += 1) {
      stream.content(`paragraph ${i}\n\n`);
      await sleep(10);
    }
    stream.finish();
  };
  await open(page, server.url);
  await ask(page, 'Hi');
  const scroll = page.locator('.scroll');
  const fromEnd = () => scroll.evaluate((el) => el.scrollHeight - el.clientHeight - el.scrollTop);
  await expect.poll(() => scroll.evaluate((el) => el.scrollTop)).toBeGreaterThan(300);
  expect(await fromEnd()).toBeLessThan(60);
  await scroll.hover();
  await page.mouse.wheel(0, -120);
  await sleep(100);
  const top = await scroll.evaluate((el) => el.scrollTop);
  await sleep(500);
  expect(await scroll.evaluate((el) => el.scrollTop)).toBe(top);
  await page.getByRole('button', { name: 'To the newest text' }).click();
  await sleep(300);
  expect(await fromEnd()).toBeLessThan(60);
  running = false;
  await whole(page);
  await expect.poll(fromEnd).toBeLessThan(3);
});

test('everything can be reached and done by keyboard', async ({ page, server }) => {
  await open(page, server.url);
  await expect(box(page)).toBeFocused();
  await page.keyboard.type('Hi');
  await page.keyboard.press('Enter');
  await whole(page);
  await page.keyboard.press('Shift+Tab');
  const seen = [];
  for (let i = 0; i < 14; i += 1) {
    seen.push(
      await page.evaluate(() => {
        const el = document.activeElement;
        return el.getAttribute('aria-label') || el.id || el.textContent;
      }),
    );
    await page.keyboard.press('Shift+Tab');
  }
  for (const name of ['Regenerate', 'Copy', 'Conversation', 'model-box', 'English', 'New chat']) {
    expect(seen).toContain(name);
  }
});
