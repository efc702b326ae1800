// Pictures of the page for people to look at (SHOTS=DIR), and what can be measured of its look: nothing wider
// than the screen, text with enough contrast.

import { answers, expect, open, test, whole } from './fixture.mjs';

const kAnswer = `온돌은 바닥을 데워 방을 따뜻하게 하는 **한국의 전통 난방**입니다.
자세한 것은 [설명](https://example.org/ondol)을 보세요.

## 어떻게 데우나요

1. 아궁이에 불을 땝니다.
2. 더운 연기가 \`고래\`를 지나갑니다.
3. 구들장이 천천히 식으며 방을 데웁니다.

| 부분 | 하는 일 | 온도 |
|:--|:--|--:|
| 아궁이 | 불을 땐다 | 600 °C |
| 구들장 | 열을 간직한다 | 60 °C |

\`\`\`python
def warm(room: str, hours: int = 3) -> float:
    """구들장의 온도를 셈한다."""
    degrees = 20.0
    for _ in range(hours):   # 시간마다
        degrees += 12.5
    return degrees  # a rather long line that has to scroll sideways inside of its own block, not the page
\`\`\`

> 뜨끈한 방바닥만큼 좋은 것은 없다.
`;

const kScreens = {
  desktop: { viewport: { width: 1280, height: 860 } },
  mobile: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
};
const kLocales = { en: ['en-US', 'What is an ondol?'], ko: ['ko-KR', '온돌이 무엇인지 설명해 줘'] };

/** Contrast of an element's text with what is behind it. */
function contrastOf(el) {
  const channels = (color) => color.match(/[\d.]+/g).map(Number);
  let behind = el;
  while (behind.parentElement && (channels(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) {
    behind = behind.parentElement;
  }
  const light = (color) => {
    const [r, g, b] = channels(color)
      .slice(0, 3)
      .map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [a, b] = [light(getComputedStyle(el).color), light(getComputedStyle(behind).backgroundColor)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

for (const [screen, options] of Object.entries(kScreens)) {
  for (const colorScheme of ['light', 'dark']) {
    for (const [language, [locale, question]] of Object.entries(kLocales)) {
      test.describe(`${screen} ${colorScheme} ${language}`, () => {
        test.use({ ...options, colorScheme, locale });
        test('fits and can be read', async ({ page, server }) => {
          const shot = async (name) => {
            const dir = process.env.SHOTS;
            if (dir)
              await page.screenshot({ path: `${dir}/${screen}-${colorScheme}-${language}-${name}.png` });
          };
          const fits = async () =>
            expect(
              await page.evaluate(
                () =>
                  document.documentElement.scrollWidth <= innerWidth &&
                  document.querySelector('.scroll').scrollWidth <=
                    document.querySelector('.scroll').clientWidth,
              ),
            ).toBe(true);
          let goOn;
          const wait = new Promise((resolve) => {
            goOn = resolve;
          });
          server.reply = async (_, stream) => {
            stream.reasoning('한국의 집을 떠올려 보자.');
            stream.content(kAnswer.slice(0, 240));
            await wait;
            stream.content(kAnswer.slice(240));
            stream.finish('stop', 214);
          };
          await open(page, server.url);
          await fits();
          await shot('1-empty');
          await page.locator('#message-box').fill(question);
          await page.locator('.round').click();
          await expect(answers(page)).toContainText('아궁이에');
          await shot('2-writing');
          goOn();
          await whole(page);
          await expect(page.locator('.hljs-keyword').first()).toBeVisible();
          await fits();
          for (const name of [
            '.bubble',
            '.prose p',
            '.prose a',
            '.code-lang',
            '.hljs-comment',
            '.hljs-string',
            '.hljs-keyword',
            '.measure',
            '.composer-hint',
            '.thoughts summary',
          ]) {
            expect(await page.locator(name).first().evaluate(contrastOf), name).toBeGreaterThan(4.5);
          }
          await shot('3-end');
          await page.locator('.scroll').evaluate((el) => {
            el.scrollTop = 0;
          });
          await shot('4-top');
          if (screen === 'mobile') {
            await page.locator('.top .square').first().click();
            await expect(page.locator('.new-chat')).toBeVisible();
            await page.waitForTimeout(400);
            await shot('5-menu');
            await page.keyboard.press('Escape');
            await expect(page.locator('.new-chat')).toBeHidden();
          }
          server.reply = async (_, stream) => stream.fail(503, { message: 'busy' }, { 'Retry-After': '5' });
          await page.locator('#message-box').fill(language === 'ko' ? '더 알려 줘' : 'Tell me more');
          await page.locator('.round').click();
          await expect(page.getByRole('alert')).toBeVisible();
          await shot('6-busy');
        });
      });
    }
  }
}
