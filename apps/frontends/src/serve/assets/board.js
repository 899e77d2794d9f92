// Draws a position as SVG and says which place or quadrant was pointed at. Knows no rules.

import { h, s } from './dom.js';
import { UNIT, geometry, neighbour, uncovered } from './geometry.js';

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
// Places narrower than so many pixels are confirmed by a second tap.
const SMALL_PLACE = 26;

export class Board {
  constructor(container, { onClick, onCancel, onArm }) {
    Object.assign(this, { container, onClick, onCancel, onArm });
    this.focused = 0;
    this.armed = null;
  }

  // Takes the board of a game, seen from the other side if it is flipped.
  setGame(game, isFlipped = false) {
    this.game = game;
    this.geometry = geometry(game.board, isFlipped);
    this.focused = Math.floor(game.board.places.length / 2);
  }

  // Draws `view`; `next` and `picks` are clicks that may be made and that were made, `heat` gives places their shares and
  // `values` the moves whose value is known.
  draw({ view, last, next = new Set(), picks = [], heat = new Map(), values = new Map(), preview = null }) {
    const { width, height } = this.geometry;
    Object.assign(this, { view, next, picks });
    if (this.game.board.kind === 'text') {
      this.container.replaceChildren(h('pre', { class: 'text-board', 'aria-label': `${this.game.title}, board` }, view.text));
      return;
    }
    const svg = s('svg', { viewBox: `0 0 ${width} ${height}`, class: `kind-${this.game.board.kind}`, role: 'group',
      'aria-label': `${this.game.title}, board`, onkeydown: (event) => this.key(event) },
      this.definitions(), s('g', { class: 'base' }, this.base()), this.labels(),
      s('g', { class: 'pieces' }, this.pieces(view.pieces)),
      s('g', { class: 'heat' }, this.heat(heat), this.values(values)),
      s('g', { class: 'marks' }, this.marks(view, last, preview)),
      s('g', { class: 'targets' }, this.targets()));
    const hadFocus = this.container.contains(document.activeElement) && document.activeElement !== this.container;
    this.svg = svg;
    this.container.replaceChildren(svg);
    this.container.style.setProperty('--ratio', `${width} / ${height}`);
    if (hadFocus) this.target(this.focused)?.focus({ preventScroll: true });
  }

  definitions() {
    const gradient = (side) => s('radialGradient', { id: `stone-${side}`, cx: 0.36, cy: 0.3, r: 0.75 },
      s('stop', { offset: 0, class: `light-${side}` }), s('stop', { offset: 1, class: `dark-${side}` }));
    return s('defs', {}, gradient(0), gradient(1));
  }

  base() {
    const { board } = this.game;
    const { inner, centres } = this.geometry;
    const plate = (over) => s('rect', { class: 'plate', x: inner.x - over, y: inner.y - over,
      width: inner.width + 2 * over, height: inner.height + 2 * over, rx: 28 });
    const tile = ({ x, y }) => s('rect', { class: 'tile', x: x - 46, y: y - 46, width: 92, height: 92, rx: 14 });
    const hole = ({ x, y }) => s('circle', { class: 'hole', cx: x, cy: y, r: 41 });
    switch (board.kind) {
      case 'squares':
      case 'stones':
      case 'cards': return centres.map(tile);
      case 'columns': return [plate(10), ...centres.map(hole)];
      case 'intersections': return [plate(4), ...this.crossings()];
      case 'pyramid': return [plate(10), ...centres.filter(({ level }) => level === 0).map(({ x, y }) =>
        s('circle', { class: 'hole', cx: x, cy: y, r: 34 }))];
      default: return [];
    }
  }

  crossings() {
    const { rows, columns } = this.game.board;
    const { columnX, rowY } = this.geometry;
    const line = (x1, y1, x2, y2) => s('line', { class: 'grid-line', x1, y1, x2, y2 });
    const across = Array.from({ length: rows }, (_, row) => line(columnX(0), rowY(row), columnX(columns - 1), rowY(row)));
    const down = Array.from({ length: columns }, (_, c) => line(columnX(c), rowY(0), columnX(c), rowY(rows - 1)));
    const centre = s('circle', { class: 'star', cx: columnX((columns - 1) / 2), cy: rowY((rows - 1) / 2), r: 9 });
    return [...across, ...down, centre];
  }

  labels() {
    const { board } = this.game;
    const { columnX, rowY, rowLabelX, columnLabelY } = this.geometry;
    const { width } = this.geometry;
    const size = Math.min(46, Math.max(16, width * 0.033));
    const text = (x, y, label) => s('text', { class: 'label', x, y, 'font-size': size.toFixed(1) }, label);
    return s('g', { 'aria-hidden': 'true' },
      board.column_labels.map((label, column) => text(columnX(column), columnLabelY, label)),
      board.row_labels.map((label, row) => text(rowLabelX, rowY(row), label)));
  }

