// The page: one table, who decides next, what is shown.

import { AnalysisPanel, isExact } from './analysis.js';
import { api } from './api.js';
import { Board } from './board.js';
import { showChoices } from './choices.js';
import { Composer } from './composer.js';
import { byId, offer } from './dom.js';
import { settle, swapQuadrants } from './motion.js';
import { showMoves } from './moves.js';
import { askForGame } from './setup.js';
import { readLink, rememberSeats, rememberedSeats, linkTo } from './link.js';
import { showSide } from './sides.js';
import { wireTheme } from './theme.js';

// Between the decisions of two agents, so that one can follow.
const WATCH_PAUSE_MS = 500;

const composer = new Composer();
const board = new Board(byId('board'), {
  onClick: (click) => pointAt(click),
  onCancel: () => cancel(),
  onArm: (name) => { byId('status').textContent = `Tap again for ${name}.`; },
});
const panel = new AnalysisPanel(byId('analysis'), {
  changed: () => { page.analysis = null; refreshAnalysis(); },
  whole: () => analyseWhole(),
  look: (ply) => look(ply),
});
const page = { lobby: null, game: null, table: null, latest: 0, busy: false, watching: false, analysis: null, note: '',
  generation: 0 };

const isOn = () => byId('analyse').checked;
const isAgent = (side) => page.table.seats[side] !== null;
const isWatch = () => isAgent(0) && isAgent(1);
const isLive = () => page.table.ply === page.latest;
const isOver = () => isLive() && page.table.outcome !== null;
const mayDecide = () => isLive() && !page.busy && !isOver() && !isAgent(page.table.side_to_move);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Runs one thing after the other: the server lets one player think at a table at a time.
let chain = Promise.resolve();
function inTurn(job) {
  const done = chain.then(job);
  chain = done.catch(() => null);
  return done;
}

async function start(game, seats, record = '') {
  const table = await api.create(game.id, seats, record);
  if (page.table) api.remove(page.table.id).catch(() => null);
  Object.assign(page, { game, table, latest: table.ply, busy: false, watching: false, analysis: null, note: '' });
  page.generation += 1;
  rememberSeats(game.id, seats);
  byId('title').textContent = game.title;
  document.title = `${game.title} · selfplay`;
  document.body.dataset.kind = game.board.kind;
  board.setGame(game);
  panel.setGame(game, page.lobby);
  show(table);
  next();
}

// Who sits on each side, in words.
function names() {
  return page.table.seats.map((seat) => {
    if (seat === null) return 'you';
    const { title } = page.game.agents.find(({ name }) => name === seat.agent) ?? { title: seat.agent };
    const [unit, number] = Object.entries(seat.strength ?? {})[0] ?? [];
    return unit ? `${title}, ${number} ${unit === 'seconds' ? 's' : unit}` : title;
  });
}

function show(table) {
  page.table = table;
  if (page.analysis && page.analysis.ply !== table.ply) page.analysis = null;
  composer.set(mayDecide() ? table.legal : []);
  history.replaceState(null, '', linkTo(page.game.id, table.decisions.slice(0, table.ply)));
  render();
}

function render() {
  const { game, table } = page;
  const next = composer.next;
  const heat = isOn() && page.analysis ? heatOf(page.analysis) : new Map();
  const values = isOn() && page.analysis ? valuesOf(page.analysis) : new Map();
  const preview = game.board.kind === 'quadrants' ? table.side_to_move : null;
  board.draw({ view: table.view, last: table.last, next, picks: composer.picks, heat, values, preview });
  const side = { game, table: { ...table, thinking: page.busy }, names: names(), next, picks: composer.picks, click: pointAt };
  // A person sits below; the first player where both or none are persons.
  const below = isAgent(0) && !isAgent(1) ? 1 : 0;
  showSide(byId('side-bottom'), below, side);
  showSide(byId('side-top'), 1 - below, side);
  showMoves(byId('moves'), table, game, look);
  panel.show({ isOn: isOn(), analysis: page.analysis, table, note: page.note, play: mayDecide() ? decide : null });
  byId('status').textContent = status();
  const mayChange = isLive() && !page.busy;
  showChoices(byId('choices'), composer.candidates, next, pointAt);
  offer(byId('stop'), { shown: next.has('stop') });
  offer(byId('cancel'), { shown: composer.picks.length > 0 });
  offer(byId('back'), { shown: !isLive() });
  offer(byId('watch'), { shown: isWatch() && isLive() && !isOver(), label: page.watching ? 'Pause' : 'Play' });
  offer(byId('undo'), { enabled: mayChange && undoTarget() !== null });
  offer(byId('resign'), { shown: !isWatch(), enabled: mayDecide() });
}

