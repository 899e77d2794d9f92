// How the board gets from one position to the next: pieces come, go and fall, quadrants change places.

const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
const EASE = 'cubic-bezier(.3,.7,.3,1)';

const finished = (animations) => Promise.all(animations.map((animation) => animation.finished.catch(() => null)));

// The stone of a move that also swaps quadrants appears first, then the quadrants move. To be awaited before the
// next position is drawn.
export async function swapQuadrants(board, move, side) {
  const quadrants = move.clicks.filter((click) => click[0] === 'q').map((click) => Number(click.slice(1)));
  if (quadrants.length !== 2 || isStill()) return;
  const place = Number(move.clicks[0].slice(1));
  const groups = quadrants.map((index) => board.svg.querySelector(`.quadrant[data-quadrant="${index}"]`));
  const squares = quadrants.map((index) => board.geometry.quadrant(index));
  board.svg.querySelectorAll('.heat, .marks, .targets').forEach((layer) => layer.remove());
  const holder = [0, 1, 2, 3].find((index) => board.geometry.quadrant(index).places.includes(place));
  const stone = board.piece({ side }, place);
  board.svg.querySelector(`.quadrant[data-quadrant="${holder}"]`).append(stone);
  await finished([appear(stone.firstChild, 180)]);
  const [dx, dy] = [squares[1].x - squares[0].x, squares[1].y - squares[0].y];
  const slide = (group, sign) => {
    group.parentNode.append(group);
    const lift = sign > 0 ? 1.03 : 0.97;
    group.style.transformBox = 'fill-box';
    group.style.transformOrigin = 'center';
    return group.animate([
      { transform: 'translate(0px, 0px) scale(1)' },
      { transform: `translate(${sign * dx / 2}px, ${sign * dy / 2}px) scale(${lift})` },
      { transform: `translate(${sign * dx}px, ${sign * dy}px) scale(1)` },
    ], { duration: 620, easing: 'ease-in-out', fill: 'forwards' });
  };
  await finished([slide(groups[1], -1), slide(groups[0], 1)]);
}

// Animates what differs between the position before (`pieces`) and the one that has just been drawn.
export function settle(board, pieces, last) {
  if (isStill() || !last) return;
  if (last.clicks.some((click) => click[0] === 'q')) return;
  const now = board.view.pieces;
  const places = last.clicks.filter((click) => click[0] === 'p').map((click) => Number(click.slice(1)));
  const { centres } = board.geometry;
  const drawn = (place) => board.svg.querySelector(`.pieces .piece[data-place="${place}"] .moving`);
  const to = places.at(-1);
  const from = places.length === 2 ? places[0] : null;
  const came = to !== undefined && now[to] && !pieces[to] ? drawn(to) : null;
  if (came && from !== null) slide(came, centres[from].x - centres[to].x, centres[from].y - centres[to].y);
  else if (came && board.game.board.kind === 'columns') slide(came, 0, -centres[to].y);
  else if (came) appear(came, 200);
  pieces.forEach((piece, place) => {
    if (piece && !piece.dead && !(now[place] && !now[place].dead) && place !== from) vanish(board, piece, place);
  });
}

function appear(element, duration) {
  return element.animate([{ transform: 'scale(.5)', opacity: 0 }, { transform: 'scale(1)', opacity: 1 }],
    { duration, easing: EASE });
}

function slide(element, x, y) {
  const duration = 180 + Math.hypot(x, y) * 0.5;
  element.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: 'translate(0px, 0px)' }],
    { duration, easing: y < -100 && x === 0 ? 'cubic-bezier(.5,0,.9,.6)' : EASE });
}

function vanish(board, piece, place) {
  const ghost = board.piece(piece, place);
  board.svg.querySelector('.marks').append(ghost);
  ghost.classList.add('leaving');
  const gone = ghost.firstChild.animate([{ transform: 'scale(1)', opacity: 1 }, { transform: 'scale(.6)', opacity: 0 }],
    { duration: 450, easing: 'ease-in', fill: 'forwards' });
  finished([gone]).then(() => ghost.remove());
}
