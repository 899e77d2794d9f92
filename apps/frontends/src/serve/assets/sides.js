// A strip for each side: who plays it, what is counted, its clock, and its hand of cards.

import { h } from './dom.js';

export function showSide(container, side, { game, form, isThinking, names, clock, next, picks, click }) {
  const { view, outcome } = form;
  const isToMove = !outcome && form.side_to_move === side;
  container.className = `side${isToMove ? ' to-move' : ''}`;
  const won = outcome && outcome.winner === side;
  const tallies = view.tallies.map(({ label, counts }) => h('span', { class: 'tally' },
    h('strong', {}, String(counts[side])), ` ${label}`));
  const face = clock.told
    ? h('span', { class: `clock${clock.told.running === side ? ' running' : ''}`, role: 'timer', 'data-side': side,
      'aria-label': `Time of ${game.sides[side]}` }, clock.text(side))
    : '';
  container.replaceChildren(
    h('span', { class: `dot side-${side}`, 'aria-hidden': 'true' }),
    h('span', { class: 'side-name' }, game.sides[side]),
    h('span', { class: 'muted' }, names[side]),
    won ? h('span', { class: 'badge' }, 'won') : '',
    isToMove && isThinking ? h('span', { class: 'thinking' }, h('i', {}), h('i', {}), h('i', {})) : '',
    h('span', { class: 'tallies' }, tallies, face),
    ...(view.hands ? [hand(view.hands[side], side, isToMove, { next, picks, click, game })] : []));
}

// Every card is shown; those that may be put on the board are buttons. Of equal cards one click means any.
function hand(cards, side, isToMove, { next, picks, click, game }) {
  const picked = new Set();
  const card = (value) => {
    const name = `c${value}`;
    const isPicked = isToMove && picks.includes(name) && !picked.has(name);
    if (isPicked) picked.add(name);
    const isOpen = isToMove && (next.has(name) || picks.includes(name));
    return h('button', { type: 'button', class: `playing-card side-${side}${isPicked ? ' picked' : ''}`,
      disabled: !isOpen, 'data-click': isOpen ? name : null, 'aria-pressed': String(isPicked),
      'aria-label': `Card ${value} of ${game.sides[side]}`, onclick: () => click(name) }, String(value));
  };
  return h('span', { class: 'hand' }, cards.map(card), cards.length === 0 ? h('span', { class: 'muted' }, 'no cards left') : null);
}
