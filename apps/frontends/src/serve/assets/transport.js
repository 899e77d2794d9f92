// Requests to the server that the page came from.

export async function send(method, path, body) {
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
  return { status: response.status, answer: response.status === 204 ? null : await response.json().catch(() => ({})) };
}
