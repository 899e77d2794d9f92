// The analysis panel: who analyses, results to expect, best moves and their lines, the value over the game, its mistakes.

import { valueCurve } from './curve.js';
import { h, percent, percentages } from './dom.js';
import { accuracy } from './judge.js';
import { mistakesOf } from './lesson.js';
import { strengthOf, strengthSelect } from './setup.js';

const MOST_MOVES = 6;
const MOST_EXACT_MOVES = 10;
const MOST_LINES = 3;
const SHOWN_OF_LINE = 10;
const PROOFS = { 1: 'won', 0: 'drawn', '-1': 'lost' };

// Whether this is perfect play's: nothing was searched, and the worth of every move is known.
export const isExact = ({ simulations, nodes, moves }) => simulations === 0 && nodes === null && moves.length > 0
  && moves.every(({ proven, turns }) => proven === 0 || (proven !== null && turns !== null));

export class AnalysisPanel {
  constructor(container, session, { changed, learn }) {
    Object.assign(this, { container, session, changed, learn });
  }

  setGame(game, limits) {
    const analysts = game.agents.filter(({ analyses }) => analyses);
    this.game = game;
    this.who = h('select', { 'aria-label': 'Agent that analyses', onchange: () => this.showStrength(limits) },
      analysts.map(({ name, title }) => h('option', { value: name, selected: name === game.analyst }, title)));
    this.slot = h('span', { class: 'strength' });
    this.body = h('div', { class: 'analysis-body' });
    this.curve = h('div', { class: 'curve' });
    this.whole = h('button', { type: 'button', class: 'quiet', onclick: () => this.session.analyseGame() }, 'Analyse whole game');
    this.lesson = h('button', { type: 'button', class: 'quiet', onclick: () => this.learn() }, 'Learn from your mistakes');
    this.controls = h('div', { class: 'analysis-controls' }, this.who, this.slot);
    this.container.replaceChildren(this.controls, this.body, this.curve,
      h('div', { class: 'analysis-buttons' }, this.whole, this.lesson));
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

  show(isOn) {
    const { session, game } = this;
    const { node, tree } = session;
    const analysis = isOn && node.analysis?.key === JSON.stringify(this.analyst) ? node.analysis : null;
    this.controls.hidden = !isOn;
    this.whole.hidden = !isOn || tree.tip === tree.root;
    const mistakes = mistakesOf(session).length;
    this.lesson.hidden = !isOn || mistakes === 0 || session.lesson !== null || (session.table.outcome === null && !session.isWatch);
    this.lesson.textContent = `Learn from your mistakes (${mistakes})`;
    const parts = node.value ? [resultsBar(node.value, game)] : [];
    const play = session.mayDecide || session.mayExplore;
    // Who is to find a better move is not told it.
    const isAsked = session.lesson && ['asked', 'wrong', 'judging'].includes(session.lesson.phase);
    if (analysis && !isAsked) {
      parts.push(movesTable(analysis, game, play ? (move) => session.choose(move) : null));
      parts.push(lines(analysis, play ? (moves) => session.explore(moves) : null));
    }
    if (session.note) parts.push(h('p', { class: 'muted' }, session.note));
    if (parts.length === 0) {
      parts.push(h('p', { class: 'muted' }, 'Turn analysis on to see values, best moves and where the search looks.'));
    }
    this.body.replaceChildren(...parts.filter((part) => part !== null));
    this.curve.replaceChildren(...valueCurve(tree.main, tree.place(node).ply, game, (other) => session.go(other)),
      ...costs(tree.main.slice(1), game));
  }
}

function resultsBar({ first, draw, second }, game) {
  const shares = [first, draw, second];
  const whole = percentages(shares);
  const parts = ['first', 'draw', 'second'].map((name, index) => {
    const element = h('span', { class: name, 'data-share': shares[index].toFixed(4) });
    element.style.flexGrow = element.dataset.share;
    return element;
  });
  const texts = [`${game.sides[0]} ${whole[0]} %`, `draw ${whole[1]} %`, `${game.sides[1]} ${whole[2]} %`];
  return h('div', {},
    h('div', { class: 'results', role: 'img', 'aria-label': texts.join(', ') }, parts),
    h('div', { class: 'results-text', 'aria-hidden': 'true' }, texts.map((text) => h('span', {}, text))));
}

// What a move is worth: proven, by the search's mean, or by a score.
function worth({ proven, turns, distance, q, score }) {
  if (proven !== null) {
    const far = turns !== null ? ` in ${turns}` : distance !== null ? ` in ${distance}` : '';
    return PROOFS[proven] + far;
  }
  if (q === null) return (score < 0 ? '−' : '+') + Math.abs(score);
  return (q < 0 ? '−' : '+') + Math.abs(q).toFixed(2);
}

function movesTable(analysis, game, play) {
  const { moves, simulations, nodes, depth, proven } = analysis;
  const isSearched = simulations > 0;
  const row = (move) => {
    const bar = h('span', { class: 'share-bar' });
    bar.style.width = `${Math.max(2, move.share * 100)}%`;
    return h('tr', {},
      h('td', {}, h('button', { type: 'button', class: 'move', disabled: !play, onclick: () => play(move.move),
        'aria-label': `Play ${move.move}` }, move.move)),
      isSearched ? h('td', { class: 'number' }, String(move.visits)) : null, h('td', { class: 'number' }, worth(move)),
      isSearched ? h('td', { class: 'share' }, bar, h('span', { class: 'share-text' }, percent(move.share))) : null);
  };
  const value = isExact(analysis) ? 'Perfect play' : nodes === null ? 'Q' : 'Score';
  const head = (isSearched ? ['Move', 'Visits', value, 'Share'] : ['Move', value]).map((name) => h('th', { scope: 'col' }, name));
  const end = proven ? (proven.winner === null ? 'Proven: a draw. ' : `Proven: ${game.sides[proven.winner]} wins. `) : '';
  const most = isExact(analysis) ? MOST_EXACT_MOVES : MOST_MOVES;
  const rest = isExact(analysis) && moves.length > most ? `And ${moves.length - most} more. ` : '';
  const effort = isSearched ? `${simulations} simulations.` : nodes === null ? ''
    : `depth ${depth}, ${nodes.toLocaleString('en')} positions.`;
  return h('div', {},
    h('table', { class: 'best' }, h('thead', {}, h('tr', {}, head)), h('tbody', {}, moves.slice(0, most).map(row))),
    h('p', { class: 'muted small' }, `${rest}${end}${effort}`));
}

// What is expected after the best moves; a click on a move tries all up to it.
function lines({ moves }, explore) {
  const known = moves.filter(({ line }) => line.length > 1).slice(0, MOST_LINES);
  if (known.length === 0) return null;
  const item = ({ line, ...move }) => h('li', {}, h('span', { class: 'worth' }, worth(move)),
    line.slice(0, SHOWN_OF_LINE).map((name, index) => h('button', { type: 'button', class: 'move', disabled: !explore,
      'aria-label': `Try ${line.slice(0, index + 1).join(' ')}`, onclick: () => explore(line.slice(0, index + 1)) }, name)),
    line.length > SHOWN_OF_LINE ? '…' : null);
  return h('ol', { class: 'lines', 'aria-label': 'Expected lines' }, known.map(item));
}

// How many inaccuracies, mistakes and blunders each side has made.
function costs(nodes, game) {
  const sides = accuracy(nodes);
  if (sides.every((marks) => marks.every(({ count }) => count === 0))) return [];
  const text = (marks) => marks.filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} ${count === 1 ? name : name.replace(/y$/, 'ie') + 's'}`).join(', ');
  return sides.map((marks, side) => h('p', { class: 'muted small' }, `${game.sides[side]}: ${text(marks) || 'nothing to regret'}`));
}
