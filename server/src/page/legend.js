// What the marks and numbers on the board mean: those that are there now.

import { html, svg } from "./elements.js";
import * as marks from "./marks.js";

/** For each mark how it is found on the board, what it looks like, and what it means. */
const MARKS = [
  [".last", () => [marks.stone(0, 0, true), marks.lastRing(0, 0, "on-black")], "last move"],
  [".incursion", () => [marks.stone(0, 0, true), marks.wedge(0, 0, "on-black")], "an incursion"],
  [".hot", () => [marks.stone(0, 0, true), marks.flame(0, 0)], "hot stone"],
  [".tile", () => [marks.tile(0, 0, 1)], "tile"],
  [".tile text", () => [marks.tile(0, 0, 2)], "number of tiles on a point"],
  [".owner.black", () => [marks.owned(0, 0, "black")], "owned by Black"],
  [".owner.white", () => [marks.owned(0, 0, "white")], "owned by White"],
  [".removed", () => [marks.removed(0, 0, "white")], "removed by the last move"],
  [".ban", () => [marks.ban(0, 0)], "forbidden now by a ban"],
  [".heat", () => [marks.heat(0, 0, 0.12, false)], "how likely the program plays there, in %"],
  [".likeliest", () => [marks.heat(0, 0, 0.3, true)], "likeliest"],
  [".final", () => [marks.holder(0, 0, 1)], "who will hold a point at the end: the larger, the surer"],
];

function swatch(parts) {
  const picture = svg("svg", { viewBox: "-0.55 -0.55 1.1 1.1", "aria-hidden": "true" });
  picture.append(svg("rect", { class: "wood", x: -0.55, y: -0.55, width: 1.1, height: 1.1 }), ...parts);
  return picture;
}

/** Lists what is on the board in `picture`. */
export function list(container, picture) {
  const present = MARKS.filter(([selector]) => picture.querySelector(selector));
  container.replaceChildren(...present.map(([, draw, meaning]) => html("li", {}, swatch(draw()), meaning)));
  container.hidden = present.length === 0;
}
