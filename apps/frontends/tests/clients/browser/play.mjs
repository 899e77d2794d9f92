// Plays one whole game of each kind by clicking, as a person would, and looks at what a person would look at.
// Usage: node play.mjs ADDRESS SCREENSHOTS [GAME …]

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const [address, screenshots, ...wanted] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const DESKTOP = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };
// A picture is taken after so many of the person's moves.
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

// Waits until at least so many moves are made and the person is to decide, or the game is over.
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

// What axe-core finds wrong with what is shown.
async function isAccessible(page, name) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  assert.deepEqual(told, [], `${name}: not accessible`);
}

// Pictures at both sizes in both themes; whether each is accessible as well, which takes its time on large boards.
async function pictures(page, name, isChecked = true) {
  for (const [size, viewport] of [['desktop', DESKTOP], ['phone', PHONE]]) {
    for (const scheme of ['light', 'dark']) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'no-preference' });
      await page.waitForTimeout(150);
      await fits(page, name);
      if (isChecked) await isAccessible(page, `${name}, ${size}, ${scheme}`);
      await page.screenshot({ path: `${screenshots}/${name}-${size}-${scheme}.png`, fullPage: size === 'phone' });
    }
  }
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: 'light' });
}

async function playGame(page, seen, game, random) {
  const side = game.id === 'connect4' ? 1 : 0;
  await startGame(page, game, side);
  let [moves, plies] = [0, 0];
  for (;;) {
    await settled(page, plies);
    const { table } = seen;
    if (table.outcome) break;
    assert.equal(table.side_to_move, side);
    const { move, clicks } = table.legal[random(table.legal.length)];
    for (const [index, click] of clicks.entries()) {
      await point(page, click);
      if (moves === PICTURE_AT && index === 0 && clicks.length > 1) await pictures(page, `${game.id}-composing`, false);
    }
    moves += 1;
    plies = table.moves.length + 1;
    if (moves === PICTURE_AT) {
      await settled(page, plies);
      assert.equal(seen.table.moves[plies - 1], move);
      if (!seen.table.outcome) await analyse(page, game);
    }
    assert.ok(moves < 400, `${game.id} does not end`);
  }
  await page.waitForTimeout(700);
  await pictures(page, `${game.id}-end`, false);
  await lookBackAndUndo(page, seen, game);
  return moves;
}

async function analyse(page, game) {
  await page.locator('#analyse').check({ force: true });
  await page.locator('table.best').waitFor({ timeout: 30_000 });
  // Without trained agents alpha-beta analyses; of tic-tac-toe the server has a table.
  assert.ok(await page.locator('.value-spot').count() > 0, `${game.id}: no analysis on the board`);
  // Alpha-beta without a proof has no probabilities.
  const texts = await page.locator('.results-text').allTextContents();
  const shares = texts.join(' ').match(/\d+(?= %)/g) ?? [];
  if (shares.length > 0) assert.equal(shares.reduce((sum, share) => sum + Number(share), 0), 100, 'percentages');
  await pictures(page, `${game.id}-analysis`, game.board.places.length < 100);
  await page.locator('#analyse').uncheck({ force: true });
}

async function lookBackAndUndo(page, seen, game) {
  const plies = seen.table.moves.length;
  await page.locator('.move.start').click();
  await page.getByText('Looking back: after 0').waitFor();
  await page.locator('#back').click();
  await page.locator('#back').waitFor({ state: 'hidden' });
  await page.locator('#undo').click();
  await page.waitForFunction(() => !/wins|is a draw/.test(document.querySelector('#status').textContent));
  await settled(page);
  assert.ok(seen.table.moves.length < plies, `${game.id}: undo takes nothing back`);
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
  assert.equal(seen.table.moves[2], 'c1');
}

