// Looks at the page of a made-up run until that stops, and at what the page says when the server is gone.
// Usage: node run-page.mjs ADDRESS SCREENSHOTS SERVER-PROCESS

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';

const [address, screenshots, server] = process.argv.slice(2);
const SIZES = { desktop: { width: 1200, height: 900 }, phone: { width: 390, height: 844 } };

mkdirSync(screenshots, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: SIZES.desktop, colorScheme: 'light' });
  const problems = [];
  let stopping = false;
  page.on('console', (message) => { if (message.type() === 'error' && !stopping) problems.push(message.text()); });
  page.on('pageerror', (error) => problems.push(String(error)));
  const fetched = [];
  page.on('request', (request) => {
    assert(request.url().startsWith(address), `a request to ${request.url()}`);
    if (request.url().includes('/plots/')) fetched.push(request.url());
  });

  await page.goto(address);
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.goto(`${address}/run`);
  await page.locator('#state', { hasText: 'Running, generation' }).waitFor();
  const images = page.locator('#pictures img');
  assert.equal(await images.count(), 2);
  const first = await images.first().getAttribute('src');
  await page.waitForFunction(() => [...document.images].every((image) => image.complete && image.naturalWidth > 0));
  for (const image of await images.all()) assert((await image.getAttribute('alt')).length > 10);
  await page.screenshot({ path: `${screenshots}/run-running.png`, fullPage: true });

  // It goes on by itself, and stops by itself.
  await page.locator('#state', { hasText: 'Stopped at' }).waitFor({ timeout: 60_000 });
  assert(await page.locator('#phase').isHidden());
  assert.match(await page.textContent('#state'), /generation 34 of 500$/);
  await page.waitForFunction((old) => document.querySelector('#pictures img').getAttribute('src') !== old, first);
  await page.waitForFunction(() => [...document.images].every((image) => image.complete && image.naturalWidth > 0));
  const unchanged = fetched.length;
  await page.waitForTimeout(7000);
  assert.equal(fetched.length, unchanged, 'pictures that do not change are not fetched again');
  assert.equal(new Set(fetched).size, fetched.length, `fetched twice: ${fetched}`);
  assert.match(await page.textContent('#updated'), /^Updated [0-5] s ago$/);
  assert.match(await page.textContent('#diagnostic-list'), /same four plies/);
  assert.match(await page.textContent('#gate-title'), /^Gate of generation 34: promote$/);
  assert.match(await page.textContent('#outcomes-text'), /first player \d+ %, second player \d+ %, draw \d+ %/);

  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    const [wide, inner] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert(wide <= inner, `${size}: ${wide} pixels in ${inner}`);
    for (const scheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.screenshot({ path: `${screenshots}/run-${size}-${scheme}.png`, fullPage: true });
    }
  }

  // By keyboard: the link past the header, the theme, the way to the board.
  await page.reload();
  await page.locator('#state', { hasText: 'Stopped at' }).waitFor();
  const focused = [];
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press('Tab');
    focused.push(await page.evaluate(() => document.activeElement.textContent.trim()));
  }
  assert.equal(focused[0], 'Skip to the numbers');
  assert.equal(focused[2], 'Play');

  assert.deepEqual(problems, []);
  stopping = true;
  process.kill(Number(server));
  await page.locator('#failure', { hasText: 'The page could not be updated: the server does not answer' }).waitFor();
  assert.match(await page.textContent('#state'), /^Stopped at/, 'the last view stays');
  await page.screenshot({ path: `${screenshots}/run-failed.png` });
  console.log('the page of a run: as it should be');
} finally {
  await browser.close();
}
