// How requests reach the server, and how updates come back. The page without a server has another
// module with this name.

import { language } from "./words.js";

/**
 * Sends a request; returns the status and the body of the answer, or null if the server cannot be
 * reached or the signal came first.
 */
export async function send(method, path, { body, token, signal } = {}) {
  const headers = { "Accept-Language": language() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  try {
    const response = await fetch(path, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
    // An answer that was cut off is none, and neither is the page of somebody in between.
    return { status: response.status, body: response.ok ? await response.json() : await response.json().catch(() => null) };
  } catch {
    return null;
  }
}

/** How often a page that nobody sees asks for its game, in milliseconds. */
const GLANCE = 30_000;

/**
 * Calls `onGame` with the game now and after every change, and `onLink` with whether the connection
 * is up and, if it is not, whether it was refused.
 *
 * All windows of a browser share six connections to a host, so that six open games would block the
 * page. A page that nobody sees therefore holds none, and only asks now and then, because its title
 * says whose turn it is.
 */
export function follow(id, onGame, onLink) {
  let [events, again, glances] = [null, null, null];
  const listen = () => {
    events = new EventSource(`/api/games/${id}/events?language=${language()}`);
    events.addEventListener("game", (event) => onGame(JSON.parse(event.data)));
    events.addEventListener("open", () => onLink(true));
    events.addEventListener("error", () => {
      // A browser gives up permanently when it is refused, but a server that restarts is soon back.
      const isRefused = events?.readyState === EventSource.CLOSED;
      onLink(false, isRefused);
      if (isRefused) again = setTimeout(listen, 2000);
    });
  };
  const glance = async () => {
    const answer = await send("GET", `/api/games/${id}`);
    if (answer?.status === 200) onGame(answer.body);
  };
  const rest = () => {
    clearTimeout(again);
    clearInterval(glances);
    events?.close();
    events = null;
  };
  // The first event is the whole game, so nothing is missed.
  const arrange = () => {
    rest();
    if (document.hidden) glances = setInterval(glance, GLANCE);
    else listen();
  };
  document.addEventListener("visibilitychange", arrange);
  arrange();
  if (document.hidden) glance();
  return () => {
    document.removeEventListener("visibilitychange", arrange);
    rest();
  };
}

/** The URL of a game's SGF file, and its name if the server does not give one. */
export const record = (id) => ({ href: `/api/games/${id}/sgf`, download: "" });

/** The URL of a game without seats. */
export const link = (id) => `#game=${id}`;
