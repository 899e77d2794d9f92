// Links that hold a game: `#game=pylos&moves=a1_b2_c3`; and who played it in this tab.

const KEY = 'selfplay-seats';

export function linkTo(game, moves) {
  const line = moves.map(encodeURIComponent).join('_');
  return `#game=${encodeURIComponent(game)}${line ? `&moves=${line}` : ''}`;
}

// The game and record of a link, or null.
export function readLink(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const game = fields.get('game');
  return game ? { game, record: (fields.get('moves') ?? '').replaceAll('_', ' ') } : null;
}

export function rememberSeats(game, seats, clock) {
  sessionStorage.setItem(KEY, JSON.stringify({ game, seats, clock }));
}

export function rememberedSeats(game) {
  try {
    const known = JSON.parse(sessionStorage.getItem(KEY));
    return known?.game === game ? known : null;
  } catch {
    return null;
  }
}
