// Runs the program of a page that is a file of its own: what it asks of its system (WASI) is answered here.

'use strict';

const OK = 0;
const NOT_OPEN = 8; // EBADF
const NOT_THERE = 52; // ENOSYS
let instance = null;

const view = () => new DataView(instance.exports.memory.buffer);
const bytes = (start, length) => new Uint8Array(instance.exports.memory.buffer, start, length);

const system = {
  clock_time_get(clock, precision, result) {
    // 0 is the time of day, anything else runs evenly.
    const milliseconds = clock === 0 ? Date.now() : performance.now();
    view().setBigUint64(result, BigInt(Math.round(milliseconds * 1e6)), true);
    return OK;
  },
  random_get(start, length) {
    const most = 65536;
    for (let at = 0; at < length; at += most) crypto.getRandomValues(bytes(start + at, Math.min(most, length - at)));
    return OK;
  },
  environ_sizes_get(count, size) {
    view().setUint32(count, 0, true);
    view().setUint32(size, 0, true);
    return OK;
  },
  environ_get: () => OK,
  args_sizes_get(count, size) {
    view().setUint32(count, 0, true);
    view().setUint32(size, 0, true);
    return OK;
  },
  args_get: () => OK,
  fd_prestat_get: () => NOT_OPEN,
  fd_fdstat_get: () => NOT_OPEN,
  fd_write(file, parts, count, result) {
    let written = 0;
    let said = '';
    for (let part = 0; part < count; part += 1) {
      const start = view().getUint32(parts + 8 * part, true);
      const length = view().getUint32(parts + 8 * part + 4, true);
      said += new TextDecoder().decode(bytes(start, length).slice());
      written += length;
    }
    console.error(said.trimEnd());
    view().setUint32(result, written, true);
    return OK;
  },
  sched_yield: () => OK,
  proc_exit(status) {
    throw new Error(`it ended with status ${status}`);
  },
};

async function start({ program, agent }) {
  const module = await WebAssembly.compile(program);
  const imports = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (kind === 'function') (imports[from] ??= {})[name] = system[name] ?? (() => NOT_THERE);
  }
  instance = await WebAssembly.instantiate(module, imports);
  instance.exports._initialize?.();
  const said = call('selfplay_open', agent);
  if (said.length > 0) throw new Error(new TextDecoder().decode(said));
}

// Hands `input` to one of the program's functions and gives what it answers.
function call(name, input) {
  const { exports } = instance;
  bytes(exports.selfplay_input(input.length), input.length).set(input);
  const length = exports[name]();
  return bytes(exports.selfplay_output(), length).slice();
}

function ask({ method, path, body }) {
  const answer = new TextDecoder().decode(call('selfplay_ask', new TextEncoder().encode(`${method} ${path}\n${body}`)));
  return { status: Number(answer.slice(0, 3)), answer: answer.slice(4) };
}

onmessage = async ({ data }) => {
  try {
    if (data.program) {
      await start(data);
      postMessage({});
    } else {
      postMessage(ask(data));
    }
  } catch (error) {
    postMessage({ error: String(error.message ?? error) });
  }
};
