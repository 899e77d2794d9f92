// Plays against agents that are one file each, opened from the disk: no server, no network.
// Usage: node offline.mjs SCREENSHOTS FILE…

import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const [screenshots, ...files] = process.argv.slice(2);
const SIZES = [['desktop', { width: 1280, height: 860 }], ['phone', { width: 390, height: 844 }]];

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const file of files) {
  const name = file.split('/').at(-1).replace(/\.html$/, '');
  const context = await browser.newContext({ viewport: SIZES[0][1], offline: true });
  const page = await context.newPage();
  const wrong = [];
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  page.on('request', (request) => !/^(file|data|blob):/.test(request.url()) && wrong.push(`asked for ${request.url()}`));
  await page.goto(`file://${file}`);
  await page.locator('#setup').waitFor({ timeout: 60_000 });
  assert.equal(await page.locator('input[name=game]').count(), 1);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.locator('#setup').waitFor({ state: 'hidden' });

  // Until the agent has answered three times, or the game is over.
  for (let decided = 0; decided < 3; decided += 1) {
    await page.waitForFunction(() => {
      const text = document.querySelector('#status').textContent;
      return /wins|draw\.|did not work/.test(text) || (document.querySelector('[data-click]') && !text.includes('thinking'));
    }, null, { timeout: 60_000 });
    const status = await page.textContent('#status');
    assert.doesNotMatch(status, /did not work/);
    if (/wins|draw\./.test(status)) break;
    const made = await page.locator('.moves li .move').count();
    // A move may take several clicks.
    for (let click = 0; click < 6 && (await page.locator('.moves li .move').count()) === made; click += 1) {
      await page.locator('[data-click]').nth(click % 3).click();
      await page.waitForTimeout(200);
    }
    await page.waitForFunction((least) => document.querySelectorAll('.moves li .move').length > least, made + 1, { timeout: 60_000 });
  }
  await page.locator('#analyse').check({ force: true });
  await page.waitForFunction(() => /%|deep/.test(document.querySelector('#analysis').textContent), null, { timeout: 60_000 });
  for (const [size, viewport] of SIZES) {
    await page.setViewportSize(viewport);
    await page.waitForTimeout(200);
    const [wide, inner] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide <= inner, `${name}: the page is ${wide} pixels wide in a window of ${inner}`);
    await page.screenshot({ path: `${screenshots}/offline-${name}-${size}.png`, fullPage: size === 'phone' });
  }
  const moves = await page.locator('.moves li .move').count();
  assert.ok(moves >= 4, `${name}: only ${moves} moves`);
  assert.deepEqual(wrong, [], name);
  console.log(`ok   ${name}: ${moves} moves, from one file`);
  await context.close();
}
await browser.close();