// The place that a move is shown on, if it fits what is picked and has one.
function placeOf({ clicks }) {
  const isFitting = composer.picks.every((pick) => clicks.includes(pick));
  const last = clicks.filter((click) => click[0] === 'p').at(-1);
  return isFitting && last && !composer.picks.includes(last) ? Number(last.slice(1)) : null;
}

// Shares of the search by place; none of perfect play, which has values.
function heatOf(analysis) {
  const heat = new Map();
  for (const move of isExact(analysis) ? [] : analysis.moves) {
    const place = placeOf(move);
    if (place !== null) heat.set(place, (heat.get(place) ?? 0) + move.share);
  }
  return heat;
}

// What perfect play says of the best move to each place.
function valuesOf(analysis) {
  const values = new Map();
  // The best moves come first.
  for (const move of isExact(analysis) ? analysis.moves : []) {
    const place = placeOf(move);
    if (place !== null && !values.has(place)) values.set(place, move);
  }
  return values;
}

function status() {
  const { game, table } = page;
  if (page.error) return page.error;
  if (!isLive()) return `Looking back: after ${table.ply} of ${page.latest} decisions.`;
  const last = table.last ? `${game.sides[table.last.side]} played ${table.last.decision}. ` : '';
  if (table.outcome) {
    const { winner, by } = table.outcome;
    const how = by === 'resignation' ? ' by resignation' : '';
    return `${last}${winner === null ? 'The game is a draw.' : `${game.sides[winner]} wins${how}.`}`;
  }
  const mover = game.sides[table.side_to_move];
  if (page.busy) return `${last}${mover} is thinking …`;
  const quadrants = composer.picks.filter((pick) => pick[0] === 'q').length;
  if (game.board.kind === 'quadrants' && composer.picks.length > 0) {
    return `Choose ${quadrants === 0 ? 'two quadrants' : 'another quadrant'} to swap.`;
  }
  return `${last}${mover} ${table.view.task}.`;
}

function fail(error) {
  page.error = `That did not work: ${error.message}.`;
  render();
  page.error = '';
}

function pointAt(click) {
  if (!mayDecide()) return;
  const decision = composer.click(click);
  if (decision) decide(decision);
  else render();
}

function cancel() {
  composer.cancel();
  render();
}

// Shows the table as it stands after one more decision, in motion.
async function proceed(table) {
  const before = page.table.view.pieces;
  const isNext = page.table.ply + 1 === table.ply;
  page.latest = table.ply;
  if (isNext && table.last) {
    composer.set([]);
    await swapQuadrants(board, table.last, table.last.side);
  }
  show(table);
  if (isNext) settle(board, before, table.last);
}

async function decide(decision) {
  if (!mayDecide()) return;
  const { id, ply } = page.table;
  page.busy = true;
  try {
    const table = await inTurn(() => api.decide(id, decision, ply));
    page.busy = false;
    await proceed(table);
    next();
  } catch (error) {
    page.busy = false;
    fail(error);
  }
}

// Lets agents decide as long as it is their turn.
async function next() {
  const { generation } = page;
  const isStill = () => generation === page.generation;
  try {
    while (isStill() && isLive() && !isOver() && isAgent(page.table.side_to_move) && (!isWatch() || page.watching)) {
      if (page.busy) return;
      page.busy = true;
      render();
      const { id, ply } = page.table;
      const { table } = await inTurn(() => api.agent(id, ply));
      if (!isStill()) return;
      page.busy = false;
      if (!isLive()) {
        page.latest = table.ply;
        await look(page.table.ply);
        return;
      }
      await proceed(table);
      if (isWatch()) await pause(WATCH_PAUSE_MS);
    }
    refreshAnalysis();
  } catch (error) {
    if (!isStill()) return;
    page.busy = false;
    page.watching = false;
    fail(error);
  }
}

// To before the last decision of a person; among agents or persons alone, to before the last decision.
function undoTarget() {
  const { table } = page;
  if (table.decisions.length === 0) return null;
  if (isAgent(0) === isAgent(1)) return table.decisions.length - 1;
  const target = table.deciders.findLastIndex((side) => !isAgent(side));
  return target < 0 ? null : target;
}

