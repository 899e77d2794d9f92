// The value over the whole game, with what moves have cost.

import { h, s } from './dom.js';
import { lossOf, markOf } from './judge.js';

const CURVE = { width: 320, height: 96 };

// The value for the first player after each move of the game, from lost (bottom) to won (top); a click looks there.
export function valueCurve(nodes, ply, game, look) {
  const known = nodes.flatMap((node, index) => (node.value ? [{ node, index, y: node.value.first - node.value.second }] : []));
  if (known.length < 2) return [];
  const { width, height } = CURVE;
  const last = Math.max(nodes.length - 1, 1);
  const x = (index) => 8 + (index / last) * (width - 16);
  const y = (value) => height / 2 - value * (height / 2 - 8);
  const path = known.map(({ index, y: value }, i) => `${i ? 'L' : 'M'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`).join(' ');
  const area = `${path} L${x(known.at(-1).index)} ${height / 2} L${x(known[0].index)} ${height / 2} Z`;
  const point = ({ node, index, y: value }) => {
    const mark = markOf(node);
    const shape = s('circle', { class: mark ? `known ${mark.name}` : 'known', cx: x(index), cy: y(value), r: mark ? 4 : 2.2 });
    if (mark) shape.append(s('title', {}, `${node.move}: lost ${Math.round(lossOf(node) * 100)} % of a point`));
    return shape;
  };
  const svg = s('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img',
    'aria-label': `Value for ${game.sides[0]} over the game, now after ${ply} moves`,
    onclick: (event) => {
      const box = svg.getBoundingClientRect();
      const index = Math.round(((event.clientX - box.left) / box.width * width - 8) / (width - 16) * last);
      look(nodes[Math.min(last, Math.max(0, index))]);
    } },
    s('line', { class: 'zero', x1: 8, x2: width - 8, y1: height / 2, y2: height / 2 }),
    s('path', { class: 'area', d: area }), s('path', { class: 'line', d: path }),
    s('line', { class: 'now', x1: x(ply), x2: x(ply), y1: 4, y2: height - 4 }), known.map(point));
  const captions = h('div', { class: 'curve-captions' }, h('span', {}, `▲ ${game.sides[0]}`),
    h('span', {}, `${game.sides[1]} ▼`));
  return [svg, captions];
}
