// Talking to the server. Everything that can be known about a game comes from here.

/** What the server refuses, with its code for programs and its sentence for people. */
export class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** The server's words as a sentence. */
export function sentence(words) {
  const end = /[.?!]$/.test(words) ? "" : ".";
  return words.charAt(0).toUpperCase() + words.slice(1) + end;
}

async function ask(method, path, { body, token } = {}) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Refusal("unreachable", "The server cannot be reached.");
  }
  const answer = await response.json().catch(() => null);
  if (response.ok) return answer;
  const error = answer?.error ?? { code: "unknown", message: `The server answered ${response.status}.` };
  throw new Refusal(error.code, sentence(error.message));
}

export const variants = () => ask("GET", "/api/variants");
/** Whether a text is a rule set on boards of that size, what it means, and who plays it. */
export const rules = (text, size) => ask("GET", `/api/rules?rules=${encodeURIComponent(text)}&size=${size}`);
export const begin = (game) => ask("POST", "/api/games", { body: game });
export const upload = (game) => ask("POST", "/api/games/import", { body: game });
export const show = (id) => ask("GET", `/api/games/${id}`);
export const play = (id, token, move) => ask("POST", `/api/games/${id}/moves`, { token, body: { move } });
export const undo = (id, token) => ask("POST", `/api/games/${id}/undo`, { token });
export const resign = (id, token) => ask("POST", `/api/games/${id}/resign`, { token });
export const retry = (id) => ask("POST", `/api/games/${id}/reply`);
export const analysis = (id, occupancy) => ask("GET", `/api/games/${id}/analysis?occupancy=${occupancy}`);
export const graph = (id) => ask("GET", `/api/games/${id}/graph`);
export const recordAddress = (id) => `/api/games/${id}/sgf`;

/** Calls `onGame` with the game now and after every change; `onLink` says whether the connection stands. */
export function follow(id, onGame, onLink) {
  const events = new EventSource(`/api/games/${id}/events`);
  events.addEventListener("game", (event) => onGame(JSON.parse(event.data)));
  events.addEventListener("open", () => onLink(true));
  events.addEventListener("error", () => {
    onLink(false);
    // A browser gives up for good when it was refused; a server that restarts is back in a moment.
    if (events.readyState === EventSource.CLOSED) {
      timer = setTimeout(() => { stop = follow(id, onGame, onLink); }, 2000);
    }
  });
  let timer;
  let stop = () => events.close();
  return () => { clearTimeout(timer); stop(); events.close(); };
}