async function undo() {
  page.watching = false;
  await change(() => api.undo(page.table.id, undoTarget()));
}

async function change(request) {
  try {
    const table = await inTurn(request);
    page.latest = table.ply;
    page.analysis = null;
    show(table);
    next();
  } catch (error) {
    fail(error);
  }
}

async function look(ply) {
  try {
    const table = await api.table(page.table.id, ply);
    page.latest = table.decisions.length;
    show(table);
    if (isLive()) next();
    else refreshAnalysis();
  } catch (error) {
    fail(error);
  }
}

// Analyses what is shown, if analysis is on and nobody else thinks.
async function refreshAnalysis() {
  if (!page.table) return;
  const { table, generation } = page;
  page.note = '';
  if (!isOn() || page.analysis || page.busy || table.legal.length === 0) return render();
  page.note = 'Analysing …';
  render();
  try {
    const isWanted = () => generation === page.generation && page.table.ply === table.ply && isOn() && !page.busy;
    const analysis = await inTurn(() => (isWanted() ? api.analysis(table.id, table.ply, panel.analyst) : null));
    page.note = '';
    if (!analysis || !isWanted()) return;
    page.analysis = analysis;
    page.table.values[analysis.ply] = analysis.value;
  } catch (error) {
    page.note = `No analysis: ${error.message}.`;
  }
  render();
}

async function analyseWhole() {
  const { generation, table: { id } } = page;
  const missing = page.table.values.flatMap((value, ply) => (value ? [] : [ply]));
  for (const [done, ply] of missing.entries()) {
    if (generation !== page.generation || !isOn() || page.busy) return;
    page.note = `Analysing ${done + 1} of ${missing.length} positions …`;
    render();
    try {
      const { value } = await inTurn(() => api.analysis(id, ply, panel.analyst));
      if (generation !== page.generation) return;
      page.table.values[ply] = value;
    } catch (error) {
      page.note = `No analysis: ${error.message}.`;
      return render();
    }
  }
  page.note = '';
  render();
}

async function copy(button, text) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not allowed';
  }
  setTimeout(() => { button.textContent = label; }, 1200);
}

function wire() {
  wireTheme(byId('theme'));
  const on = (id, action, event = 'click') => byId(id).addEventListener(event, action);
  on('new', () => askForGame(byId('setup'), page.lobby, page.game?.id, start));
  on('stop', () => pointAt('stop'));
  on('cancel', cancel);
  on('undo', undo);
  on('resign', () => change(() => api.resign(page.table.id, page.table.side_to_move)));
  on('back', () => look(page.latest));
  on('watch', () => { page.watching = !page.watching; render(); next(); });
  on('analyse', () => { page.analysis = null; refreshAnalysis(); }, 'change');
  window.addEventListener('hashchange', () => location.reload());
  on('copy-record', () => copy(byId('copy-record'), page.table.record));
  on('copy-link', () => copy(byId('copy-link'), location.href));
}

// A position from the link, against the preferred agent; otherwise the dialog over an empty board.
async function open() {
  page.lobby = await api.games();
  byId('run').hidden = !page.lobby.shows_run;
  const link = readLink(location.hash);
  const game = page.lobby.games.find(({ id }) => id === link?.game);
  let message = '';
  try {
    if (game) return await openLink(game, link.record);
  } catch (error) {
    message = `The link holds no game: ${error.message}.`;
  }
  const first = game ?? page.lobby.games[0];
  await start(first, [null, preferred(first)]);
  askForGame(byId('setup'), page.lobby, first.id, start, message);
}

// The first agent of a game, thinking for a second if it can be told how long.
function preferred({ agents: [{ name, strengths }] }) {
  return { agent: name, strength: strengths.includes('seconds') ? { seconds: 1 } : null };
}

// With the seats of this tab, or the side to move for the person and the preferred agent on the other.
async function openLink(game, record) {
  const remembered = rememberedSeats(game.id);
  if (remembered) return start(game, remembered, record);
  const table = await api.create(game.id, [null, null], record);
  api.remove(table.id).catch(() => null);
  const seats = [0, 1].map((side) => (side === table.side_to_move ? null : preferred(game)));
  return start(game, seats, record);
}

wire();
open().catch((error) => { byId('status').textContent = `The page cannot start: ${error.message}.`; });
