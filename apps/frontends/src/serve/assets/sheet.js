// The sheet at the side: the rules of the game, its notation, how to enter a move, and the keys.

import { api } from './api.js';
import { h } from './dom.js';
import { KEYS } from './keys.js';

export async function openSheet(dialog, game, hint) {
  const rules = h('div', { class: 'rules' }, h('p', { class: 'muted' }, 'Loading …'));
  const close = h('button', { class: 'quiet icon-button', type: 'button', 'aria-label': 'Close', onclick: () => dialog.close() }, '✕');
  dialog.replaceChildren(
    h('div', { class: 'card-head' }, h('h2', { id: 'sheet-title' }, game.title), close),
    rules,
    ...(hint ? [h('h3', {}, 'How to enter a move'), h('p', {}, hint)] : []),
    h('h3', {}, 'Keys'),
    h('table', { class: 'keys' }, h('tbody', {}, KEYS.map(([key, text]) =>
      h('tr', {}, h('th', { scope: 'row' }, h('kbd', {}, key)), h('td', {}, text))))));
  dialog.showModal();
  try {
    const { html } = await api.rules(game.id);
    // The server makes it of the game's own README, without any HTML that stands in it.
    rules.innerHTML = html;
    if (!html) rules.replaceChildren(h('p', { class: 'muted' }, 'This game says nothing of its rules.'));
  } catch (error) {
    rules.replaceChildren(h('p', { class: 'reason' }, `No rules: ${error.message}.`));
  }
}
