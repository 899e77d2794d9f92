// Where the places of a board lie in the picture; a place of level 0 is 100 units wide.

export const UNIT = 100;

// What is left around the places, without and with labels beside them.
const BARE = 24;
const LABELLED = { intersections: 70, others: 46 };
const RADIUS = { squares: 30, columns: 40, stones: 36, intersections: 45, quadrants: 37, pyramid: 49, cards: 42 };
// Between the halves of a board in quadrants.
const GAP = 16;

export function geometry(board) {
  const labelled = LABELLED[board.kind] ?? LABELLED.others;
  const isBelow = board.kind === 'intersections';
  const left = board.row_labels.length > 0 ? labelled : BARE;
  const top = board.column_labels.length > 0 && !isBelow ? labelled : BARE;
  const bottom = isBelow ? labelled : BARE;
  const gap = board.kind === 'quadrants' ? GAP : 0;
  const along = (start, index, count) => start + (index + 0.5) * UNIT + (gap && index >= count / 2 ? gap : 0);
  const centres = board.places.map(({ row, column, level }) => ({
    x: along(left, column + level / 2, board.columns),
    y: along(top, row + level / 2, board.rows),
    level,
  }));
  const half = { x: board.columns / 2, y: board.rows / 2 };
  const inner = { width: board.columns * UNIT + gap, height: board.rows * UNIT + gap };
  return {
    width: left + inner.width + BARE,
    height: top + inner.height + bottom,
    // The rectangle around all places.
    inner: { x: left, y: top, ...inner },
    rowLabelX: left / 2 - 2,
    columnLabelY: isBelow ? top + inner.height + bottom / 2 + 4 : top / 2 - 2,
    centres,
    // Spheres higher up are nearer to the eye.
    radius: (place) => RADIUS[board.kind] * (1 + 0.04 * board.places[place].level),
    columnX: (column) => along(left, column, board.columns),
    rowY: (row) => along(top, row, board.rows),
    // The square of a quadrant and the places in it.
    quadrant(index) {
      const [down, right] = [index >> 1, index & 1];
      const isInside = ({ row, column }) => (row >= half.y) === (down === 1) && (column >= half.x) === (right === 1);
      return {
        x: left + right * (half.x * UNIT + gap),
        y: top + down * (half.y * UNIT + gap),
        size: half.x * UNIT,
        places: board.places.flatMap((place, number) => (isInside(place) ? [number] : [])),
      };
    },
  };
}

// The place to go to from another one in a direction, among those that may be visited; nearest first, straight before
// sideways.
export function neighbour(centres, from, [dx, dy], candidates) {
  let best = null;
  for (const place of candidates) {
    if (place === from) continue;
    const [x, y] = [centres[place].x - centres[from].x, centres[place].y - centres[from].y];
    const ahead = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (ahead <= 0 || aside > ahead) continue;
    const cost = ahead + 2 * aside;
    if (!best || cost < best.cost) best = { place, cost };
  }
  return best ? best.place : from;
}
