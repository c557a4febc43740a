// The board as a picture that can be played on. It draws what the server says, and knows no rules.

import { svg } from "./elements.js";
import * as marks from "./marks.js";
import { sides, sizeInWords } from "./size.js";

const COLUMNS = "ABCDEFGHJKLMNOPQRST";
/** Space around the points for the coordinates, in distances between points. */
const MARGIN = 1.05;
/** Points closer together than this many pixels are not hit safely by a finger: the first touch only chooses. */
const FINGER = 30;
/** What is less likely than this is not shown. */
export const LEAST_SHOWN = 0.01;

/** Points that are drawn larger, for the eye alone. */
function starPoints({ columns: size, rows }) {
  if (size < 7 || rows !== size) return [];
  const edge = size < 12 ? 2 : 3;
  const lines = size % 2 === 1 && size > 12 ? [edge, (size - 1) / 2, size - 1 - edge] : [edge, size - 1 - edge];
  const points = lines.flatMap((row) => lines.map((column) => [column, row]));
  if (size % 2 === 1 && size <= 12) points.push([(size - 1) / 2, (size - 1) / 2]);
  return points;
}

/** The point of a move, which may share it with another; `pass` of a pass. */
export const pointOf = (move) => move.replace("*", "");

/** How likely each point is to be chosen, by whichever move. */
export function sharesOf(candidates) {
  const shares = new Map();
  for (const { move, share } of candidates) shares.set(pointOf(move), (shares.get(pointOf(move)) ?? 0) + share);
  return shares;
}

export class Board {
  /**
   * `onPlay(vertex)` is called for a point where a stone can be placed, `onPoint(vertex)` when one is pointed at, or
   * with null when none is.
   */
  constructor(container, onPlay, onPoint) {
    this.container = container;
    this.onPlay = onPlay;
    this.onPoint = onPoint;
    this.size = null;
    this.chosen = null;
  }

  /** Shows a game. `mover` is the side whose stones may be placed from here now, or null. */
  show(view, mover) {
    this.view = view;
    this.mover = mover;
    this.legal = new Set(view.state.legal.map(pointOf));
    this.chosen = null;
    if (view.state.size !== this.size) this.build(view.state.size);
    this.overlay(null);
    this.draw();
  }

  vertex(column, row) {
    return `${COLUMNS[column]}${this.rows - row}`;
  }

  place(column, row) {
    return [MARGIN + column, MARGIN + row];
  }