// From any field the arrow keys lead to every other, on every board and from both sides.
async function everyFieldByKeyboard(page) {
  await page.goto(address);
  await page.locator('#setup').waitFor();
  const lost = await page.evaluate(async () => {
    const { geometry, neighbour, uncovered } = await import('/geometry.js');
    const { games } = await (await fetch('/api/games')).json();
    const lost = [];
    for (const { id, board } of games) {
      for (const isFlipped of [false, true]) {
        const { centres } = geometry(board, isFlipped);
        const all = uncovered(centres, centres.map((_, place) => place));
        const reached = new Set([all[0]]);
        for (const place of reached) {
          for (const way of [[-1, 0], [1, 0], [0, -1], [0, 1]]) reached.add(neighbour(centres, place, way, all));
        }
        const missing = all.filter((place) => !reached.has(place)).map((place) => board.places[place].name);
        if (missing.length > 0) lost.push(`${id}: ${missing.join(' ')}`);
      }
    }
    return lost;
  });
  assert.deepEqual(lost, []);
}

async function open(page, game, { seats = ['', ''], record = '', clock = '0' } = {}) {
  await page.goto(address);
  await page.locator('#setup').waitFor();
  await page.locator(`input[name=game][value="${game.id}"]`).check({ force: true });
  for (const [side, seat] of seats.entries()) {
    await page.getByLabel(`${game.sides[side]} is played by`, { exact: true }).selectOption(seat);
  }
  await page.getByLabel('Clock').selectOption(clock);
  if (record) {
    await page.getByText('Load a recorded game').click();
    await page.getByLabel('Recorded game').fill(record);
  }
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.locator('#setup').waitFor({ state: 'hidden' });
}

const game = (id) => games.find((other) => other.id === id);
const hash = (page) => page.evaluate(() => location.hash);
const status = (page, text) => page.waitForFunction((part) => document.querySelector('#status').textContent.includes(part), text);

// Waits until the page has been told of a table with this record; the answer is read a moment after the page has it.
async function told(page, seen, record) {
  for (let tries = 0; tries < 100 && seen.table?.record !== record; tries += 1) await page.waitForTimeout(50);
  assert.equal(seen.table.record, record);
}

// Steps through the game by keys, tries something beside it, comes back, and goes on from there.
async function variations(page, seen) {
  await open(page, game('connect4'), { record: '4 4 3 2' });
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await status(page, 'after 2 of 4');
  await point(page, 'p40');
  await status(page, 'Variation: 1 after move 2');
  await point(page, 'p41');
  await status(page, 'Variation: 2 after move 2');
  assert.equal(await hash(page), '#game=connect4&moves=4_4_6_7');
  await page.keyboard.press('End');
  await status(page, 'Red drops a disc');
  assert.equal(await page.locator('.variation .move').count(), 2, 'what was tried is kept');
  await page.locator('.variation .move').nth(1).click();
  await status(page, 'Variation: 2');
  await page.keyboard.press('f');
  await pictures(page, 'variation');
  await page.locator('#from-here').click();
  await page.waitForFunction(() => document.querySelector('#from-here').hidden);
  await told(page, seen, '4 4 6 7 = *');
  await page.keyboard.press('Home');
  await status(page, 'after 0 of 4');
  assert.ok(await page.locator('#hint').isVisible(), 'how to enter a move is said at the start');
}

// O has blundered: that is marked, asked again, and answered.
async function lesson(page) {
  await open(page, game('tictactoe'), { record: 'b2 b1 a1 c3' });
  await page.locator('#resign').click();
  await page.locator('#analyse').check({ force: true });
  await page.getByRole('button', { name: 'Analyse whole game' }).click();
  await page.getByRole('button', { name: 'Learn from your mistakes (1)' }).click();
  await page.getByText('O played b1, which cost 50 % of a point. What is better?').waitFor();
  assert.equal(await page.locator('.value-spot').count(), 0, 'the answer is not on the board');
  await point(page, 'p3');
  await page.getByText('a2 is not it either: it costs 50 %. Try again.').waitFor();
  await page.waitForFunction(() => document.querySelectorAll('[data-click]').length === 8);
  await page.getByRole('button', { name: 'Show the answer' }).click();
  await page.getByText('is best.').or(page.getByText('Best is')).waitFor();
  await pictures(page, 'lesson');
  await page.getByRole('button', { name: 'Done' }).click();
  await status(page, 'O wins by resignation');
  assert.equal(await page.locator('.moves .blunder .sign').first().textContent(), '??');
}

