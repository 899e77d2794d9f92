// What moves have cost: how much of a point whoever made one has lost by it.

// The least share of a point for each mark, the gravest first. Lichess has the like of chess.
const MARKS = [
  { least: 0.3, sign: '??', name: 'blunder' },
  { least: 0.2, sign: '?', name: 'mistake' },
  { least: 0.1, sign: '?!', name: 'inaccuracy' },
];

// Points that `side` may expect, 0 to 1.
export const points = ({ first, draw, second }, side) => (side === 0 ? first : second) + draw / 2;

// What the move that leads to `node` has cost its side; null while one of the values is not known.
export function lossOf(node) {
  if (!node.parent?.value || !node.value) return null;
  return points(node.parent.value, node.side) - points(node.value, node.side);
}

// The mark of a move, or null.
export function markOf(node) {
  const loss = lossOf(node);
  return loss === null ? null : MARKS.find(({ least }) => loss >= least) ?? null;
}

// How many of each mark each side has.
export function accuracy(nodes) {
  return [0, 1].map((side) => {
    const marks = nodes.filter((node) => node.side === side).map(markOf).filter((mark) => mark !== null);
    return MARKS.map(({ name }) => ({ name, count: marks.filter((mark) => mark.name === name).length }));
  });
}
