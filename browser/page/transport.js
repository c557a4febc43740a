// The page without a server: requests go to a worker, and games are kept in the page's URL.

import { LAST } from "./seats.js";
import { language, say } from "./words.js";

const worker = new Worker(new URL("worker.js", import.meta.url));
const waiting = new Map();
const followers = new Map();
/**
 * What the worker sends for each game besides its view: the form from which it can be reopened, and
 * its SGF file.
 */
const files = new Map();
let count = 0;
let failure = null;

worker.addEventListener("message", ({ data }) => {
  if (data.failure) return fail(trouble(data.failure));
  for (const message of data.messages) {
    if (message.kind === "answer") {
      waiting.get(message.number)?.(message);
      waiting.delete(message.number);
    } else {
      news(message);
    }
  }
  return undefined;
});
worker.addEventListener("error", () => fail(trouble({ isMissing: true })));

/** What went wrong in the worker, in words. */
function trouble({ isOld, isMissing, reason }) {
  if (isOld) return say("This browser is too old for the program: it needs WebAssembly with SIMD.");
  if (isMissing) return say("The program cannot be loaded: go online, and load the page again.");
  return say("The program has failed ({reason}): load the page again.", { reason });
}

/** Answers all requests with what went wrong, and notifies those waiting for a move. */
function fail(message) {
  failure = { status: 500, body: { error: { code: "internal", message } } };
  for (const answer of waiting.values()) answer(failure);
  waiting.clear();
  for (const { onFailure } of followers.values()) onFailure(message);
}

/**
 * Sends a request; the status and the body of the answer. Once the signal comes, the worker ends the
 * search for it and answers with a refusal.
 */
export function send(method, path, { body, token, signal } = {}) {
  if (failure) return Promise.resolve(failure);
  const number = post(method, path, { body, token });
  signal?.addEventListener("abort", () => {
    if (waiting.has(number)) post("DELETE", `/api/requests/${number}`);
  });
  return new Promise((resolve) => waiting.set(number, resolve));
}

/** Passes a request to the worker, and returns its number. */
function post(method, path, { body, token } = {}) {
  count += 1;
  worker.postMessage(JSON.stringify({ number: count, method, path, body, token, language: language() }));
  return count;
}

function news({ view, saved, name, sgf }) {
  files.set(view.id, { saved, name, sgf });
  keep(view.id);
  followers.get(view.id)?.onGame(view);
}

/**
 * Calls `onGame` with the game now and after every change, `onLink` with whether there is such a
 * game, and `onFailure` with the reason why there will be no more changes.
 */
export function follow(id, onGame, onLink, onFailure) {
  const follower = { onGame, onFailure };
  followers.set(id, follower);
  open(id).then((game) => {
    if (followers.get(id) !== follower) return;
    keep(id);
    onLink(game !== null);
    if (game) onGame(game);
  });
  return () => followers.delete(id);
}

/** Opens the game contained in the URL, or otherwise one that was started in this page. */
async function open(id) {
  const saved = unpacked(new URLSearchParams(location.hash.slice(1)).get("saved"));
  const { status, body } = saved ? await send("PUT", `/api/games/${id}`, { body: saved }) : await send("GET", `/api/games/${id}`);
  return status < 400 ? body : null;
}

/**
 * Stores a game in the URL that names it, both here and where the last game played is remembered.
 */
function keep(id) {
  const file = files.get(id);
  const carrying = (address) => {
    const words = new URLSearchParams(address.slice(1));
    if (!file || words.get("game") !== id) return null;
    words.set("saved", packed(file.saved));
    return `#${words}`;
  };
  const own = carrying(location.hash);
  if (own) history.replaceState(null, "", own);
  try {
    const last = carrying(localStorage.getItem(LAST) ?? "");
    if (last) localStorage.setItem(LAST, last);
  } catch { /* private windows may have no storage */ }
}

/** Encodes a game in characters that no program alters in a link. */
function packed(saved) {
  const bytes = new TextEncoder().encode(JSON.stringify(saved));
  // A function takes only so many arguments, and a long game has more bytes.
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function unpacked(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

/** The SGF file of a game, and its name. */
export function record(id) {
  const { name, sgf } = files.get(id);
  return { href: `data:application/x-go-sgf;charset=utf-8,${encodeURIComponent(sgf)}`, download: name };
}

/** The URL of a game, which contains it. */
export const link = () => location.hash;

// Without HTTPS there are no service workers, so the page needs its host whenever it is loaded.
navigator.serviceWorker?.register("offline.js").catch(() => {});
