// Runs the program: requests come in, answers and game updates go out. It thinks for a moment at a
// time, so that requests that arrive meanwhile are answered.

/** Milliseconds of thinking between two checks for requests. */
const MOMENT = 20;

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
const { port1: later, port2: now } = new MessageChannel();
let [arrived, thinking] = [false, false];

/**
 * The smallest module with a vector instruction: if the browser rejects it, it is too old for the
 * program.
 */
const VECTORS = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11);

async function start() {
  const answer = await fetch("hotstone.wasm");
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  const code = await answer.arrayBuffer();
  arrived = true;
  const { instance } = await WebAssembly.instantiate(code);
  const [seed] = crypto.getRandomValues(new BigUint64Array(1));
  if (!instance.exports.start(seed)) throw new Error("damaged");
  return instance.exports;
}

const started = start();

/** Runs an action of the program, and posts the resulting messages. */
async function using(act) {
  try {
    const program = await started;
    act(program);
    const length = program.collect();
    const messages = JSON.parse(decoder.decode(new Uint8Array(program.memory.buffer, program.output(), length)));
    if (messages.length > 0) postMessage({ messages });
  } catch (error) {
    // Some browsers disable WebAssembly entirely in their strictest security settings.
    const isOld = !globalThis.WebAssembly?.validate(VECTORS);
    postMessage({ failure: { isOld, isMissing: !arrived, reason: error.message } });
  }
}

addEventListener("message", ({ data }) => using((program) => {
  const bytes = encoder.encode(data);
  const place = program.input(bytes.length);
  new Uint8Array(program.memory.buffer, place, bytes.length).set(bytes);
  program.request();
  if (!thinking) later.postMessage(null);
  thinking = true;
}));

now.addEventListener("message", () => using((program) => {
  const end = performance.now() + MOMENT;
  do thinking = program.think(); while (thinking && performance.now() < end);
  if (thinking) later.postMessage(null);
}));
now.start();
