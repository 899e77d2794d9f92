// Games as text: what may be pasted, and what is written to take along.

const RESULTS = ['1-0', '0-1', '1/2-1/2', '*'];
// What the Portable Game Notation takes for a move; all else stands in a comment there.
const isWord = (name) => /^[A-Za-z0-9][A-Za-z0-9_+#=:-]*$/.test(name) && /[A-Za-z]/.test(name);

// The game (an id, or null) and the moves of a pasted text: moves with spaces between them, a link of this page, or PGN.
export function readText(text) {
  const trimmed = text.trim();
  const link = trimmed.match(/#(game=.*)$/s);
  if (link) {
    const fields = new URLSearchParams(link[1]);
    return { game: fields.get('game'), record: (fields.get('moves') ?? '').replaceAll('_', ' ') };
  }
  return trimmed.startsWith('[') ? readPgn(trimmed) : { game: null, record: trimmed };
}

function readPgn(text) {
  const tags = new Map([...text.matchAll(/^\[(\w+) "((?:[^"\\]|\\.)*)"\]/gm)].map(([, name, value]) => [name, value]));
  const body = text.replace(/^\[.*\]$/gm, '');
  const plain = words(body.replace(/\{[^}]*\}/g, ' ').replace(/\([^)]*\)/g, ' '));
  // Moves that are no words in the notation's sense are in a comment.
  const comments = [...body.matchAll(/\{([^}]*)\}/g)].map(([, comment]) => comment).filter((comment) => /^\s*1\. /.test(comment));
  const played = plain.length > 0 ? plain : words(comments[0] ?? '');
  return { game: tags.get('Variant') ?? null, record: [...words(tags.get('FEN') ?? ''), ...played].join(' ') };
}

const words = (text) => text.split(/\s+/).filter((word) => word && !/^\d+\.+$/.test(word) && !RESULTS.includes(word));

// The game as PGN, with `players` in the order of moving.
export function writePgn(game, table, players) {
  const { outcome } = table;
  const result = outcome === null ? '*' : { 0: '1-0', 1: '0-1' }[outcome.winner] ?? '1/2-1/2';
  const date = new Date().toISOString().slice(0, 10).replaceAll('-', '.');
  const endings = { rules: 'normal', resignation: 'normal', time: 'time forfeit' };
  const tags = { Event: 'Casual game', Site: '?', Date: date, Round: '-', White: players[0], Black: players[1], Result: result,
    Termination: outcome === null ? 'unterminated' : endings[outcome.by], Variant: game.id };
  const numbered = table.moves.map((move, index) => `${index + 1}. ${move}`).join(' ');
  const text = table.moves.every(isWord) ? numbered : `{${numbered}}`;
  const quoted = (value) => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `${Object.entries(tags).map(([name, value]) => `[${name} "${quoted(value)}"]\n`).join('')}\n${text} ${result}\n`;
}

// Has the browser keep `text` as a file.
export function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/x-chess-pgn' }));
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
