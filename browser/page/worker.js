// Runs the program: requests in, answers and news of games out. It thinks for a moment at a time, so that what is asked
// meanwhile is answered.

/** Milliseconds without a look at what is asked. */
const MOMENT = 20;

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
const { port1: later, port2: now } = new MessageChannel();
let thinking = false;

async function start() {
  const code = await (await fetch("hotstone.wasm")).arrayBuffer();
  const { instance } = await WebAssembly.instantiate(code);
  const [seed] = crypto.getRandomValues(new BigUint64Array(1));
  if (!instance.exports.start(seed)) throw new Error("damaged");
  return instance.exports;
}

const started = start();

/** Does something with the program, and says what came of it. */
async function using(act) {
  try {
    const program = await started;
    act(program);
    const length = program.collect();
    const messages = JSON.parse(decoder.decode(new Uint8Array(program.memory.buffer, program.output(), length)));
    if (messages.length > 0) postMessage({ messages });
  } catch (error) {
    postMessage({ failure: { isOld: error instanceof WebAssembly.CompileError, reason: error.message } });
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
