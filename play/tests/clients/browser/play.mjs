// Plays one whole game of each kind by clicking, as a person would, and looks at what a person would look at.
// Usage: node play.mjs ADDRESS SCREENSHOTS [GAME …]

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';

const [address, screenshots, ...wanted] = process.argv.slice(2);
const DESKTOP = { width: 1280, height: 860 };
const PHONE = { width: 360, height: 740 };
// A picture is taken after so many of the person's decisions.
const PICTURE_AT = 2;
const OPPONENT = { agent: 'alphabeta', strength: 'seconds:0.1' };

// A small generator (mulberry32), so that every run clicks alike.
function generator(seed) {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below);
  };
}

// The newest state of the table that the page has been told.
function follow(page) {
  const seen = { table: null };
  page.on('response', async (response) => {
    if (!response.url().includes('/api/tables') || response.request().method() === 'DELETE') return;
    const answer = await response.json().catch(() => null);
    const table = answer?.table ?? answer;
    if (table?.legal) seen.table = table;
  });
  return seen;
}

async function startGame(page, game, side) {
  await page.locator('#setup').waitFor();
  await page.locator(`input[name=game][value="${game.id}"]`).check({ force: true });
  const other = 1 - side;
  await page.getByLabel(`${game.sides[side]} is played by`, { exact: true }).selectOption('');
  await page.getByLabel(`${game.sides[other]} is played by`, { exact: true }).selectOption(OPPONENT.agent);
  await page.getByLabel(`Strength of ${game.sides[other]}`, { exact: true }).selectOption(OPPONENT.strength);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.locator('#setup').waitFor({ state: 'hidden' });
}

// Waits until at least so many decisions are made and the person is to decide, or the game is over.
async function settled(page, plies = 0) {
  await page.waitForFunction((least) => {
    const text = document.querySelector('#status').textContent;
    const made = document.querySelectorAll('.moves li .move').length;
    const isOpen = document.querySelector('[data-click]') || !document.querySelector('#stop').hidden;
    return /did not work/.test(text) || (made >= least && (/wins|draw\./.test(text) || (isOpen && !text.includes('thinking'))));
  }, plies, { timeout: 60_000 });
  assert.doesNotMatch(await page.textContent('#status'), /did not work/);
}

const point = (page, click) =>
  (click === 'stop' ? page.locator('#stop') : page.locator(`[data-click="${click}"]`).first()).click({ timeout: 10_000 });

async function fits(page, name) {
  const [wide, inner] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(wide <= inner, `${name}: the page is ${wide} pixels wide in a window of ${inner}`);
}

async function pictures(page, name) {
  for (const [size, viewport] of [['desktop', DESKTOP], ['phone', PHONE]]) {
    for (const scheme of ['light', 'dark']) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'no-preference' });
      await page.waitForTimeout(150);
      await fits(page, name);
      await page.screenshot({ path: `${screenshots}/${name}-${size}-${scheme}.png`, fullPage: size === 'phone' });
    }
  }
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: 'light' });
}

async function playGame(page, seen, game, random) {
  const side = game.id === 'connect4' ? 1 : 0;
  await startGame(page, game, side);
  let [decisions, plies] = [0, 0];
  for (;;) {
    await settled(page, plies);
    const { table } = seen;
    if (table.outcome) break;
    assert.equal(table.side_to_move, side);
    const { decision, clicks } = table.legal[random(table.legal.length)];
    for (const [index, click] of clicks.entries()) {
      await point(page, click);
      if (decisions === PICTURE_AT && index === 0 && clicks.length > 1) await pictures(page, `${game.id}-composing`);
    }
    decisions += 1;
    plies = table.decisions.length + 1;
    if (decisions === PICTURE_AT) {
      await settled(page, plies);
      assert.equal(seen.table.decisions[plies - 1], decision);
      if (!seen.table.outcome) await analyse(page, game);
    }
    assert.ok(decisions < 400, `${game.id} does not end`);
  }
  await page.waitForTimeout(700);
  await pictures(page, `${game.id}-end`);
  await lookBackAndUndo(page, seen, game);
  return decisions;
}

async function analyse(page, game) {
  await page.locator('#analyse').check({ force: true });
  await page.locator('table.best').waitFor({ timeout: 30_000 });
  // Of tic-tac-toe the server has a table: the analysis is perfect play's, with the value of every move.
  const spots = await page.locator(game.id === 'tictactoe' ? '.value-spot' : '.heat-spot').count();
  assert.ok(spots > 0, `${game.id}: no analysis on the board`);
  await pictures(page, `${game.id}-analysis`);
  await page.locator('#analyse').uncheck({ force: true });
}

