// The analysis panel: who analyses, results to expect, best moves, and the value over the game.

import { h, s, percent, whole } from './dom.js';
import { strengthOf, strengthSelect } from './setup.js';

const MOST_MOVES = 6;
const MOST_EXACT_MOVES = 10;
const CURVE = { width: 320, height: 96 };

// Whether this is perfect play's: nothing was searched, and the worth of every move is known with the turns to the end.
export const isExact = ({ simulations, moves }) => simulations === 0 && moves.length > 0
  && moves.every(({ proven, turns }) => proven === 0 || (proven !== null && turns !== null));

export class AnalysisPanel {
  constructor(container, { changed, whole, look }) {
    Object.assign(this, { container, changed, whole, look });
  }

  setGame(game, limits) {
    const analysts = game.agents.filter(({ analyses }) => analyses);
    this.game = game;
    this.who = h('select', { 'aria-label': 'Agent that analyses', onchange: () => this.showStrength(limits) },
      analysts.map(({ name, title }) => h('option', { value: name, selected: name === game.analyst }, title)));
    this.slot = h('span', { class: 'strength' });
    this.body = h('div', { class: 'analysis-body' });
    this.curve = h('div', { class: 'curve' });
    this.wholeButton = h('button', { type: 'button', class: 'quiet', onclick: () => this.whole() }, 'Analyse whole game');
    this.controls = h('div', { class: 'analysis-controls' }, this.who, this.slot);
    this.container.replaceChildren(this.controls, this.body, this.curve, this.wholeButton);
    this.showStrength(limits);
  }

  showStrength(limits) {
    const agent = this.game.agents.find(({ name }) => name === this.who.value);
    const select = strengthSelect(agent, limits, 'Strength of the analysis');
    select.addEventListener('change', () => this.changed());
    this.slot.replaceChildren(select);
    this.changed();
  }

  // What to ask the server for.
  get analyst() {
    return { agent: this.who.value, strength: strengthOf(this.slot.firstElementChild) };
  }

  // Shows `analysis` of the position on the board, or that there is none.
  show({ isOn, analysis, table, note, play }) {
    this.controls.hidden = !isOn;
    this.wholeButton.hidden = !isOn || table.decisions.length === 0;
    const value = analysis ? analysis.value : table.values[table.ply];
    const parts = value ? [resultsBar(value, this.game)] : [];
    if (isOn && analysis) parts.push(movesTable(analysis, this.game, play));
    if (note) parts.push(h('p', { class: 'muted' }, note));
    if (parts.length === 0) {
      parts.push(h('p', { class: 'muted' }, 'Turn analysis on to see values, best moves and where the search looks.'));
    }
    this.body.replaceChildren(...parts);
    this.curve.replaceChildren(...valueCurve(table, this.game, this.look));
  }
}

function resultsBar({ first, draw, second }, game) {
  const part = (share, name) => h('span', { class: name, 'data-share': share.toFixed(4) });
  const parts = [part(first, 'first'), part(draw, 'draw'), part(second, 'second')];
  for (const element of parts) element.style.flexGrow = element.dataset.share;
  const text = `${game.sides[0]} ${whole(first)}, draw ${whole(draw)}, ${game.sides[1]} ${whole(second)}`;
  return h('div', {},
    h('div', { class: 'results', role: 'img', 'aria-label': text }, parts),
    h('div', { class: 'results-text', 'aria-hidden': 'true' },
      h('span', {}, `${game.sides[0]} ${whole(first)}`), h('span', {}, `draw ${whole(draw)}`),
      h('span', {}, `${game.sides[1]} ${whole(second)}`)));
}

function movesTable(analysis, game, play) {
  const { moves, simulations, variation, proven } = analysis;
  const exact = isExact(analysis);
  const proof = { 1: 'won', 0: 'drawn', '-1': 'lost' };
  const turns = (move) => (move.turns === null ? '' : ` in ${move.turns}`);
  const worth = (move) => (move.proven === null
    ? (move.q < 0 ? '−' : '+') + Math.abs(move.q).toFixed(2)
    : proof[move.proven] + turns(move));
  const row = (move) => {
    const bar = h('span', { class: 'share-bar' });
    bar.style.width = `${Math.max(2, move.share * 100)}%`;
    return h('tr', {},
      h('td', {}, h('button', { type: 'button', class: 'move', disabled: !play, onclick: () => play(move.decision),
        'aria-label': `Play ${move.decision}` }, move.decision)),
      exact ? null : h('td', { class: 'number' }, String(move.visits)), h('td', { class: 'number' }, worth(move)),
      exact ? null : h('td', { class: 'share' }, bar, h('span', { class: 'share-text' }, percent(move.share))));
  };
  const head = (exact ? ['Move', 'Perfect play'] : ['Move', 'Visits', 'Q', 'Share']).map((name) => h('th', { scope: 'col' }, name));
  const end = proven ? (proven.winner === null ? 'Proven: a draw. ' : `Proven: ${game.sides[proven.winner]} wins. `) : '';
  const line = variation.length > 0 ? `Expected: ${variation.slice(0, 8).join(' ')}` : '';
  const left = exact ? moves.length - MOST_EXACT_MOVES : 0;
  const rest = left > 0 ? `And ${left} more. ` : '';
  return h('div', {},
    h('table', { class: 'best' }, h('thead', {}, h('tr', {}, head)),
      h('tbody', {}, moves.slice(0, exact ? MOST_EXACT_MOVES : MOST_MOVES).map(row))),
    h('p', { class: 'muted small' }, `${rest}${end}${simulations > 0 ? `${simulations} simulations. ` : ''}${line}`));
}

// The value for the first player after each number of decisions, from lost (bottom) to won (top).
function valueCurve({ values, ply }, game, look) {
  const known = values.flatMap((value, index) => (value ? [{ index, y: value.first - value.second }] : []));
  if (known.length < 2) return [];
  const { width, height } = CURVE;
  const last = Math.max(values.length - 1, 1);
  const x = (index) => 8 + (index / last) * (width - 16);
  const y = (value) => height / 2 - value * (height / 2 - 8);
  const path = known.map(({ index, y: value }, i) => `${i ? 'L' : 'M'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`).join(' ');
  const area = `${path} L${x(known.at(-1).index)} ${height / 2} L${x(known[0].index)} ${height / 2} Z`;
  const svg = s('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `Value for ${game.sides[0]} over the game, now after ${ply} decisions`,
    onclick: (event) => {
      const box = svg.getBoundingClientRect();
      const index = Math.round(((event.clientX - box.left) / box.width * width - 8) / (width - 16) * last);
      look(Math.min(last, Math.max(0, index)));
    } },
    s('line', { class: 'zero', x1: 8, x2: width - 8, y1: height / 2, y2: height / 2 }),
    s('path', { class: 'area', d: area }), s('path', { class: 'line', d: path }),
    s('line', { class: 'now', x1: x(ply), x2: x(ply), y1: 4, y2: height - 4 }),
    known.map(({ index, y: value }) => s('circle', { class: 'known', cx: x(index), cy: y(value), r: 2.2 })));
  const captions = h('div', { class: 'curve-captions' }, h('span', {}, `▲ ${game.sides[0]}`),
    h('span', {}, `${game.sides[1]} ▼`));
  return [svg, captions];
}
