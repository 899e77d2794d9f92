// In a page that is a file of its own the server is a program beside the page, on a thread of its own (worker.js).

const text = (id) => document.getElementById(id).textContent;
const fromBase64 = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
const unpacked = async (id) => {
  const packed = new Blob([fromBase64(text(id))]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
};

// Requests are answered in the order in which they were asked.
const asked = [];

async function start() {
  const source = new Blob([text('alone-worker')], { type: 'text/javascript' });
  const worker = new Worker(URL.createObjectURL(source));
  const ready = new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => {
      if (asked.length === 0) data.error ? reject(new Error(data.error)) : resolve(worker);
      else asked.shift()(data);
    };
    worker.onerror = ({ message }) => {
      reject(new Error(message));
      asked.splice(0).forEach((answer) => answer({ error: message }));
    };
  });
  const [program, agent] = await Promise.all([unpacked('alone-program'), unpacked('alone-agent')]);
  worker.postMessage({ program, agent }, [program.buffer, agent.buffer]);
  return ready;
}

const program = start();

export async function send(method, path, body) {
  const worker = await program;
  const { error, status, answer } = await new Promise((resolve) => {
    asked.push(resolve);
    worker.postMessage({ method, path, body: body === undefined ? '' : JSON.stringify(body) });
  });
  if (error) throw new Error(`the program in this page has failed: ${error}`);
  return { status, answer: answer ? JSON.parse(answer) : null };
}
