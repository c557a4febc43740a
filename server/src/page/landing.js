// The page without a game: a card for each game that can be played, with a picture of what its rule
// does.

import { html } from "./elements.js";
import { Drawing } from "./drawing.js";

/** The URL of a variant's example. */
export const address = (rules) => `#${new URLSearchParams({ example: rules })}`;

/** The variant whose example the URL names; null without one. */
export const fromAddress = () => new URLSearchParams(location.hash.slice(1)).get("example");

/** The last step of an example, small. */
function picture({ steps, refused }) {
  const last = steps.at(-1);
  const drawing = new Drawing(last.state.size, false, { "aria-hidden": "true" });
  drawing.draw({ ...last, banned: [] });
  if (refused) drawing.refuse(refused.move, last.state.to_move === "B");
  return drawing.picture;
}

/**
 * Lists what can be played. Variants with an example link to it, and `open` is called for all
 * others; `more(rules)` returns further links.
 */
export function list(container, variants, examples, open, more) {
  const known = new Map(examples.map((example) => [example.rules, example]));
  const card = ({ rules, title, line }) => {
    const words = html("span", { className: "words" }, html("b", { textContent: title }), html("span", { textContent: line }));
    const example = known.get(rules);
    if (example) return html("a", { href: address(rules) }, picture(example), words);
    const button = html("button", { type: "button" }, words);
    button.addEventListener("click", () => open(rules));
    return button;
  };
  container.replaceChildren(...variants.map((variant) => html("li", {}, card(variant), ...more(variant.rules))));
}
