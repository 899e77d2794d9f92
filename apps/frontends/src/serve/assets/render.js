// Draws what a session shows, all of it anew: the board, the strips of the sides, the list, the panels, the buttons.

import { isExact } from './analysis.js';
import { showChoices } from './choices.js';
import { byId, h, offer } from './dom.js';
import { howToEnter, nextStep } from './hints.js';
import { linkTo } from './link.js';
import { showMoves } from './moves.js';
import { showSide } from './sides.js';
import { showValueBar } from './value-bar.js';

export class Renderer {
  constructor(session, board, panel, view) {
    Object.assign(this, { session, board, panel, view });
  }

  draw() {
    const { session, board, panel, view } = this;
    const { game, shown, node, composer, tree } = session;
    history.replaceState(null, '', linkTo(game.id, node.path.map(({ move }) => move)));
    const analysis = view.isOn() && node.analysis?.key === JSON.stringify(panel.analyst) && !session.lesson ? node.analysis : null;
    const preview = game.board.kind === 'quadrants' ? shown.side_to_move : null;
    const { next, picks } = composer;
    board.draw({ view: shown.view, last: shown.last, next, picks, heat: heatOf(analysis, composer),
      values: valuesOf(analysis, composer), preview });
    const strip = { game, form: shown, isThinking: session.busy && session.isLive, names: names(session), clock: session.clock, next,
      picks, click: (click) => session.pointAt(click) };
    const below = this.below();
    showSide(byId('side-bottom'), below, strip);
    showSide(byId('side-top'), 1 - below, strip);
    byId('value-bar').hidden = !view.isOn();
    showValueBar(byId('value-bar'), node.value, below, game);
    showMoves(byId('moves'), session);
    panel.show(view.isOn());
    byId('status').textContent = status(session);
    const hint = node === tree.root && (session.mayDecide || session.mayExplore) && picks.length === 0;
    byId('hint').hidden = !hint;
    byId('hint').textContent = hint ? howToEnter(game, shown.legal) : '';
    showChoices(byId('choices'), composer.candidates, next, (click) => session.pointAt(click));
    this.buttons();
    this.lesson();
  }

  // The side whose strip is below: a person's; the first player's where both or none are persons; the other where the board is
  // turned.
  below() {
    const { session, view } = this;
    const usual = session.isAgent(0) && !session.isAgent(1) ? 1 : 0;
    return view.isFlipped() ? 1 - usual : usual;
  }

  buttons() {
    const { session } = this;
    const { composer, isLive, node } = session;
    const mayChange = isLive && !session.busy && !session.lesson;
    offer(byId('stop'), { shown: composer.next.has('stop') });
    offer(byId('cancel'), { shown: composer.picks.length > 0 });
    offer(byId('back'), { shown: !isLive && !session.lesson });
    offer(byId('from-here'), { shown: !isLive && !session.lesson && session.shown.legal.length > 0 });
    offer(byId('watch'), { shown: session.isWatch && isLive && !session.isOver, label: session.watching ? 'Pause' : 'Play' });
    offer(byId('undo'), { shown: isLive, enabled: mayChange && session.undoTarget !== null });
    offer(byId('resign'), { shown: !session.isWatch && isLive && !session.isOver, enabled: session.mayDecide });
    offer(byId('rematch'), { shown: session.isOver && !session.lesson });
    for (const [id, isThere] of [['first', node.parent], ['previous', node.parent], ['following', node.children.length > 0],
      ['newest', !isLive]]) offer(byId(id), { enabled: Boolean(isThere) });
  }

  lesson() {
    const { lesson } = this.session;
    byId('lesson').hidden = !lesson?.mistake;
    if (!lesson?.mistake) return byId('lesson').replaceChildren();
    const button = (text, onclick, kind = '') => h('button', { type: 'button', class: kind, onclick }, text);
    const isLast = lesson.index + 1 === lesson.mistakes.length;
    const isSolved = ['right', 'shown'].includes(lesson.phase);
    byId('lesson').replaceChildren(
      h('div', { class: 'card-head' }, h('h2', {}, `Mistake ${lesson.index + 1} of ${lesson.mistakes.length}`),
        button('Leave', () => lesson.leave(), 'quiet')),
      h('p', { role: 'status', class: lesson.phase }, lesson.text),
      h('div', { class: 'lesson-buttons' },
        isSolved ? '' : button('Show the answer', () => lesson.show()),
        button(isLast ? 'Done' : 'Next', () => lesson.next(), isSolved ? 'primary' : '')));
  }
}

// Who sits on each side, in words.
export function names({ table, game }) {
  return table.seats.map((seat) => {
    if (seat === null) return 'you';
    const { title } = game.agents.find(({ name }) => name === seat.agent) ?? { title: seat.agent };
    const [unit, number] = Object.entries(seat.strength ?? {})[0] ?? [];
    return unit ? `${title}, ${number} ${unit === 'seconds' ? 's' : unit}` : title;
  });
}

// The place that a move is shown on, if it fits what is picked and has one.
function placeOf({ clicks }, { picks }) {
  const isFitting = picks.every((pick) => clicks.includes(pick));
  const last = clicks.filter((click) => click[0] === 'p').at(-1);
  return isFitting && last && !picks.includes(last) ? Number(last.slice(1)) : null;
}

// Shares of a tree search by place; none of perfect play and alpha-beta, which have values.
function heatOf(analysis, composer) {
  const heat = new Map();
  for (const move of analysis && analysis.simulations > 0 ? analysis.moves : []) {
    const place = placeOf(move, composer);
    if (place !== null) heat.set(place, (heat.get(place) ?? 0) + move.share);
  }
  return heat;
}

// What perfect play or alpha-beta says of the best move to each place.
function valuesOf(analysis, composer) {
  const values = new Map();
  // The best moves come first.
  for (const move of analysis && (isExact(analysis) || analysis.nodes !== null) ? analysis.moves : []) {
    const place = placeOf(move, composer);
    if (place !== null && !values.has(place)) values.set(place, move);
  }
  return values;
}

function status(session) {
  const { game, shown, composer, table } = session;
  if (session.error) return session.error;
  const step = composer.picks.length > 0 ? nextStep(composer) : '';
  const last = shown.last ? `${game.sides[shown.last.side]} played ${shown.last.move}. ` : '';
  if (!session.isLive) {
    if (session.lesson) return step;
    if (shown.variation.length > 0) return `${step || last}Variation: ${shown.variation.length} after move ${shown.ply}.`;
    return `${step}Looking back: after ${shown.ply} of ${table.moves.length} moves. Try other moves on the board.`;
  }
  if (table.outcome) {
    const { winner, by } = table.outcome;
    const how = { rules: '', resignation: ' by resignation', time: ' on time' }[by];
    return `${last}${winner === null ? 'The game is a draw.' : `${game.sides[winner]} wins${how}.`}`;
  }
  const mover = game.sides[table.side_to_move];
  if (session.busy) return `${last}${mover} is thinking …`;
  return step || `${last}${mover} ${table.view.task}.`;
}
