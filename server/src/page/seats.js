// Which game this page shows, and which seats it holds there: everything is in the URL after the #,
// which no server sees.

import { say } from "./words.js";

/** The storage key for the URL of the last game. */
export const LAST = "hotstone.last";

/** The game and the tokens in the URL; null without a game. */
export function fromAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  const id = words.get("game");
  if (!id) return null;
  const tokens = {};
  for (const side of ["B", "W"]) if (words.get(side)) tokens[side] = words.get(side);
  return { id, tokens, invite: words.get("invite") };
}

/** The part of the URL after the # for a game. */
export function address({ id, tokens = {}, invite = null }) {
  const words = new URLSearchParams({ game: id, ...tokens });
  if (invite) words.set("invite", invite);
  return `#${words}`;
}

/** The note next to links that open only on this machine. */
export const onlyHere = () => say("Only this machine can open this address. For others the server has to listen on an address of the network.");

/** The note next to links that contain the whole game. */
export const carried = () => say("The link carries the game as it is now: whoever opens it plays on from there.");

/** The message for such a link that cannot be opened. */
export const damaged = () => say("This link carries no whole game: it may have been cut off on its way.");

/** The message for a link with a seat that the game does not have. */
export const none = () => say("This link gives no seat in this game: it may have been cut off on its way.");

/**
 * Whether the page's URL, and so that of every game, refers to the reader's own machine wherever it
 * is opened.
 */
export function onlyThisMachine() {
  const host = location.hostname;
  return host === "localhost" || host.endsWith(".localhost") || host.startsWith("127.") || host === "[::1]";
}

/**
 * Remembers the game that was played last in this browser. Without a server the page's URL carries
 * the game as well, and there is no other copy until the program has answered.
 */
export function remember(seats) {
  const own = address(seats);
  const played = location.hash.startsWith(own) ? location.hash : own;
  try { localStorage.setItem(LAST, played); } catch { /* private windows may have no storage */ }
}

export function last() {
  try { return localStorage.getItem(LAST); } catch { return null; }
}