// A rematch has the sides exchanged; a game with a clock is lost on time.
async function rematchAndClock(page, seen) {
  await open(page, game('tictactoe'), { seats: ['', 'random'], clock: '1' });
  await point(page, 'p4');
  await page.waitForFunction(() => document.querySelectorAll('.moves li .move').length === 2);
  await page.locator('.clock.running').waitFor();
  assert.match(await page.locator('.clock.running').textContent(), /^(1:00|0:5\d)$/);
  await page.locator('#resign').click();
  await page.locator('#rematch').click();
  await page.waitForFunction(() => document.querySelector('#rematch').hidden);
  await settled(page, 1);
  assert.deepEqual(seen.table.seats.map((seat) => seat?.agent ?? null), ['random', null]);
  assert.equal(seen.table.clock.increment, 0);
}

// The server is the judge of time: with a second for each side, whoever waits loses.
async function lostOnTime(page) {
  await page.route('**/api/tables', (route) => {
    const asked = route.request().postDataJSON();
    return route.continue({ postData: JSON.stringify({ ...asked, clock: asked.clock && { seconds: 1 } }) });
  });
  await open(page, game('tictactoe'), { clock: '1' });
  await point(page, 'p4');
  await status(page, 'X wins on time');
}

// A game goes out as PGN and comes in again, as it does by its link.
async function transfer(page, seen) {
  const pylos = game('pylos');
  await open(page, pylos, { record: 'a1 b1 d4 c4' });
  const [file] = await Promise.all([page.waitForEvent('download'), page.locator('#download').click()]);
  const text = readFileSync(await file.path(), 'utf8');
  assert.match(text, /\[Variant "pylos"\]/);
  for (const pasted of [text, `http://elsewhere/#game=pylos&moves=a1_b1_d4_c4`, text.replace('[Variant', '[FEN "a1 b1"]\n[Variant')
    .replace(/1\. a1 2\. b1 3\. d4 4\. c4/, '1. d4 2. c4')]) {
    await open(page, game('tictactoe'), { record: pasted });
    await settled(page);
    await told(page, seen, 'a1 b1 d4 c4 = *');
  }
}

// The rules of every game are there, and nothing but text.
async function rulesOfEveryGame(page) {
  for (const one of games) {
    await page.goto('about:blank');
    await page.goto(`${address}/#game=${one.id}`);
    await settled(page);
    await page.keyboard.press('?');
    await page.locator('.rules code').first().waitFor();
    if (one.id === 'pylos') await pictures(page, 'rules');
    await page.keyboard.press('Escape');
    assert.ok(await page.locator('#hint').isVisible(), `${one.id}: how to enter a move`);
  }
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
  const plies = seen.table.moves.length;
  await page.waitForFunction((count) => document.querySelectorAll('.curve .known').length === count, plies + 1, { timeout: 60_000 });
  await pictures(page, 'watched');
}

// A link to what is no game opens the dialog with the reason.
async function badLink(page) {
  await page.goto(`${address}/#game=pylos&moves=a1_a1`);
  await page.getByText('The link holds no game: action 2: a1 is not legal here').waitFor();
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
  await page.getByText('action 3: a1 is not legal here').waitFor();
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
    console.log(`ok   ${name}${note ? ` (${note} moves of the person)` : ''}, ${((Date.now() - started) / 1000).toFixed(1)} s`);
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
  await test('every-field', everyFieldByKeyboard);
  await test('variations', variations);
  await test('lesson', lesson);
  await test('rematch', rematchAndClock);
  await test('lost-on-time', lostOnTime);
  await test('transfer', transfer);
  await test('rules', rulesOfEveryGame);
  await test('watch', watch);
  await test('record', loadRecord);
  await test('bad-link', badLink);
}
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
