// Talking to the server. Everything that can be known about a game comes from here.

import { send } from "./transport.js";
import { say } from "./words.js";

export { follow, link, record } from "./transport.js";

/** A refusal by the server, with its code for programs and its message for people. */
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

async function ask(method, path, request) {
  const answer = await send(method, path, request);
  if (answer === null) throw new Refusal("unreachable", say("The server cannot be reached."));
  if (answer.status < 400) return answer.body;
  const error = answer.body?.error ?? { code: "unknown", message: say("The server answered {status}.", answer) };
  throw new Refusal(error.code, sentence(error.message));
}

/** The words of the language that the page asks for. */
export const words = () => ask("GET", "/api/words");
export const variants = () => ask("GET", "/api/variants");
/** An example of each named variant, step by step. */
export const examples = () => ask("GET", "/api/examples");
/** The rules that have puzzles, and how many. */
export const puzzles = () => ask("GET", "/api/puzzles");
export const puzzle = (rules, number) => ask("GET", `/api/puzzles/${encodeURIComponent(rules)}/${encodeURIComponent(number)}`);
/** What a move in a puzzle is worth; `solution` stands for the correct move. */
export const answer = (rules, number, move) => ask("GET", `/api/puzzles/${encodeURIComponent(rules)}/${number}/${encodeURIComponent(move)}`);
/** Whether a text is a rule set on boards of that size, what it means, and who plays it. */
export const rules = (text, size) => ask("GET", `/api/rules?rules=${encodeURIComponent(text)}&size=${size}`);
export const begin = (game) => ask("POST", "/api/games", { body: game });
export const upload = (game) => ask("POST", "/api/games/import", { body: game });
export const show = (id) => ask("GET", `/api/games/${id}`);
export const play = (id, token, move) => ask("POST", `/api/games/${id}/moves`, { token, body: { move } });
export const undo = (id, token) => ask("POST", `/api/games/${id}/undo`, { token });
export const resign = (id, token) => ask("POST", `/api/games/${id}/resign`, { token });
export const retry = (id) => ask("POST", `/api/games/${id}/reply`);
/** A game after a number of turns. */
export const position = (id, turn) => ask("GET", `/api/games/${id}/positions/${turn}`);
/**
 * A program's opinion on a game, after `turn` turns unless that is null; the signal aborts the
 * request.
 */
export const analysis = ({ id, occupancy, turn }, signal) =>
  ask("GET", `/api/games/${id}/analysis?occupancy=${occupancy}${turn === null ? "" : `&turn=${turn}`}`, { signal });
export const graph = (id, signal) => ask("GET", `/api/games/${id}/graph`, { signal });
/** The same moves under two rule sets; the signal aborts the request. */
export const compare = (wanted, signal) => ask("POST", "/api/laboratory", { body: wanted, signal });