async function lookBackAndUndo(page, seen, game) {
  const plies = seen.table.decisions.length;
  await page.locator('.move.start').click();
  await page.getByText('Looking back: after 0').waitFor();
  await page.locator('#back').click();
  await page.locator('#back').waitFor({ state: 'hidden' });
  await page.locator('#undo').click();
  await page.waitForFunction(() => !/wins|is a draw/.test(document.querySelector('#status').textContent));
  await settled(page);
  assert.ok(seen.table.decisions.length < plies, `${game.id}: undo takes nothing back`);
}

// Arrow keys, Enter and a link are enough for a game.
async function playByKeyboard(page, seen) {
  await page.goto(`${address}/#game=tictactoe&moves=b2_a1`);
  await page.reload();
  await settled(page);
  await page.locator('.target[tabindex="0"]').focus();
  for (const key of ['ArrowUp', 'ArrowRight']) await page.keyboard.press(key);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'c1, empty');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.startsWith('#game=tictactoe&moves=b2_a1_c1'));
  await settled(page);
  assert.equal(seen.table.decisions[2], 'c1');
}

// Two agents play to the end while one watches, and the whole game is analysed.
async function watch(page, seen) {
  await page.goto(address);
  await page.locator('#setup').waitFor();
  await page.locator('input[name=game][value=tictactoe]').check({ force: true });
  for (const side of ['X', 'O']) await page.getByLabel(`${side} is played by`).selectOption('random');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.locator('#watch').click();
  await page.waitForFunction(() => /wins|is a draw/.test(document.querySelector('#status').textContent), null, { timeout: 60_000 });
  await page.locator('#analyse').check({ force: true });
  await page.getByLabel('Agent that analyses').selectOption({ label: 'Monte Carlo search' });
  await page.getByLabel('Strength of the analysis').selectOption('simulations:100');
  await page.getByRole('button', { name: 'Analyse whole game' }).click();
  const plies = seen.table.decisions.length;
  await page.waitForFunction((count) => document.querySelectorAll('.curve .known').length === count, plies + 1, { timeout: 60_000 });
  await pictures(page, 'watched');
}

// A link to what is no game opens the dialog with the reason.
async function badLink(page) {
  await page.goto(`${address}/#game=pylos&moves=a1_a1`);
  await page.getByText('The link holds no game: decision 2: a1 is not legal here').waitFor();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await settled(page);
}

// A recorded game with a mistake is refused with the reason; without it the game goes on from its end.
async function loadRecord(page, seen) {
  await page.goto(address);
  await page.locator('#setup').waitFor();
  await pictures(page, 'setup');
  await page.locator('input[name=game][value=pylos]').check({ force: true });
  await page.getByText('Load a recorded game').click();
  await page.getByLabel('Recorded game').fill('a1 b1 a1 = *');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('decision 3: a1 is not legal here').waitFor();
  await page.getByLabel('Recorded game').fill('a1 b1 d4 c4 = *');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.locator('#setup').waitFor({ state: 'hidden' });
  await settled(page);
  assert.equal(seen.table.record, 'a1 b1 d4 c4 = *');
}

mkdirSync(screenshots, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
let failed = 0;
let passed = 0;
async function test(name, body) {
  const page = await browser.newPage({ viewport: DESKTOP, colorScheme: 'light' });
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // The browser notes refused requests itself; the tests look at what the page makes of them.
    if (message.type() === 'error' && !message.text().includes('status of 4')) complaints.push(message.text());
  });
  const started = Date.now();
  try {
    const note = await body(page, follow(page));
    assert.deepEqual(complaints, [], 'the page complains');
    console.log(`ok   ${name}${note ? ` (${note} decisions of the person)` : ''}, ${((Date.now() - started) / 1000).toFixed(1)} s`);
    passed += 1;
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}: ${error.stack}\n${complaints.join('\n')}`);
    await page.screenshot({ path: `${screenshots}/failed-${name}.png` }).catch(() => null);
  }
  await page.close();
}

const { games } = await (await fetch(`${address}/api/games`)).json();
for (const [index, game] of games.entries()) {
  if (wanted.length > 0 && !wanted.includes(game.id)) continue;
  const random = generator(index + 1);
  await test(game.id, async (page, seen) => {
    await page.goto(address);
    return playGame(page, seen, game, random);
  });
}
if (wanted.length === 0) {
  await test('keyboard', playByKeyboard);
  await test('watch', watch);
  await test('record', loadRecord);
  await test('bad-link', badLink);
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
