// Steps through recorded positions. They come from the engine; no rule is known here.
"use strict";
const CELL = 24;

function element(name, attributes, parent) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  parent.append(made);
  return made;
}

function draw(svg, game, frame) {
  svg.replaceChildren();
  const { width, height } = game;
  const center = (column, row) => [CELL * (column + 1), CELL * (row + 1)];
  element("rect", { width: CELL * (width + 1), height: CELL * (height + 1), fill: "#e9c98f" }, svg);
  for (let column = 0; column < width; column++)
    element("line", { x1: CELL * (column + 1), x2: CELL * (column + 1), y1: CELL, y2: CELL * height, stroke: "#7a5c2e" }, svg);
  for (let row = 0; row < height; row++)
    element("line", { y1: CELL * (row + 1), y2: CELL * (row + 1), x1: CELL, x2: CELL * width, stroke: "#7a5c2e" }, svg);
  for (let row = 0; row < height; row++) for (let column = 0; column < width; column++) {
    const [x, y] = center(column, row);
    const at = (rows) => rows ? rows[row][column] : ".";
    const owner = at(frame.owner), tiles = at(frame.tiles), stone = at(frame.stones);
    if (owner === "b" || owner === "w")
      element("rect", { x: x - CELL / 2, y: y - CELL / 2, width: CELL, height: CELL, fill: owner === "b" ? "#000" : "#fff", "fill-opacity": .35 }, svg);
    if (tiles !== "." && tiles !== "0") {
      element("rect", { x: x - 9, y: y - 9, width: 18, height: 18, fill: "#4d7c8a", stroke: "#23424c" }, svg);
      if (tiles !== "1") element("text", { x, y: y + 4, "text-anchor": "middle", "font-size": 11, fill: "#fff" }, svg).textContent = tiles;
    }
    if (stone === "X" || stone === "O")
      element("circle", { cx: x, cy: y, r: CELL * .46, fill: stone === "X" ? "#111" : "#fafafa", stroke: "#111" }, svg);
    const turn = frame.numbers?.["ABCDEFGHJKLMNOPQRST"[column] + (height - row)];
    if (turn && (stone === "X" || stone === "O"))
      element("text", { x, y: y + 4, "text-anchor": "middle", "font-size": 11, fill: stone === "X" ? "#fff" : "#111" }, svg).textContent = turn;
    if (at(frame.hot) !== ".")
      element("circle", { cx: x, cy: y, r: CELL * .28, fill: "none", stroke: "#d3341e", "stroke-width": 3 }, svg);
  }
  const named = (point) => center("ABCDEFGHJKLMNOPQRST".indexOf(point[0]), height - Number.parseInt(point.slice(1), 10));
  if (frame.last) {
    const [x, y] = named(frame.last);
    element("rect", { x: x - 3, y: y - 3, width: 6, height: 6, fill: "#d3341e" }, svg);
  }
  if (frame.marked) {
    const [x, y] = named(frame.marked);
    element("path", { d: `M${x - 6} ${y - 6}l12 12m0 -12l-12 12`, stroke: "#d3341e", "stroke-width": 3 }, svg);
  }
}

// The URL at which the program's own page continues a recorded game. Each node of the record leads
// to a frame.
const onward = (game, turn) => `${document.documentElement.dataset.server}#${new URLSearchParams({ continue: `${game.nodes.slice(0, turn + 1).join("")})` })}`;

for (const place of document.querySelectorAll(".game")) {
  const game = JSON.parse(place.querySelector("script").textContent);
  const svg = place.querySelector("svg");
  svg.setAttribute("viewBox", `0 0 ${CELL * (game.width + 1)} ${CELL * (game.height + 1)}`);
  if (place.classList.contains("diagram")) {
    draw(svg, game, game.frames[0]);
    for (const link of place.querySelectorAll("a")) link.href = onward(game, game.nodes.length - 1);
    continue;
  }
  const slider = place.querySelector("input"), caption = place.querySelector("p");
  slider.max = game.frames.length - 1;
  const show = (turn) => {
    slider.value = Math.max(0, Math.min(game.frames.length - 1, turn));
    const frame = game.frames[slider.value];
    draw(svg, game, frame);
    const chance = frame.chance === null || frame.chance === undefined ? "" : ` · Black ${frame.chance} % before it`;
    const end = Number(slider.value) === game.frames.length - 1 ? ` · ${game.result} (${game.reason})` : "";
    place.querySelector("a").href = onward(game, Number(slider.value));
    caption.textContent = (frame.caption || "The start") + chance + end;
  };
  slider.addEventListener("input", () => show(Number(slider.value)));
  const [back, forward] = place.querySelectorAll("button");
  back.addEventListener("click", () => show(Number(slider.value) - 1));
  forward.addEventListener("click", () => show(Number(slider.value) + 1));
  show(game.frames.length - 1);
}
