// The course of a game: winning probabilities after each turn.

import { svg } from "./elements.js";
import { say } from "./words.js";

const WIDTH = 320;
const HEIGHT = 120;
const LEFT = 34;
const BOTTOM = 18;

/**
 * Draws the curve of winning probabilities, with `whose` as its title; null is a turn that was not
 * evaluated. The turn `shown` on the board is marked by a line, and `onTurn` is called with a turn
 * that is clicked.
 */
export function draw(container, winrates, moves, whose, shown, onTurn) {
  const width = WIDTH - LEFT - 8;
  const height = HEIGHT - BOTTOM - 8;
  const last = Math.max(1, winrates.length - 1);
  const x = (turn) => LEFT + (turn / last) * width;
  const y = (winrate) => 8 + (1 - winrate) * height;
  const known = winrates.map((winrate, turn) => [turn, winrate]).filter(([, winrate]) => winrate !== null);

  const picture = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img",
    "aria-label": say("{whose} after each turn, now {chance}", { whose, chance: percent(known.at(-1)?.[1]) }),
  });
  for (const level of [0, 0.5, 1]) {
    picture.append(
      svg("line", { x1: LEFT, x2: WIDTH - 8, y1: y(level), y2: y(level), class: level === 0.5 ? "axis middle" : "axis" }),
      svg("text", { x: LEFT - 5, y: y(level) + 3.5, class: "tick", "text-anchor": "end" }, percent(level)),
    );
  }
  picture.append(
    svg("text", { x: LEFT, y: HEIGHT - 4, class: "tick" }, whose),
    svg("text", { x: WIDTH - 8, y: HEIGHT - 4, class: "tick", "text-anchor": "end" }, say("turn {number}", { number: winrates.length - 1 })),
  );
  if (known.length > 0) {
    const path = known.map(([turn, winrate]) => `${x(turn).toFixed(1)},${y(winrate).toFixed(1)}`);
    const area = `M${x(known[0][0])},${y(0)}L${path.join("L")}L${x(known.at(-1)[0])},${y(0)}Z`;
    picture.append(svg("path", { d: area, class: "area" }), svg("path", { d: `M${path.join("L")}`, class: "curve" }));
  }
  for (const [turn, winrate] of known) {
    const dot = svg("circle", { cx: x(turn), cy: y(winrate), r: known.length > 60 ? 1.2 : 2.2, class: "dot" });
    const named = turn === 0 ? say("start") : `${turn}. ${moves[turn - 1] ?? ""}`;
    dot.append(svg("title", {}, say("{what}: {words}", { what: named, words: percent(winrate) })));
    picture.append(dot);
  }
  picture.prepend(svg("line", { x1: x(shown), x2: x(shown), y1: y(1), y2: y(0), class: "shown" }));
  picture.addEventListener("click", (event) => {
    const { left, width: seen } = picture.getBoundingClientRect();
    const share = (((event.clientX - left) / seen) * WIDTH - LEFT) / width;
    onTurn(Math.round(Math.min(1, Math.max(0, share)) * (winrates.length - 1)));
  });
  container.replaceChildren(picture);
}

export function percent(share) {
  return share === undefined || share === null ? say("unknown") : `${Math.round(100 * share)} %`;
}
