// The meaning of the marks and numbers currently on the board.

import { html, svg } from "./elements.js";
import * as marks from "./marks.js";
import { say } from "./words.js";

/** For each mark: how it is found on the board, what it looks like, and what it means. */
const marksInWords = () => [
  [".last", () => [marks.stone(0, 0, true), marks.lastRing(0, 0, "on-black")], say("last move")],
  [".incursion", () => [marks.stone(0, 0, true), marks.wedge(0, 0, "on-black")], say("an incursion")],
  [".hot", () => [marks.stone(0, 0, true), marks.flame(0, 0)], say("hot stone")],
  [".tile", () => [marks.tile(0, 0, 1)], say("tile")],
  [".tile text", () => [marks.tile(0, 0, 2)], say("number of tiles on a point")],
  [".owner.black", () => [marks.owned(0, 0, "black")], say("owned by Black")],
  [".owner.white", () => [marks.owned(0, 0, "white")], say("owned by White")],
  [".removed", () => [marks.removed(0, 0, "white")], say("removed by the last move")],
  [".ban", () => [marks.ban(0, 0)], say("forbidden now by a ban")],
  [".heat", () => [marks.heat(0, 0, 0.12, false)], say("how likely the program plays there, in %")],
  [".likeliest", () => [marks.heat(0, 0, 0.3, true)], say("likeliest")],
  [".final", () => [marks.holder(0, 0, 1)], say("who will hold a point at the end: the larger, the surer")],
];

function swatch(parts) {
  const picture = svg("svg", { viewBox: "-0.55 -0.55 1.1 1.1", "aria-hidden": "true" });
  picture.append(svg("rect", { class: "wood", x: -0.55, y: -0.55, width: 1.1, height: 1.1 }), ...parts);
  return picture;
}

/** Lists what is on the board in `picture`. */
export function list(container, picture) {
  const present = marksInWords().filter(([selector]) => picture.querySelector(selector));
  container.replaceChildren(...present.map(([, draw, meaning]) => html("li", {}, swatch(draw()), meaning)));
  container.hidden = present.length === 0;
}
