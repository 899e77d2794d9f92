// The dialog for a new game: which game, who plays, how strong, and perhaps a recorded game to go on from.

import { h } from './dom.js';
import { readText } from './transfer.js';

const SECONDS = [0.1, 0.3, 1, 2, 5, 10, 30];
const SIMULATIONS = [25, 100, 400, 1600, 6400];
const SIGNS = { squares: '✕', columns: '◍', stones: '●', intersections: '⊹', quadrants: '⊞', pyramid: '▲', cards: '🂠', text: '¶' };

const CLOCKS = [
  ['no clock', null],
  ['1 minute', { seconds: 60 }],
  ['3 minutes + 2 s a turn', { seconds: 180, increment: 2 }],
  ['5 minutes', { seconds: 300 }],
  ['10 minutes + 5 s a turn', { seconds: 600, increment: 5 }],
  ['30 minutes', { seconds: 1800 }],
];

// A select for the strength of an agent, and how to read it.
export function strengthSelect(agent, { max_seconds, max_simulations }, label, chosen = 'seconds:1') {
  const options = [];
  if (agent.strengths.includes('seconds')) {
    options.push(...SECONDS.filter((n) => n <= max_seconds).map((n) => [`seconds:${n}`, `${n} s per move`]));
  }
  if (agent.strengths.includes('simulations')) {
    const fitting = SIMULATIONS.filter((n) => n <= max_simulations);
    options.push(...fitting.map((n) => [`simulations:${n}`, `${n} simulations`]));
  }
  return h('select', { 'aria-label': label, disabled: options.length === 0 },
    options.length === 0 ? h('option', { value: '' }, 'no strength to choose') : null,
    options.map(([value, text]) => h('option', { value, selected: value === chosen }, text)));
}

export function strengthOf(select) {
  const [unit, number] = select.value.split(':');
  return unit ? { [unit]: Number(number) } : null;
}

// Who plays a side.
function seatFields(game, limits, side, isPerson) {
  const who = h('select', { 'aria-label': `${game.sides[side]} is played by` },
    h('option', { value: '', selected: isPerson }, 'You'),
    game.agents.map((agent, index) =>
      h('option', { value: agent.name, selected: !isPerson && index === 0 }, agent.title)));
  const slot = h('span', { class: 'strength' });
  const label = `Strength of ${game.sides[side]}`;
  const agentOf = () => game.agents.find(({ name }) => name === who.value);
  const show = () => slot.replaceChildren(...(agentOf() ? [strengthSelect(agentOf(), limits, label)] : []));
  who.addEventListener('change', show);
  show();
  const seat = () => {
    const agent = agentOf();
    return agent ? { agent: agent.name, strength: strengthOf(slot.firstElementChild) } : null;
  };
  const field = h('div', { class: 'seat' }, h('span', { class: `dot side-${side}` }),
    h('span', { class: 'seat-name' }, game.sides[side]), who, slot);
  return { field, seat };
}

// Asks in the dialog; `start(game, seats, { record, clock })` is called with the answer and may throw a reason to show.
export function askForGame(dialog, { games, ...limits }, chosenId, start, message = '') {
  let seats = [];
  const chosen = games.find(({ id }) => id === chosenId) ?? games[0];
  const seatSlot = h('div', { class: 'seats' });
  const reason = h('p', { class: 'reason', role: 'alert' }, message);
  const record = h('textarea', { rows: 3, spellcheck: 'false', 'aria-label': 'Recorded game',
    placeholder: 'moves separated by spaces, a link, or PGN' });
  const clocks = h('select', { 'aria-label': 'Clock' }, CLOCKS.map(([name], index) => h('option', { value: index }, name)));
  const showSeats = (game) => {
    dialog.dataset.kind = game.board.kind;
    seats = [seatFields(game, limits, 0, true), seatFields(game, limits, 1, false)];
    seatSlot.replaceChildren(...seats.map(({ field }) => field));
  };
  const choice = (game) => h('label', { class: 'choice' },
    h('input', { type: 'radio', name: 'game', value: game.id, checked: game === chosen,
      onchange: () => showSeats(game) }),
    h('span', { class: 'choice-sign', 'aria-hidden': 'true' }, SIGNS[game.board.kind]),
    h('span', { class: 'choice-text' }, ...gameName(game.title)));
  const form = h('form', { method: 'dialog' },
    h('div', { class: 'card-head' }, h('h2', { id: 'setup-title' }, 'New game'),
      h('button', { class: 'quiet icon-button', type: 'button', 'aria-label': 'Close',
        onclick: () => dialog.close() }, '✕')),
    h('div', { class: 'choices', role: 'radiogroup', 'aria-label': 'Game' }, games.map(choice)),
    h('h3', {}, 'Players'), seatSlot,
    h('div', { class: 'seat clocks' }, h('span', { class: 'dot clock-sign', 'aria-hidden': 'true' }), h('span', { class: 'seat-name' }, 'Clock'), clocks),
    h('details', {}, h('summary', {}, 'Load a recorded game'), record),
    reason,
    h('div', { class: 'dialog-actions' }, h('button', { class: 'primary', type: 'submit', autofocus: true }, 'Start')));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const id = new FormData(form).get('game');
    try {
      const { game: named, record: text } = readText(record.value);
      const game = games.find((other) => other.id === (named ?? id));
      if (!game) throw new Error(`the game is of ${named}, which is not played here`);
      // Agents are those of the game that was chosen; another one is played by its own.
      const players = game.id === id ? seats.map(({ seat }) => seat()) : [null, { agent: game.agents[0].name }];
      await start(game, players, { record: text, clock: CLOCKS[clocks.value][1] });
      dialog.close();
    } catch (error) {
      reason.textContent = error.message;
    }
  });
  showSeats(chosen);
  dialog.replaceChildren(form);
  dialog.showModal();
}

// "Pente, 19×19" as a name and what is small beside it.
function gameName(title) {
  const [name, size] = title.split(', ');
  return [h('strong', {}, name), h('span', { class: 'muted' }, size ?? '')];
}
