// One worker: the tests measure time. The browser is Debian's, started with nothing that reaches out by
// itself.

export default {
  testDir: '.',
  testMatch: '*.spec.mjs',
  outputDir: '../../web/node_modules/.cache/page-tests',
  workers: 1,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    locale: 'en-US',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
};
