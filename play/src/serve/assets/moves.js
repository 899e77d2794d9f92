// The list of decisions, turn by turn; a click looks back.

import { h } from './dom.js';

// Decisions grouped into turns: runs of the same side.
function turns({ decisions, deciders }) {
  const groups = [];
  decisions.forEach((decision, index) => {
    const last = groups.at(-1);
    if (last && last.side === deciders[index]) last.items.push({ decision, ply: index + 1 });
    else groups.push({ side: deciders[index], items: [{ decision, ply: index + 1 }] });
  });
  return groups;
}

export function showMoves(container, table, game, look) {
  if (table.decisions.length === 0) {
    container.replaceChildren(h('p', { class: 'muted' }, 'No decisions yet.'));
    return;
  }
  const rows = [];
  for (const turn of turns(table)) {
    if (turn.side === 0 || rows.length === 0) rows.push([null, null]);
    rows.at(-1)[turn.side] = turn;
  }
  const button = ({ decision, ply }, side) => h('button', {
    type: 'button', class: 'move', 'aria-current': ply === table.ply ? 'step' : null,
    'aria-label': `${game.sides[side]}: ${decision}`, onclick: () => look(ply),
  }, decision);
  const cell = (turn) => h('div', { class: 'turn' },
    turn ? turn.items.map((item) => button(item, turn.side)) : null);
  const start = h('button', { type: 'button', class: 'move start', onclick: () => look(0),
    'aria-current': table.ply === 0 ? 'step' : null }, 'Start');
  const list = h('ol', {}, rows.map(([first, second]) => h('li', {}, cell(first), cell(second))));
  container.replaceChildren(start, list);
  const current = container.querySelector('[aria-current]');
  if (current) container.scrollTop = Math.max(0, current.offsetTop - container.clientHeight / 2);
}
