// The texts that people read, in their language. The page is written in English; the server
// provides the translations.

/** The storage key for the language chosen in the page. */
const CHOSEN = "hotstone.language";
/** The attributes that screen readers read out. */
const SPOKEN = ["aria-label", "placeholder", "title"];

let texts = {};
/** The tag of the page's language, once it is loaded. */
let tag = null;

/**
 * The requested language, in the format of `Accept-Language`: the one chosen here, otherwise those
 * of the browser.
 */
export function language() {
  if (tag) return tag;
  try {
    const chosen = localStorage.getItem(CHOSEN);
    if (chosen) return chosen;
  } catch { /* private windows may have no storage */ }
  return navigator.languages.join(",");
}

/** Chooses a language, and reloads the page in it. */
function choose(chosen) {
  try { localStorage.setItem(CHOSEN, chosen); } catch { /* as above */ }
  location.reload();
}

/** An English text in the page's language, with values in its placeholders. */
export function say(english, values = {}) {
  return (texts[english] ?? english).replaceAll(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}

/** A move as people write it, with a word for a pass. */
export const moveInWords = (move) => (move === "pass" ? say("pass") : move);

/** Receives the texts of a language, and translates the page. */
export function take(words) {
  texts = words.texts;
  tag = words.language;
  document.documentElement.lang = tag;
  for (const element of document.querySelectorAll("head > [name=description], body *")) translate(element);
  const select = document.getElementById("language");
  select.replaceChildren(...words.languages.map((each) => Object.assign(new Option(each.name, each.tag), { lang: each.tag })));
  select.value = tag;
  select.addEventListener("change", () => choose(select.value));
}

function translate(element) {
  if (element.name === "description") element.content = say(element.content);
  for (const name of SPOKEN) if (element.hasAttribute(name)) element.setAttribute(name, say(element.getAttribute(name)));
  for (const node of element.childNodes) {
    const text = node.nodeType === Node.TEXT_NODE ? node.data.trim() : "";
    if (text) node.data = node.data.replace(text, () => say(text));
  }
}
