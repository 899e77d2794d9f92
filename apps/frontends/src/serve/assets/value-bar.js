// The bar beside the board: the results to expect in what is shown, the lower side's from below.

import { h, percentages } from './dom.js';

// Shows `value` in `container`, or that nothing is known.
export function showValueBar(container, value, below, game) {
  container.classList.toggle('unknown', !value);
  if (!value) {
    container.replaceChildren();
    container.setAttribute('aria-label', 'The value of this position is not known');
    return;
  }
  const [first, draw, second] = percentages([value.first, value.draw, value.second]);
  const shares = [['first', value.first], ['draw', value.draw], ['second', value.second]];
  const part = ([name, share]) => {
    const element = h('span', { class: name });
    element.style.flexGrow = share.toFixed(4);
    return element;
  };
  container.replaceChildren(...(below === 0 ? shares.reverse() : shares).map(part));
  container.setAttribute('aria-label', `${game.sides[0]} ${first} %, draw ${draw} %, ${game.sides[1]} ${second} %`);
}
