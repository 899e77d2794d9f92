// Where the places of a board lie in the picture; a place of level 0 is 100 units wide.

export const UNIT = 100;

// What is left around the places, without and with labels beside them.
const BARE = 24;
const LABELLED = { intersections: 70, others: 46 };
const RADIUS = { squares: 30, columns: 40, stones: 36, intersections: 45, quadrants: 37, pyramid: 49, cards: 42 };
// Between the halves of a board in quadrants.
const GAP = 16;

// Where the places of `board` lie; seen from the other side, but for pieces that fall, if it is flipped.
export function geometry(board, isFlipped = false) {
  const labelled = LABELLED[board.kind] ?? LABELLED.others;
  const isBelow = board.kind === 'intersections';
  const left = board.row_labels.length > 0 ? labelled : BARE;
  const top = board.column_labels.length > 0 && !isBelow ? labelled : BARE;
  const bottom = isBelow ? labelled : BARE;
  const gap = board.kind === 'quadrants' ? GAP : 0;
  const half = { x: board.columns / 2, y: board.rows / 2 };
  const inner = { x: left, y: top, width: board.columns * UNIT + gap, height: board.rows * UNIT + gap };
  const turns = isFlipped && board.kind !== 'columns';
  const along = (start, index, count, size) => {
    const straight = start + (index + 0.5) * UNIT + (gap && index >= count / 2 ? gap : 0);
    return turns ? 2 * start + size - straight : straight;
  };
  const columnX = (column) => along(left, column, board.columns, inner.width);
  const rowY = (row) => along(top, row, board.rows, inner.height);
  const centres = board.places.map(({ row, column, level }) => ({
    x: columnX(column + level / 2), y: rowY(row + level / 2), level,
  }));
  return {
    width: left + inner.width + BARE,
    height: top + inner.height + bottom,
    // The rectangle around all places.
    inner,
    rowLabelX: left / 2 - 2,
    columnLabelY: isBelow ? top + inner.height + bottom / 2 + 4 : top / 2 - 2,
    centres,
    // Spheres higher up are nearer to the eye.
    radius: (place) => RADIUS[board.kind] * (1 + 0.04 * board.places[place].level),
    columnX,
    rowY,
    // The square of a quadrant and the places in it.
    quadrant(index) {
      const [down, right] = [index >> 1, index & 1];
      const isInside = ({ row, column }) => (row >= half.y) === (down === 1) && (column >= half.x) === (right === 1);
      return {
        x: Math.min(columnX(right * half.x), columnX(right * half.x + half.x - 1)) - UNIT / 2,
        y: Math.min(rowY(down * half.y), rowY(down * half.y + half.y - 1)) - UNIT / 2,
        size: half.x * UNIT,
        places: board.places.flatMap((place, number) => (isInside(place) ? [number] : [])),
      };
    },
  };
}

// The place to go to from another one in a direction, among those that may be visited: the nearest, where half a step forth and
// half a step aside, to a place on another level, is a little nearer than a whole one forth.
export function neighbour(centres, from, [dx, dy], candidates) {
  let best = null;
  for (const place of candidates) {
    if (place === from) continue;
    const [x, y] = [centres[place].x - centres[from].x, centres[place].y - centres[from].y];
    const ahead = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (ahead <= 0 || aside > ahead) continue;
    // Of two as near, one on either side, the one on the right hand of whoever goes there.
    const isRight = x * -dy + y * dx > 0;
    const cost = ahead + 0.9 * aside - (isRight ? 0.01 : 0);
    if (!best || cost < best.cost) best = { place, cost };
  }
  return best ? best.place : from;
}

// Those of `places` that nothing else of them lies upon: a place may be right above another one, two levels higher.
export function uncovered(centres, places) {
  const isAbove = (upper, lower) => centres[upper].x === centres[lower].x && centres[upper].y === centres[lower].y
    && centres[upper].level > centres[lower].level;
  return places.filter((place) => !places.some((other) => isAbove(other, place)));
}
