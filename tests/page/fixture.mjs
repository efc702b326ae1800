// What every test has: a scripted server, and a page that must stay on its origin, break no policy, open no
// dialog and throw nothing.

import { expect, test as base } from '../../web/node_modules/@playwright/test/index.mjs';
import { startFakeServer } from './fake_server.mjs';

export { expect };

/** Watches a page; `faults` fills up. Call before the page is opened. */
export async function watch(page, origin) {
  const faults = [];
  await page.exposeBinding('reportFault', (_, text) => faults.push(text));
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => {
      window.reportFault(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
    });
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin && !/^(data|blob):/.test(request.url())) {
      faults.push(`outside: ${request.url()}`);
    }
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  return faults;
}

export const test = base.extend({
  server: async ({}, use) => {
    const server = await startFakeServer();
    await use(server);
    await server.close();
  },
  page: async ({ page, server }, use) => {
    const faults = await watch(page, new URL(server.url).origin);
    await use(page);
    expect(faults).toEqual([]);
  },
});

export const box = (page) => page.getByRole('textbox', { name: /^(Message|메시지)$/ });
export const answers = (page) => page.locator('.from-model');

export async function open(page, url) {
  await page.goto(url);
  await expect(page.locator('#model-box')).toBeEnabled();
}

export async function ask(page, text) {
  await box(page).fill(text);
  await box(page).press('Enter');
}

/** Waits until the last answer is whole. */
export async function whole(page) {
  await expect(answers(page).last()).toHaveAttribute('aria-busy', 'false');
}