  build(size) {
    this.size = size;
    Object.assign(this, sides(size));
    const { columns, rows } = this;
    const [width, height] = [columns, rows].map((side) => side - 1 + 2 * MARGIN);
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `Board, ${sizeInWords(size)}` });
    picture.append(svg("rect", { class: "wood", width, height }), marks.definitions());
    const lines = svg("g", { class: "lines", "aria-hidden": "true" });
    const [right, bottom] = this.place(columns - 1, rows - 1);
    for (let row = 0; row < rows; row += 1) lines.append(svg("line", { x1: MARGIN, x2: right, y1: MARGIN + row, y2: MARGIN + row }));
    for (let column = 0; column < columns; column += 1) {
      lines.append(svg("line", { x1: MARGIN + column, x2: MARGIN + column, y1: MARGIN, y2: bottom }));
    }
    for (const [column, row] of starPoints(this)) {
      const [cx, cy] = this.place(column, row);
      lines.append(svg("circle", { cx, cy, r: 0.1 }));
    }
    const labels = svg("g", { class: "labels", "aria-hidden": "true" });
    for (let column = 0; column < columns; column += 1) {
      for (const y of [0.36, height - 0.36]) labels.append(svg("text", { x: MARGIN + column, y }, COLUMNS[column]));
    }
    for (let row = 0; row < rows; row += 1) {
      for (const x of [0.36, width - 0.36]) labels.append(svg("text", { x, y: MARGIN + row }, String(rows - row)));
    }
    this.layers = {};
    picture.append(lines, labels);
    for (const name of ["owned", "tiles", "stones", "overlay", "marks", "ghost"]) {
      this.layers[name] = svg("g", { class: name, "aria-hidden": "true" });
      picture.append(this.layers[name]);
    }
    picture.append(this.buildPoints());
    picture.addEventListener("pointerleave", () => this.point(null));
    picture.addEventListener("keydown", (event) => this.onKey(event));
    this.picture = picture;
    this.container.replaceChildren(picture);
  }

  /** What can be pointed at, clicked and tabbed to: one square for each point. */
  buildPoints() {
    const points = svg("g", { class: "points" });
    this.points = new Map();
    for (let row = 0; row < this.rows; row += 1) {
      for (let column = 0; column < this.columns; column += 1) {
        const vertex = this.vertex(column, row);
        const [x, y] = this.place(column, row);
        const point = svg("rect", {
          x: x - 0.5, y: y - 0.5, width: 1, height: 1, rx: 0.12, role: "button",
          tabindex: row === this.rows - 1 && column === 0 ? 0 : -1, "data-vertex": vertex,
        });
        point.addEventListener("pointerenter", (event) => { if (event.pointerType !== "touch") this.point(vertex); });
        point.addEventListener("focus", () => this.point(vertex));
        point.addEventListener("click", (event) => this.click(vertex, event.pointerType));
        this.points.set(vertex, { element: point, column, row });
        points.append(point);
      }
    }
    return points;
  }

  draw() {
    const { state, moves } = this.view;
    const { layers } = this;
    for (const name of ["owned", "tiles", "stones", "marks", "ghost"]) layers[name].replaceChildren();
    const hot = new Set(state.hot ?? []);
    for (const [vertex, { element: point, column, row }] of this.points) {
      const [x, y] = this.place(column, row);
      const owner = state.owner?.[row][column] ?? ".";
      const height = Number(state.tiles?.[row][column] ?? 0);
      const stone = state.stones[row][column];
      if (owner !== ".") layers.owned.append(marks.owned(x, y, owner === "b" ? "black" : "white"));
      if (height > 0) layers.tiles.append(marks.tile(x, y, height));
      if (stone !== ".") layers.stones.append(marks.stone(x, y, stone === "X"));
      if (hot.has(vertex)) layers.marks.append(marks.flame(x, y));
      point.setAttribute("aria-label", this.describe(vertex, stone, owner, height, hot.has(vertex)));
      point.setAttribute("aria-disabled", String(!this.canPlay(vertex)));
    }
    const last = moves.findLast(({ move }) => move !== "pass");
    const newest = moves.at(-1);
    if (last && (newest === last || state.last_incursion)) this.markLast(last, newest === last);
  }

  /** The last stone has a ring, and a wedge if it was an incursion. */
  markLast({ player, move }, newest) {
    const { state } = this.view;
    const vertex = pointOf(move);
    const spot = this.points.get(vertex);
    const [x, y] = this.place(spot.column, spot.row);
    const on = state.stones[spot.row][spot.column] === "." ? "empty" : player === "B" ? "on-black" : "on-white";
    if (newest) this.layers.marks.append(marks.lastRing(x, y, on, (state.hot ?? []).includes(vertex)));
    if (state.last_incursion) {
      const mark = marks.wedge(x, y, on);
      mark.append(svg("title", {}, "An incursion"));
      this.layers.marks.append(mark);
    }
  }

  describe(vertex, stone, owner, height, isHot) {
    const words = [vertex, { X: "black stone", O: "white stone", ".": "empty" }[stone]];
    if (isHot) words.push("hot");
    if (height > 0) words.push(height === 1 ? "on a tile" : `on ${height} tiles`);
    if (owner !== ".") words.push(owner === "b" ? "owned by Black" : "owned by White");
    return words.join(", ");
  }

  canPlay(vertex) {
    return this.mover !== null && this.legal.has(vertex);
  }

  point(vertex) {
    const ghost = this.layers.ghost;
    ghost.replaceChildren();
    if (vertex !== null && this.mover !== null && this.view.result === null) {
      const { column, row } = this.points.get(vertex);
      const [x, y] = this.place(column, row);
      if (this.canPlay(vertex)) ghost.append(marks.stone(x, y, this.mover === "B"));
      else if (this.view.illegal[vertex] && this.view.state.stones[row][column] === ".") ghost.append(marks.cross(x, y));
    }
    this.onPoint(vertex);
  }

  click(vertex, pointer) {
    this.focus(vertex);
    const spacing = this.picture.getBoundingClientRect().width / (this.columns - 1 + 2 * MARGIN);
    const unsure = pointer === "touch" && spacing < FINGER && this.chosen !== vertex;
    this.chosen = unsure ? vertex : null;
    this.point(vertex);
    if (this.canPlay(vertex) && !unsure) this.onPlay(vertex);
  }

  focus(vertex) {
    for (const { element: point } of this.points.values()) point.setAttribute("tabindex", -1);
    const point = this.points.get(vertex).element;
    point.setAttribute("tabindex", 0);
    point.focus({ preventScroll: true });
  }

  onKey(event) {
    const here = this.points.get(event.target.dataset?.vertex);
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!here) return;
    if (step) {
      const inside = (at, side) => Math.min(side - 1, Math.max(0, at));
      this.focus(this.vertex(inside(here.column + step[0], this.columns), inside(here.row + step[1], this.rows)));
      event.preventDefault();
    } else if (event.key === "Enter" || event.key === " ") {
      this.click(event.target.dataset.vertex, "key");
      event.preventDefault();
    }
  }

  /** Shows what a program thinks on top of the board: `{candidates, best}`, `{occupancy}`, or nothing. */
  overlay(thought) {
    this.layers.overlay.replaceChildren();
    if (thought?.occupancy) this.drawOccupancy(thought.occupancy);
    if (thought?.candidates) this.drawCandidates(thought.candidates, thought.best);
  }

  /** Paints how likely each point is to be chosen, and rings the likeliest; of equal ones `best`, or else the first. */
  drawCandidates(candidates, best) {
    const shares = sharesOf(candidates);
    const most = Math.max(...shares.values());
    const favourites = [...shares].filter(([, share]) => share === most).map(([vertex]) => vertex);
    const likeliest = favourites.find((vertex) => vertex === pointOf(best)) ?? favourites[0];
    for (const [vertex, share] of shares) {
      const spot = this.points.get(vertex);
      if (!spot || share < LEAST_SHOWN) continue;
      const heat = marks.heat(...this.place(spot.column, spot.row), share, vertex === likeliest);
      heat.dataset.heat = vertex;
      this.layers.overlay.append(heat);
    }
  }

  drawOccupancy({ black, white }) {
    for (const [vertex, { column, row }] of this.points) {
      const lead = black[row][column] - white[row][column];
      if (Math.abs(lead) < LEAST_SHOWN) continue;
      const holder = marks.holder(...this.place(column, row), lead);
      holder.dataset.final = vertex;
      this.layers.overlay.append(holder);
    }
  }
}
