// X15: what users and models write is shown as text; nothing runs, nothing is loaded from elsewhere. X27: the
// page works below a proxy path. The fixture checks policy, origin, dialogs and errors in every test.

import { answers, ask, box, expect, open, test, watch, whole } from './fixture.mjs';
import { kPolicy, sleep, startProxy } from './fake_server.mjs';

const kHostile = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<img src=http://127.0.0.1:9/pixel.png>',
  '<svg onload=alert(1)></svg>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<div style="background:url(http://127.0.0.1:9/x)" onclick="alert(1)">x</div>',
  '<link rel=stylesheet href=http://127.0.0.1:9/x.css>',
  '<form action=http://127.0.0.1:9/><button>press</button></form>',
  '[a link](javascript:alert(1))',
  '[a page](data:text/html,<script>alert(1)</script>)',
  '[here](/api/logout)',
  '![pixel](http://127.0.0.1:9/pixel.png)',
  '![inline](data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=)',
  '<http://127.0.0.1:9/ok>',
  '| <img src=x onerror=alert(1)> |\n|---|\n| <script>alert(1)</script> |',
  '- item\n  ```"><img src=x onerror=alert(1)>\n  <script>alert(1)</script>\n  ```',
  '```html\n<script>alert(1)</script>\n<img src=x onerror=alert(1)>\n```',
].join('\n\n');

async function expectClean(page) {
  const found = await page.evaluate(() => {
    const bad = [];
    for (const el of document.querySelectorAll('#app *')) {
      for (const { name, value } of el.attributes) {
        if (/^on|^srcdoc$|^style$/.test(name) && el.id !== 'message-box') bad.push(`${el.tagName} ${name}`);
        if (name === 'href' && !/^(https?:|mailto:)/.test(value)) bad.push(`href ${value}`);
        if (name === 'src') bad.push(`src ${value}`);
      }
    }
    return {
      bad,
      elements: document.querySelectorAll('#app :is(script,img,iframe,link,style,object,embed)').length,
    };
  });
  expect(found).toEqual({ bad: [], elements: 0 });
}

test('X15: hostile text from the model, cut every seven characters, is shown', async ({ page, server }) => {
  server.reply = async (_, stream) => {
    for (let at = 0; at < kHostile.length; at += 7) {
      stream.content(kHostile.slice(at, at + 7));
      if (at % 70 === 0) await sleep(20);
    }
    stream.finish();
  };
  await open(page, server.url);
  await ask(page, 'Hi');
  await whole(page);
  await expect(answers(page)).toContainText('<img src=x onerror=alert(1)>');
  await expect(answers(page)).toContainText('<svg onload=alert(1)></svg>');
  await expect(answers(page).locator('.hljs-name')).not.toHaveCount(0);
  await expectClean(page);
  for (const link of await answers(page).locator('a').all()) {
    expect(await link.getAttribute('rel')).toContain('noopener');
    expect(await link.getAttribute('target')).toBe('_blank');
  }
  await expect(page.getByRole('link', { name: 'pixel', exact: true })).toHaveAttribute(
    'href',
    'http://127.0.0.1:9/pixel.png',
  );
  await sleep(300);
});

test('X15: hostile text from the user, in the title, a model name and an error is shown', async ({
  page,
  server,
}) => {
  const text = '<img src=x onerror=alert(1)><b>title</b>';
  server.models = [
    { id: `smollm2 ${text}`, description: text },
    { id: text, description: text },
  ];
  await open(page, server.url);
  await ask(page, text);
  await whole(page);
  await expect(page.locator('.chat-open')).toHaveText(text);
  await expect(page.locator('.bubble')).toHaveText(text);
  await page.locator('#model-box').selectOption(text);
  server.reply = async (_, stream) => stream.fail(400, { message: text });
  await ask(page, 'again');
  await expect(page.getByRole('alert')).toContainText(text);
  await expectClean(page);
});

test('hostile records in the browser’s storage are skipped or shown', async ({ page, server }) => {
  await page.addInitScript((text) => {
    const chat = {
      id: 'a',
      title: text,
      createdMs: 1,
      updatedMs: 1,
      messages: [{ role: 'assistant', content: text }],
    };
    localStorage.setItem('ondol.chat.a', JSON.stringify({ v: 1, chat }));
    localStorage.setItem('ondol.chat.b', `{"v":1,"chat":{"id":"b","title":{"__html":"${'x'}"}}}`);
  }, kHostile);
  await open(page, `${server.url}#/chat/a`);
  await expect(answers(page)).toContainText('<img src=x onerror=alert(1)>');
  await expectClean(page);
});

test('the watch itself sees a policy fault and an outside request', async ({ browser, server }) => {
  const page = await browser.newPage();
  const faults = await watch(page, new URL(server.url).origin);
  const response = await page.goto(server.url);
  expect(response.headers()['content-security-policy']).toBe(kPolicy);
  await page.evaluate(() => {
    document.body.insertAdjacentHTML(
      'beforeend',
      '<p style="color:red">x</p><img src="http://127.0.0.1:9/pixel.png">',
    );
  });
  const kinds = () => new Set(faults.map((fault) => fault.split(' ').slice(0, 2).join(' ')));
  await expect
    .poll(kinds)
    .toEqual(new Set(['outside: http://127.0.0.1:9/pixel.png', 'policy: style-src-attr', 'policy: img-src']));
  await page.close();
});

test('X27: below a proxy path no request leaves that path', async ({ page, server }) => {
  const proxy = await startProxy(server.url, '/llm/');
  const faults = [];
  const context = await page.context().browser().newContext({ locale: 'en-US' });
  const inside = await context.newPage();
  faults.push(await watch(inside, new URL(proxy.url).origin));
  server.reply = async (_, stream) => {
    stream.content('```js\nlet a = 1;\n```\n');
    stream.finish();
  };
  for (const entry of [
    proxy.url,
    proxy.url.slice(0, -1),
    `${proxy.url}index.html`,
    `${proxy.url}?x=1#/chat/none`,
  ]) {
    await open(inside, entry);
    await ask(inside, 'Hi');
    await whole(inside);
    await expect(answers(inside).locator('.hljs-number')).toHaveText('1');
    expect(new URL(inside.url()).pathname).toMatch(/^\/llm\//);
  }
  await inside.reload();
  await expect(answers(inside)).toHaveCount(1);
  expect(proxy.outside).toEqual([]);
  expect(faults).toEqual([[]]);
  expect(server.posts.length).toBe(4);
  await context.close();
  await proxy.close();
  await box(page).waitFor({ state: 'detached' });
});
