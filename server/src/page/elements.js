// Helpers for finding and creating elements.

const NS = "http://www.w3.org/2000/svg";

/** The element of the page with this id. */
export const at = (id) => document.getElementById(id);

/** Creates an SVG element. */
export function svg(name, attributes = {}, text) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Creates an HTML element. */
export function html(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/**
 * Fills a select element with these values and their texts, and selects the wanted one if it is
 * among them.
 */
export function fill(select, options, wanted) {
  select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
  if (options.some(([value]) => String(value) === String(wanted))) select.value = wanted;
}
