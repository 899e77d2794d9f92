// The list of moves, turn by turn, with what they cost and what was tried beside them; a click goes there.

import { h } from './dom.js';
import { lossOf, markOf } from './judge.js';

// Nodes grouped into turns: runs of the same side.
function turns(nodes) {
  const groups = [];
  for (const node of nodes) {
    const last = groups.at(-1);
    if (last && last.side === node.side) last.nodes.push(node);
    else groups.push({ side: node.side, nodes: [node] });
  }
  return groups;
}

export function showMoves(container, session) {
  const { tree, game, node: current } = session;
  const button = (node) => {
    const mark = markOf(node);
    const cost = mark ? `, a ${mark.name}: lost ${Math.round(lossOf(node) * 100)} % of a point` : '';
    return h('button', {
      type: 'button', class: `move${mark ? ` ${mark.name}` : ''}`, 'aria-current': node === current ? 'step' : null,
      'aria-label': `${game.sides[node.side]}: ${node.move}${cost}`, title: cost ? cost.slice(2) : null,
      onclick: () => session.go(node),
    }, node.move, mark ? h('span', { class: 'sign', 'aria-hidden': 'true' }, mark.sign) : null);
  };
  // What was tried after `node`, beside the game: the first way on in line, others within it.
  const line = (node) => {
    const [next, ...others] = node.children;
    return [button(node), ...others.map((other) => variation(other)), ...(next ? line(next) : [])];
  };
  const variation = (node) => h('div', { class: 'variation' }, line(node),
    h('button', { type: 'button', class: 'quiet forget', 'aria-label': `Delete the variation from ${node.move}`,
      onclick: () => session.forget(node) }, '✕'));
  const beside = (node) => node.children.filter(({ isMain }) => !isMain).map(variation);
  const cell = (turn) => h('div', { class: 'turn' }, turn ? turn.nodes.map(button) : null);
  const rows = [];
  for (const turn of turns(tree.tip.path)) {
    if (turn.side === 0 || rows.length === 0) rows.push([null, null]);
    rows.at(-1)[turn.side] = turn;
  }
  const start = h('button', { type: 'button', class: 'move start', 'aria-label': 'Start position', onclick: () => session.go(tree.root),
    'aria-current': current === tree.root ? 'step' : null }, 'Start');
  const item = (row) => h('li', {}, row.map(cell), row.flatMap((turn) => (turn ? turn.nodes.flatMap(beside) : [])));
  container.replaceChildren(start, ...beside(tree.root), h('ol', {}, rows.map(item)));
  const shown = container.querySelector('[aria-current]');
  if (shown) container.scrollTop = Math.max(0, shown.offsetTop - container.clientHeight / 2);
}
