// What was chosen for the last game in this browser, so that the next one begins with it.

const CHOICES = "hotstone.choices";

export function remember(choices) {
  try { localStorage.setItem(CHOICES, JSON.stringify(choices)); } catch { /* private windows may have no storage */ }
}

/** Nothing, if nothing is remembered. */
export function last() {
  try { return JSON.parse(localStorage.getItem(CHOICES)) ?? {}; } catch { return {}; }
}
