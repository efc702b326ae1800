import { answers, ask, box, expect, open, test, whole } from './fixture.mjs';

const alert = (page) => page.getByRole('alert');

test('too long: both numbers are told, in the chosen language', async ({ page, server }) => {
  server.reply = async (_, stream) =>
    stream.fail(400, {
      message: "This model's maximum context length is 2048 tokens. However, you requested 3000 tokens.",
      type: 'invalid_request_error',
      code: 'context_length_exceeded',
    });
  await open(page, server.url);
  await ask(page, 'Hi');
  await expect(alert(page)).toContainText('3000 tokens, but only 2048 fit');
  await page.getByRole('button', { name: '한국어' }).click();
  await expect(alert(page)).toContainText('토큰 3000개가 필요한데 2048개까지만');
  await page.getByRole('button', { name: '메시지 고치기' }).click();
  await expect(box(page)).toHaveValue('Hi');
  await expect(page.locator('.chat-open')).toHaveCount(0);
});

test('busy: the wait is told and one press tries again', async ({ page, server }) => {
  server.reply = async (_, stream) => stream.fail(503, { message: 'queue full' }, { 'Retry-After': '4' });
  await open(page, server.url);
  await ask(page, 'Hi');
  await expect(alert(page)).toContainText('busy just now. Please try again in 4 seconds');
  server.reply = async (_, stream) => {
    stream.content('done');
    stream.finish();
  };
  await alert(page).getByRole('button', { name: 'Try again' }).click();
  await expect(answers(page)).toContainText('done');
  await expect(alert(page)).toHaveCount(0);
  expect(server.posts.map(({ messages }) => messages)).toEqual(
    Array(2).fill([{ role: 'user', content: 'Hi' }]),
  );
});

test('a connection that breaks keeps what came and says so', async ({ page, server }) => {
  let stream;
  server.reply = async (_, opened) => {
    stream = opened;
    opened.content('half an ans');
  };
  await open(page, server.url);
  await ask(page, 'Hi');
  await expect(answers(page)).toContainText('half an ans');
  stream.cut();
  await expect(alert(page)).toContainText('The connection broke before the answer was complete.');
  await expect(answers(page)).toContainText('half an ans');
  await page.reload();
  await expect(answers(page)).toContainText('This answer is not complete.');
});

test('a stream that ends without its end is not taken for whole', async ({ page, server }) => {
  server.reply = async (_, stream) => {
    stream.content('half');
    stream.raw('data: [DO');
    setTimeout(() => stream.cut(), 50);
  };
  await open(page, server.url);
  await ask(page, 'Hi');
  await expect(alert(page)).toContainText('connection broke');
});

test('an error inside the stream is told', async ({ page, server }) => {
  server.reply = async (_, stream) => {
    stream.content('half');
    stream.raw('event: error\ndata: {"error":{"message":"model <b>failed</b>","code":500}}\n\n');
  };
  await open(page, server.url);
  await ask(page, 'Hi');
  await expect(alert(page)).toContainText('The server could not do this (500): model <b>failed</b>');
});

test('the length limit is told', async ({ page, server }) => {
  server.reply = async (_, stream) => {
    stream.content('long');
    stream.finish('length');
  };
  await open(page, server.url);
  await ask(page, 'Hi');
  await expect(answers(page)).toContainText('reached the length limit');
});

test('a server that is gone is told, and found again by itself', async ({ page, server }) => {
  await open(page, server.url);
  await page.route('**/v1/**', (route) => route.abort('connectionrefused'));
  await ask(page, 'Hi');
  await expect(page.locator('.trouble')).toContainText('The server does not answer.');
  await expect(page.locator('.notice')).toContainText('Trying again by itself');
  await page.unroute('**/v1/**');
  await expect(page.locator('.notice')).toHaveCount(0);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(answers(page)).toContainText('You said: Hi');
});

test('a message written after an unanswered one goes together with it', async ({ page, server }) => {
  server.reply = async (_, stream) => stream.fail(500, { message: 'x' });
  await open(page, server.url);
  await ask(page, 'one');
  await expect(alert(page)).toBeVisible();
  await ask(page, 'two');
  await expect.poll(() => server.posts.at(-1).messages).toEqual([{ role: 'user', content: 'one\n\ntwo' }]);
});

test('no model: it says so and sends nothing', async ({ page, server }) => {
  server.models = [];
  await page.goto(server.url);
  await expect(page.getByText('no model is loaded. Ask its administrator')).toBeVisible();
  await ask(page, 'Hi');
  await expect(box(page)).toHaveValue('Hi');
  expect(server.posts).toEqual([]);
  server.models = [{ id: 'late' }];
  await expect(page.locator('#model-box')).toHaveValue('late');
});

test('a refused model is told and the list is read again', async ({ page, server }) => {
  server.reply = async (_, stream) =>
    stream.fail(404, { message: 'x', code: 'model_not_found', param: 'model' });
  await open(page, server.url);
  server.models = [{ id: 'other' }];
  await ask(page, 'Hi');
  await expect(alert(page)).toContainText('This model is no longer there.');
  await expect(page.locator('#model-box')).toHaveValue('other');
});

test('one answer, many languages: the switch is remembered', async ({ page, server }) => {
  await open(page, server.url);
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await page.getByRole('button', { name: '한국어' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'ko');
  await expect(page.getByRole('heading', { name: '무슨 이야기를 나눌까요?' })).toBeVisible();
  await expect(page.locator('#model-box option').first()).toHaveText(
    '영어 시험용 모델 — SmolLM2-135M-Instruct',
  );
  await page.reload();
  await expect(page.getByRole('heading', { name: '온돌' })).toBeVisible();
  await ask(page, '안녕');
  await whole(page);
  await expect(page.getByRole('button', { name: '다시 생성' })).toBeVisible();
});

test.describe('a Korean browser', () => {
  test.use({ locale: 'ko-KR' });
  test('gets a Korean page', async ({ page, server }) => {
    await open(page, server.url);
    await expect(page.getByRole('heading', { name: '온돌' })).toBeVisible();
  });
});