  // The pieces of all places, lower levels first; those of a board in quadrants in a group for each, with its panel.
  pieces(pieces) {
    const drawn = (place) => (pieces[place] ? [this.piece(pieces[place], place)] : []);
    if (this.game.board.kind !== 'quadrants') return pieces.flatMap((_, place) => drawn(place));
    return [0, 1, 2, 3].map((index) => {
      const { x, y, size, places } = this.geometry.quadrant(index);
      const hole = (place) => s('circle', { class: 'hole', cx: this.geometry.centres[place].x,
        cy: this.geometry.centres[place].y, r: 33 });
      return s('g', { class: 'quadrant', 'data-quadrant': index },
        s('rect', { class: 'plate', x: x + 3, y: y + 3, width: size - 6, height: size - 6, rx: 26 }),
        places.map(hole), places.flatMap(drawn));
    });
  }

  piece(piece, place) {
    const { x, y } = this.geometry.centres[place];
    const r = this.geometry.radius(place);
    const group = (...shapes) =>
      s('g', { class: `piece side-${piece.side}`, 'data-place': place, transform: `translate(${x} ${y})` },
        s('g', { class: 'moving' }, ...shapes));
    if (piece.dead) return group(s('rect', { class: 'dead', x: -46, y: -46, width: 92, height: 92, rx: 14 }),
      s('path', { class: 'dead-cross', d: 'M-14 -14 L14 14 M14 -14 L-14 14' }));
    if (piece.value !== undefined) return group(
      s('rect', { class: 'card-face', x: -40, y: -40, width: 80, height: 80, rx: 12 }),
      s('text', { class: 'card-value', y: -2 }, String(piece.value)),
      s('text', { class: 'card-sum', y: 28 }, `Σ ${this.view.sums[place]}`));
    switch (this.game.board.kind) {
      case 'squares': return piece.side === 0
        ? group(s('path', { class: 'mark', d: `M${-r} ${-r} L${r} ${r} M${r} ${-r} L${-r} ${r}` }))
        : group(s('circle', { class: 'mark', r: r * 1.08 }));
      case 'columns': return group(s('circle', { class: 'disc', r }), s('circle', { class: 'disc-ring', r: r * 0.68 }));
      default: return group(s('circle', { class: 'shadow', cx: r * 0.07, cy: r * 0.12, r }),
        s('circle', { class: 'stone', r, fill: `url(#stone-${piece.side})` }));
    }
  }

  heat(heat) {
    const greatest = Math.max(0, ...heat.values());
    const isRoomy = this.game.board.places.length < 100;
    return [...heat].filter(([, share]) => share > 0.1 * greatest).map(([place, share]) => {
      const { x, y } = this.geometry.centres[place];
      const relative = Math.sqrt(share / greatest);
      return s('g', { transform: `translate(${x} ${y})` },
        s('circle', { class: 'heat-spot', r: (isRoomy ? 34 : 8 + 26 * relative ** 3).toFixed(1),
          opacity: (0.15 + 0.75 * relative ** 2).toFixed(3) }),
        isRoomy && share >= 0.01 ? s('text', { class: 'heat-text' }, String(Math.round(share * 100))) : null);
    });
  }

  // `+7` wins in 7 turns, `=` draws, `−36` loses in 36; of what is not proven nothing, but where it is looked at.
  values(values) {
    const names = { 1: 'won', 0: 'drawn', '-1': 'lost' };
    const signs = { 1: '+', 0: '=', '-1': '−' };
    return [...values].map(([place, { proven, turns, distance }], index) => {
      const { x, y } = this.geometry.centres[place];
      const isKnown = proven !== null;
      return s('g', { transform: `translate(${x} ${y})` },
        s('circle', { class: `value-spot ${isKnown ? names[proven] : 'open'}`, r: 34 }),
        s('text', { class: 'heat-text' }, isKnown ? signs[proven] + (turns ?? distance ?? '') : String(index + 1)));
    });
  }

  marks(view, last, preview) {
    const isSquare = ['squares', 'stones', 'cards'].includes(this.game.board.kind);
    const ring = (place, name, grow = 0) => {
      const { x, y } = this.geometry.centres[place];
      return isSquare
        ? s('rect', { class: name, x: x - 46, y: y - 46, width: 92, height: 92, rx: 14 })
        : s('circle', { class: name, cx: x, cy: y, r: this.geometry.radius(place) + grow });
    };
    const picked = this.picks.filter((pick) => pick[0] === 'p').map((pick) => Number(pick.slice(1)));
    const ghost = (place) => {
      const piece = this.piece({ side: preview }, place);
      piece.classList.add('ghost');
      return piece;
    };
    return [
      ...(last ? last.places.map((place) => ring(place, view.pieces[place] ? 'last' : 'last left')) : []),
      ...view.decisive.map((place) => ring(place, 'decisive', 3)),
      ...picked.flatMap((place) => [
        ...(preview !== null && !view.pieces[place] ? [ghost(place)] : []), ring(place, 'picked', 4)]),
    ];
  }

