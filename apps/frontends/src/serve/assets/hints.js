// How a move is entered, in words, from the clicks that compose it. Knows no rules.

// The kinds of clicks of a move, as in `pqq`.
const kindsOf = ({ clicks }) => clicks.map((click) => (click === 'stop' ? '.' : click[0])).join('');

const PLACE = {
  columns: 'a column', intersections: 'a crossing', pyramid: 'a place', quadrants: 'an empty place', squares: 'a square',
  stones: 'a square', cards: 'a cell',
};

// What fingers do and mice do not.
const [TOUCH, AT] = globalThis.matchMedia?.('(pointer: coarse)').matches ? ['tap', ''] : ['point at', 'at '];

// What to do with nothing picked yet.
export function howToEnter(game, legal) {
  const kinds = new Set(legal.map(kindsOf));
  const place = PLACE[game.board.kind] ?? 'a place';
  const ways = [];
  if (kinds.has('p')) ways.push(`${TOUCH} ${place}`);
  if (kinds.has('pp')) ways.push(`${TOUCH} a piece and then ${AT}where it goes`);
  if (kinds.has('pqq')) ways.push(`${TOUCH} ${place} and then ${AT}the two quadrants that change places`);
  if (kinds.has('cp') || kinds.has('pc')) ways.push(`${TOUCH} a card in your hand and ${AT}${place}, in either order`);
  if (kinds.has('l')) ways.push('choose a move in the list');
  if (kinds.has('.')) ways.push('stop here');
  const text = ways.join(', or ');
  return text ? `${text[0].toUpperCase()}${text.slice(1)}.` : '';
}

// What is still missing of the move that is being composed.
export function nextStep({ picks, next }) {
  const kinds = new Set([...next].map((click) => (click === 'stop' ? '.' : click[0])));
  const quadrants = picks.filter((pick) => pick[0] === 'q').length;
  if (kinds.has('q')) return quadrants === 0 ? 'Choose two quadrants to swap.' : 'Choose another quadrant to swap.';
  if (kinds.has('c')) return 'Now the card.';
  if (kinds.has('p')) return picks.some((pick) => pick[0] === 'c') ? 'Now the place.' : 'Now where it goes.';
  return '';
}
