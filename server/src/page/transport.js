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
    return { status: response.status, body: await response.json().catch(() => null) };
  } catch {
    return null;
  }
}

/**
 * Calls `onGame` with the game now and after every change, and `onLink` with whether the connection
 * is up.
 */
export function follow(id, onGame, onLink) {
  const events = new EventSource(`/api/games/${id}/events?language=${language()}`);
  events.addEventListener("game", (event) => onGame(JSON.parse(event.data)));
  events.addEventListener("open", () => onLink(true));
  events.addEventListener("error", () => {
    onLink(false);
    // A browser gives up permanently when it is refused, but a server that restarts is soon back.
    if (events.readyState === EventSource.CLOSED) {
      timer = setTimeout(() => { stop = follow(id, onGame, onLink); }, 2000);
    }
  });
  let timer;
  let stop = () => events.close();
  return () => { clearTimeout(timer); stop(); events.close(); };
}

/** The URL of a game's SGF file, and its name if the server does not give one. */
export const record = (id) => ({ href: `/api/games/${id}/sgf`, download: "" });

/** The URL of a game without seats. */
export const link = (id) => `#game=${id}`;
