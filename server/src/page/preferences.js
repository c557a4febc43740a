// What the page remembers in this browser: the choices for the last game, with which the next dialog
// opens, and whether the rules are shown.

const CHOICES = "hotstone.choices";
/** Whether the rules next to the board were closed. */
const RULES = "hotstone.rules";

export function remember(choices) {
  try { localStorage.setItem(CHOICES, JSON.stringify(choices)); } catch { /* private windows may have no storage */ }
}

/** An empty object if nothing has been stored. */
export function last() {
  try { return JSON.parse(localStorage.getItem(CHOICES)) ?? {}; } catch { return {}; }
}

export function rememberRules(isOpen) {
  try { localStorage.setItem(RULES, isOpen ? "open" : "closed"); } catch { /* as above */ }
}

/** The rules are open by default, until somebody closes them. */
export function wantsRules() {
  try { return localStorage.getItem(RULES) !== "closed"; } catch { return true; }
}
