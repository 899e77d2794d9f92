// The JSON API. A refusal becomes an Error whose message is the server's reason.

import { send } from './transport.js';

export class Refused extends Error {
  constructor(status, { error, expected } = {}) {
    super(error ? `${error} (expected: ${expected})` : `the server answered with status ${status}`);
    this.status = status;
  }
}

async function request(method, path, body) {
  const { status, answer } = await send(method, path, body);
  if (status === 204) return null;
  if (status >= 400) throw new Refused(status, answer);
  return answer;
}

const at = (id, what = '') => `/api/tables/${encodeURIComponent(id)}${what}`;

export const api = {
  games: () => request('GET', '/api/games'),
  rules: (game) => request('GET', `/api/games/${encodeURIComponent(game)}/rules`),
  create: (game, seats, record = '', clock = null) => request('POST', '/api/tables', { game, seats, record, clock }),
  table: (id) => request('GET', at(id)),
  look: (id, ply, variation = []) => request('POST', at(id, '/look'), { ply, variation }),
  decide: (id, move, ply) => request('POST', at(id, '/moves'), { move, ply }),
  agent: (id, ply) => request('POST', at(id, '/agent'), { ply }),
  undo: (id, ply) => request('POST', at(id, '/undo'), { ply }),
  resign: (id, side) => request('POST', at(id, '/resign'), { side }),
  analysis: (id, what) => request('POST', at(id, '/analysis'), what),
  remove: (id) => request('DELETE', at(id)),
};
