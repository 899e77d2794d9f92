// Keys that work wherever the page has the focus, and what the help says of them.

export const KEYS = [
  ['←  →', 'one move back or forward'],
  ['Home  End', 'to the start, to where the game stands'],
  ['F', 'turn the board'],
  ['A', 'analysis on and off'],
  ['N', 'new game'],
  ['?', 'rules and help'],
  ['Tab', 'to the board; there the arrows go from place to place, Enter points, Escape restarts the move'],
];

const NAMES = { ArrowLeft: 'back', ArrowRight: 'forth', Home: 'start', End: 'tip', f: 'flip', a: 'analysis', n: 'fresh', '?': 'help' };

// Calls what a key means, unless somebody writes, a dialog is open, or the board has the key for itself.
export function wireKeys(actions) {
  document.addEventListener('keydown', (event) => {
    const { target } = event;
    const isWriting = target.matches?.('input:not([type=checkbox]), textarea, select') || target.isContentEditable;
    const isOnBoard = target.closest?.('#board svg') && event.key.startsWith('Arrow');
    if (isWriting || isOnBoard || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector('dialog[open]')) return;
    const name = NAMES[event.key] ?? NAMES[event.key.toLowerCase()];
    if (!name) return;
    event.preventDefault();
    actions[name]();
  });
}
