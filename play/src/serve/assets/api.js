// The JSON API. A refusal becomes an Error whose message is the server's reason.

export class Refused extends Error {
  constructor(status, { error, expected } = {}) {
    super(error ? `${error} (expected: ${expected})` : `the server answered with status ${status}`);
    this.status = status;
  }
}

async function request(method, path, body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers['Content-Type'] = 'application/json';
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error('the server does not answer');
  }
  if (response.status === 204) return null;
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, answer);
  return answer;
}

const at = (id, what = '') => `/api/tables/${encodeURIComponent(id)}${what}`;

export const api = {
  games: () => request('GET', '/api/games'),
  create: (game, seats, record = '') => request('POST', '/api/tables', { game, seats, record }),
  table: (id, ply) => request('GET', at(id, ply === undefined ? '' : `?ply=${ply}`)),
  decide: (id, decision, ply) => request('POST', at(id, '/decisions'), { decision, ply }),
  agent: (id, ply) => request('POST', at(id, '/agent'), { ply }),
  undo: (id, ply) => request('POST', at(id, '/undo'), { ply }),
  resign: (id, side) => request('POST', at(id, '/resign'), { side }),
  analysis: (id, ply, analyst) => request('POST', at(id, '/analysis'), { ply, ...analyst }),
  remove: (id) => request('DELETE', at(id)),
};
