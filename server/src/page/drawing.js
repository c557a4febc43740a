// Positions as pictures: the board's lines and what is on its points. Used for the board that is
// played on, and for the small pictures of examples.

import { svg } from "./elements.js";
import * as marks from "./marks.js";
import { sides } from "./size.js";
import { say } from "./words.js";

export const COLUMNS = "ABCDEFGHJKLMNOPQRST";
/** Space around the points, in distances between points: with coordinates and without. */
const [WIDE, NARROW] = [1.05, 0.75];
/** The layers, from bottom to top. */
const LAYERS = ["owned", "tiles", "stones", "overlay", "marks", "ghost"];

/** The point of a move, which another move may share; `pass` for a pass. */
export const pointOf = (move) => move.replace("*", "");

/** Star points, which are only a visual aid. */
function starPoints({ columns: size, rows }) {
  if (size < 7 || rows !== size) return [];
  const edge = size < 12 ? 2 : 3;
  const lines = size % 2 === 1 && size > 12 ? [edge, (size - 1) / 2, size - 1 - edge] : [edge, size - 1 - edge];
  const points = lines.flatMap((row) => lines.map((column) => [column, row]));
  if (size % 2 === 1 && size <= 12) points.push([(size - 1) / 2, (size - 1) / 2]);
  return points;
}

/** A picture of a board, with its layers. */
export class Drawing {
  /** `attributes` are those of the picture. */
  constructor(size, hasLabels, attributes) {
    Object.assign(this, sides(size));
    this.margin = hasLabels ? WIDE : NARROW;
    [this.width, this.height] = [this.columns, this.rows].map((side) => side - 1 + 2 * this.margin);
    const { width, height } = this;
    this.picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, ...attributes });
    // The page gives a board a square space: a tall board takes up proportionally less of its
    // width.
    if (height > width) Object.assign(this.picture.style, { width: `${(100 * width) / height}%`, marginInline: "auto" });
    this.picture.append(svg("rect", { class: "wood", width, height }), this.lines());
    if (hasLabels) this.picture.append(this.labels());
    this.layers = {};
    for (const name of LAYERS) {
      this.layers[name] = svg("g", { class: name, "aria-hidden": "true" });
      this.picture.append(this.layers[name]);
    }
  }

  vertex(column, row) {
    return `${COLUMNS[column]}${this.rows - row}`;
  }

  /** The column and row of a point. */
  spot(vertex) {
    return [COLUMNS.indexOf(vertex[0]), this.rows - Number(vertex.slice(1))];
  }

  place(column, row) {
    return [this.margin + column, this.margin + row];
  }

  /** The coordinates of a point in the picture. */
  placeOf(vertex) {
    return this.place(...this.spot(vertex));
  }

  lines() {
    const { columns, rows, margin } = this;
    const lines = svg("g", { class: "lines", "aria-hidden": "true" });
    const [right, bottom] = this.place(columns - 1, rows - 1);
    for (let row = 0; row < rows; row += 1) lines.append(svg("line", { x1: margin, x2: right, y1: margin + row, y2: margin + row }));
    for (let column = 0; column < columns; column += 1) {
      lines.append(svg("line", { x1: margin + column, x2: margin + column, y1: margin, y2: bottom }));
    }
    for (const [column, row] of starPoints(this)) {
      const [cx, cy] = this.place(column, row);
      lines.append(svg("circle", { cx, cy, r: 0.1 }));
    }
    return lines;
  }

  labels() {
    const { columns, rows, margin, width, height } = this;
    const labels = svg("g", { class: "labels", "aria-hidden": "true" });
    for (let column = 0; column < columns; column += 1) {
      for (const y of [0.36, height - 0.36]) labels.append(svg("text", { x: margin + column, y }, COLUMNS[column]));
    }
    for (let row = 0; row < rows; row += 1) {
      for (const x of [0.36, width - 0.36]) labels.append(svg("text", { x, y: margin + row }, String(rows - row)));
    }
    return labels;
  }

  /** Draws a position; `onPoint` is called with each point and what is on it. */
  draw({ state, last, incursion, removed, banned }, onPoint = () => {}) {
    const { layers } = this;
    for (const name of LAYERS) if (name !== "overlay") layers[name].replaceChildren();
    const hot = new Set(state.hot ?? []);
    const bans = new Set(banned);
    for (let row = 0; row < this.rows; row += 1) {
      for (let column = 0; column < this.columns; column += 1) {
        const vertex = this.vertex(column, row);
        const [x, y] = this.place(column, row);
        const owner = state.owner?.[row][column] ?? ".";
        const tiles = Number(state.tiles?.[row][column] ?? 0);
        const stone = state.stones[row][column];
        if (owner !== ".") layers.owned.append(marks.owned(x, y, owner === "b" ? "black" : "white"));
        if (tiles > 0) layers.tiles.append(marks.tile(x, y, tiles));
        if (stone !== ".") layers.stones.append(marks.stone(x, y, stone === "X"));
        if (hot.has(vertex)) layers.marks.append(marks.flame(x, y));
        if (bans.has(vertex)) layers.marks.append(marks.ban(x, y));
        onPoint(vertex, { stone, owner, tiles, isHot: hot.has(vertex), isBanned: bans.has(vertex), isLast: vertex === last, isIncursion: vertex === incursion });
      }
    }
    for (const [side, points] of [["black", removed.B], ["white", removed.W]]) {
      for (const vertex of points.filter((each) => !bans.has(each))) layers.marks.append(marks.removed(...this.placeOf(vertex), side));
    }
    if (last) layers.marks.append(marks.lastRing(...this.placeOf(last), this.ground(state, last), hot.has(last)));
    if (incursion) {
      const wedge = marks.wedge(...this.placeOf(incursion), this.ground(state, incursion));
      wedge.append(svg("title", {}, say("An incursion")));
      layers.marks.append(wedge);
    }
  }

  /** The element on which a mark on a point is drawn. */
  ground(state, vertex) {
    const [column, row] = this.spot(vertex);
    return { X: "on-black", O: "on-white", ".": "empty" }[state.stones[row][column]];
  }

  /** Shows a refused move: its stone, crossed out. */
  refuse(vertex, isBlack) {
    const [x, y] = this.placeOf(pointOf(vertex));
    this.layers.ghost.replaceChildren(marks.stone(x, y, isBlack), marks.cross(x, y));
  }
}