  // The clicks of each place: its own, or the one of its column where pieces fall.
  clickOf(place) {
    const own = `p${place}`;
    if (this.game.board.kind !== 'columns' || this.next.has(own)) return own;
    const { column } = this.game.board.places[place];
    const landing = this.game.board.places.findIndex((other, index) =>
      other.column === column && this.next.has(`p${index}`));
    return landing < 0 ? own : `p${landing}`;
  }

  targets() {
    const quadrants = [0, 1, 2, 3].filter((index) => this.next.has(`q${index}`) || this.picks.includes(`q${index}`));
    if (quadrants.length > 0 && this.picks.some((pick) => pick[0] === 'p')) return quadrants.map((q) => this.quadrant(q));
    const visible = this.visiblePlaces();
    if (!visible.includes(this.focused) && visible.length > 0) this.focused = visible.at(-1);
    return visible.map((place) => this.placeTarget(place));
  }

  // Every place of a flat board; of a pyramid those with a piece or something to do that are not beneath another.
  visiblePlaces() {
    const isShown = (place) =>
      this.game.board.places[place].level === 0 || this.view.pieces[place] || this.next.has(`p${place}`);
    return uncovered(this.geometry.centres, this.game.board.places.map((_, place) => place).filter(isShown));
  }

  placeTarget(place) {
    const { x, y, level } = this.geometry.centres[place];
    const click = this.clickOf(place);
    const isOpen = this.next.has(click) || this.picks.includes(click);
    const isRound = this.game.board.kind === 'pyramid';
    const shape = isRound
      ? s('circle', { class: 'hit', r: level === 0 ? 49 : 38 })
      : s('rect', { class: 'hit', x: -UNIT / 2, y: -UNIT / 2, width: UNIT, height: UNIT, rx: 14 });
    const showsDot = isOpen && !this.view.pieces[place] && (level > 0 || this.picks.length > 0);
    const target = s('g', { class: `target${isOpen ? ' open' : ''}`, role: 'button', 'data-place': place,
      'data-click': isOpen ? click : null, 'aria-disabled': isOpen ? null : 'true', 'aria-label': this.describe(place),
      tabindex: place === this.focused ? 0 : -1, transform: `translate(${x} ${y})`,
      onclick: (event) => this.point(click, isOpen, place, event),
      onfocus: () => this.setFocus(place) },
      s('title', {}, this.describe(place)), shape, showsDot ? s('circle', { class: 'dot-open', r: 13 }) : null);
    return target;
  }

  quadrant(index) {
    const { x, y, size } = this.geometry.quadrant(index);
    const click = `q${index}`;
    const isPicked = this.picks.includes(click);
    const name = 'ABCD'[index];
    // Between four stones, so that it hides none.
    const [nameX, nameY] = [x + UNIT, y + UNIT];
    return s('g', { class: `target open quadrant-target${isPicked ? ' picked' : ''}`, role: 'button', tabindex: 0,
      'data-click': click, 'aria-pressed': String(isPicked), 'aria-label': `Quadrant ${name}`,
      onclick: () => this.onClick(click) },
      s('rect', { class: 'hit', x: x + 3, y: y + 3, width: size - 6, height: size - 6, rx: 26 }),
      s('circle', { class: 'quadrant-disc', cx: nameX, cy: nameY, r: 27 }),
      s('text', { class: 'quadrant-name', x: nameX, y: nameY }, name));
  }

  describe(place) {
    const piece = this.view.pieces[place];
    const { name } = this.game.board.places[place];
    if (!piece) return `${name}, empty`;
    if (piece.dead) return `${name}, dead`;
    const owner = this.game.sides[piece.side];
    return piece.value === undefined ? `${name}, ${owner}` : `${name}, ${owner}'s ${piece.value}, sum ${this.view.sums[place]}`;
  }

  point(click, isOpen, place, event) {
    if (!isOpen) return;
    const pixels = UNIT * this.svg.clientWidth / this.geometry.width;
    if (event.pointerType === 'touch' && pixels < SMALL_PLACE && this.armed !== click) {
      this.armed = click;
      this.svg.querySelectorAll('.armed').forEach((other) => other.remove());
      const { x, y } = this.geometry.centres[place];
      this.svg.append(s('circle', { class: 'armed', cx: x, cy: y, r: 70 }));
      this.onArm(this.game.board.places[place].name);
      return;
    }
    this.armed = null;
    this.onClick(click);
  }

  target(place) {
    return this.svg?.querySelector(`.target[data-place="${place}"]`) ?? this.svg?.querySelector('.target');
  }

  setFocus(place) {
    this.target(this.focused)?.setAttribute('tabindex', -1);
    this.focused = place;
    this.target(place)?.setAttribute('tabindex', 0);
  }

  key(event) {
    if (event.key === 'Escape') this.onCancel();
    else if (event.key === 'Enter' || event.key === ' ') document.activeElement.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    else if (ARROWS[event.key] && document.activeElement.dataset.place !== undefined) {
      const { centres } = this.geometry;
      const place = neighbour(centres, this.focused, ARROWS[event.key], this.visiblePlaces());
      this.setFocus(place);
      this.target(place)?.focus({ preventScroll: true });
    } else return;
    event.preventDefault();
  }
}
