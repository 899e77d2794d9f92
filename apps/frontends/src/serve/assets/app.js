// The page: one session, its buttons and keys, and how it begins.

import { AnalysisPanel } from './analysis.js';
import { api } from './api.js';
import { Board } from './board.js';
import { byId } from './dom.js';
import { howToEnter } from './hints.js';
import { wireKeys } from './keys.js';
import { Lesson } from './lesson.js';
import { readLink, rememberedSeats } from './link.js';
import { settle, swapQuadrants } from './motion.js';
import { names, Renderer } from './render.js';
import { Session } from './session.js';
import { askForGame } from './setup.js';
import { openSheet } from './sheet.js';
import { wireTheme } from './theme.js';
import { download, writePgn } from './transfer.js';

let lobby = null;
let isFlipped = false;
const isOn = () => byId('analyse').checked;

const session = new Session({
  changed: () => { if (session.shown) renderer.draw(); },
  moved: async (before, form, draw) => {
    if (form.last) await swapQuadrants(board, form.last, form.last.side);
    draw();
    settle(board, before.view.pieces, form.last);
  },
  analyst: () => (isOn() ? panel.analyst : null),
});
const board = new Board(byId('board'), {
  onClick: (click) => session.pointAt(click),
  onCancel: () => session.cancel(),
  onArm: (name) => { byId('status').textContent = `Tap again for ${name}.`; },
});
const panel = new AnalysisPanel(byId('analysis'), session, {
  changed: () => session.analyse(),
  learn: () => learn(),
});
const renderer = new Renderer(session, board, panel, { isOn, isFlipped: () => isFlipped });

async function start(game, seats, options = {}) {
  const isOther = session.game !== game;
  const from = session.game;
  session.game = game;
  if (isOther) {
    isFlipped = false;
    session.table ??= null;
    document.body.dataset.kind = game.board.kind;
    board.setGame(game, isFlipped);
  }
  try {
    if (isOther) await withPanel(game, () => session.start(game, seats, options));
    else await session.start(game, seats, options);
  } catch (error) {
    if (from && isOther) {
      session.game = from;
      document.body.dataset.kind = from.board.kind;
      board.setGame(from, isFlipped);
    }
    throw error;
  }
  byId('title').textContent = game.title;
  document.title = `${game.title} · selfplay`;
}

// The panel is another game's until there is a table of the new one.
async function withPanel(game, sitDown) {
  const shown = session.shown;
  session.shown = null;
  try {
    panel.setGame(game, lobby);
    await sitDown();
  } catch (error) {
    session.shown = shown;
    throw error;
  }
}

function learn() {
  session.lesson = new Lesson(session);
  session.lesson.next();
}

function flip() {
  isFlipped = !isFlipped;
  board.setGame(session.game, isFlipped);
  session.changed();
}

function setUp(message = '') {
  askForGame(byId('setup'), lobby, session.game.id, start, message);
}

const help = () => openSheet(byId('sheet'), session.game, howToEnter(session.game, session.shown.legal));

async function copy(button, text) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    // Without permission for the clipboard the text can still be taken by hand.
    prompt('Copy this:', text);
  }
  setTimeout(() => { button.textContent = label; }, 1500);
}

function toggleWatching() {
  session.watching = !session.watching;
  session.changed();
  session.next();
}

function toggleAnalysis() {
  byId('analyse').checked = !isOn();
  session.analyse();
}

function wire() {
  const on = (id, action, kind = 'click') => byId(id).addEventListener(kind, action);
  const steps = { start: () => session.go(session.tree.root), back: () => session.back(), forth: () => session.forth(),
    tip: () => session.go(session.tree.tip) };
  wireTheme(byId('theme'));
  wireKeys({ ...steps, flip, help, fresh: () => setUp(), analysis: toggleAnalysis });
  on('new', () => setUp());
  on('help', help);
  on('flip', flip);
  on('first', steps.start);
  on('previous', steps.back);
  on('following', steps.forth);
  on('newest', steps.tip);
  on('stop', () => session.pointAt('stop'));
  on('cancel', () => session.cancel());
  on('back', steps.tip);
  on('from-here', () => session.playFromHere().catch((error) => session.fail(error)));
  on('rematch', () => session.rematch().catch((error) => session.fail(error)));
  on('watch', toggleWatching);
  on('undo', () => session.undo());
  on('resign', () => session.resign());
  on('analyse', () => session.analyse(), 'change');
  window.addEventListener('hashchange', () => location.reload());
  on('copy-record', () => copy(byId('copy-record'), session.table.record));
  on('copy-link', () => copy(byId('copy-link'), location.href));
  on('download', () => download(`${session.game.id}.pgn`, writePgn(session.game, session.table, names(session))));
}

// A position from the link, against the preferred agent; otherwise the dialog over an empty board.
async function open() {
  byId('status').textContent = 'Loading…';
  lobby = await api.games();
  byId('run').hidden = !lobby.shows_run;
  const link = readLink(location.hash);
  const game = lobby.games.find(({ id }) => id === link?.game);
  let message = '';
  try {
    if (game) return await openLink(game, link.record);
  } catch (error) {
    message = `The link holds no game: ${error.message}.`;
  }
  const first = game ?? lobby.games[0];
  await start(first, [null, preferred(first)]);
  setUp(message);
}

// The first agent of a game, thinking for a second if it can be told how long.
function preferred({ agents: [{ name, strengths }] }) {
  return { agent: name, strength: strengths.includes('seconds') ? { seconds: 1 } : null };
}

// With the seats of this tab, or the side to move for the person and the preferred agent on the other.
async function openLink(game, record) {
  const remembered = rememberedSeats(game.id);
  if (remembered) return start(game, remembered.seats, { record, clock: remembered.clock });
  const table = await api.create(game.id, [null, null], record);
  api.remove(table.id).catch(() => null);
  const seats = [0, 1].map((side) => (side === table.side_to_move ? null : preferred(game)));
  return start(game, seats, { record });
}

wire();
open().catch((error) => { byId('status').textContent = `The page cannot start: ${error.message}.`; });
