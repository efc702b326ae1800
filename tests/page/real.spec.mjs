// Against a running `ondol serve` with a model: ONDOL_URL=http://127.0.0.1:8484/

import { expect, test as base } from '../../web/node_modules/@playwright/test/index.mjs';
import { kPolicy } from './fake_server.mjs';
import { answers, ask, box, open, watch, whole } from './fixture.mjs';

const url = process.env.ONDOL_URL ? new URL('./', process.env.ONDOL_URL).href : '';

const test = base.extend({
  page: async ({ page }, use) => {
    const faults = await watch(page, new URL(url).origin);
    await use(page);
    expect(faults).toEqual([]);
  },
});

test.describe('a real server', () => {
  test.skip(url === '', 'ONDOL_URL is not set');
  test.setTimeout(300_000);

  test('serves the page with its policy', async ({ page }) => {
    const response = await page.goto(url);
    expect(response.status()).toBe(200);
    const policy = response
      .headers()
      ['content-security-policy'].split(';')
      .map((part) => part.trim())
      .filter(Boolean);
    expect(policy.sort()).toEqual(kPolicy.split('; ').sort());
    await expect(page.getByRole('heading', { name: 'Ondol' })).toBeVisible();
  });

  test('answers, streaming, and stores the chat', async ({ page }) => {
    await open(page, url);
    await ask(page, 'Say hello.');
    await expect(answers(page)).toHaveAttribute('aria-busy', 'true');
    await expect
      .poll(() => answers(page).locator('.prose, .code').count(), { timeout: 120_000 })
      .toBeGreaterThan(0);
    await expect(answers(page)).toHaveAttribute('aria-busy', 'false', { timeout: 240_000 });
    await expect(page.getByRole('alert')).toHaveCount(0);
    await page.reload();
    await expect(answers(page)).toHaveCount(1);
  });

  test('Stop ends a long answer and the next message is answered', async ({ page }) => {
    await open(page, url);
    await ask(page, 'Count from one to ten thousand, in words, one number on each line.');
    await expect
      .poll(() => answers(page).locator('.prose, .code').count(), { timeout: 120_000 })
      .toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Stop' }).click();
    await whole(page);
    await ask(page, 'Thank you.');
    await expect(answers(page)).toHaveCount(2);
    await page
      .getByRole('button', { name: 'Stop' })
      .click({ timeout: 1000 })
      .catch(() => undefined);
    await expect(box(page)).toBeEnabled();
  });

  test('a conversation that is too long is refused with both numbers', async ({ page }) => {
    await open(page, url);
    await ask(page, 'word '.repeat(200_000));
    await expect(page.getByRole('alert')).toContainText(/\d+ tokens, but only \d+ fit/, { timeout: 120_000 });
  });
});
