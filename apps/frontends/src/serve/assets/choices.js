// Moves that are chosen in a list, where a game has no places to point at for them.

import { h } from './dom.js';

// A button for each of `candidates` that one click of `next` out of the list completes.
export function showChoices(container, candidates, next, click) {
  const listed = candidates.flatMap(({ move, clicks }) => {
    const name = clicks.at(-1);
    return name[0] === 'l' && next.has(name) ? [h('button', { type: 'button', class: 'move', 'data-click': name,
      onclick: () => click(name) }, move)] : [];
  });
  container.replaceChildren(...listed);
  container.hidden = listed.length === 0;
}
