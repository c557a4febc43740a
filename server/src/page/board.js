// The board as a picture that can be played on. It draws what the server sends, and knows no rules.

import { Drawing, pointOf } from "./drawing.js";
import { svg } from "./elements.js";
import * as marks from "./marks.js";
import { sizeInWords } from "./size.js";
import { say } from "./words.js";

/**
 * Points closer together than this many pixels are hard to hit with a finger, so the first touch
 * only selects.
 */
const FINGER = 30;
/** Probabilities below this are not shown. */
export const LEAST_SHOWN = 0.01;

export { pointOf };

/** The probability of each point, over all moves there. */
export function sharesOf(candidates) {
  const shares = new Map();
  for (const { move, share } of candidates) shares.set(pointOf(move), (shares.get(pointOf(move)) ?? 0) + share);
  return shares;
}

export class Board {
  /**
   * `onPlay(vertex)` is called for a point where a stone can be placed, `onPoint(vertex)` when a
   * point is pointed at, or with null when none is.
   */
  constructor(container, onPlay, onPoint) {
    this.container = container;
    this.onPlay = onPlay;
    this.onPoint = onPoint;
    this.size = null;
    this.chosen = null;
  }

  /**
   * Shows a position of a game. `mover` is the side whose stones may be placed from here now, or
   * null.
   */
  show(view, mover) {
    this.view = view;
    this.mover = mover;
    this.legal = new Set(view.state.legal.map(pointOf));
    this.chosen = null;
    if (view.state.size !== this.size) this.build(view.state.size);
    this.overlay(null);
    this.drawing.draw(view, (vertex, on) => {
      const point = this.points.get(vertex).element;
      point.setAttribute("aria-label", describe(vertex, on));
      point.setAttribute("aria-disabled", String(!this.canPlay(vertex)));
    });
  }

  /** Disables playing until a position is shown again. */
  rest() {
    this.mover = null;
    for (const { element } of this.points?.values() ?? []) element.setAttribute("aria-disabled", "true");
  }

  build(size) {
    this.size = size;
    this.drawing = new Drawing(size, true, { role: "group", "aria-label": say("Board, {size}", { size: sizeInWords(size) }) });
    const { picture, layers, columns, rows } = this.drawing;
    Object.assign(this, { picture, layers, columns, rows });
    picture.append(this.buildPoints());
    picture.addEventListener("pointerleave", () => this.point(null));
    picture.addEventListener("keydown", (event) => this.onKey(event));
    this.container.replaceChildren(picture);
  }

  /** The interactive elements: one square per point. */
  buildPoints() {
    const points = svg("g", { class: "points" });
    this.points = new Map();
    for (let row = 0; row < this.rows; row += 1) {
      for (let column = 0; column < this.columns; column += 1) {
        const vertex = this.drawing.vertex(column, row);
        const [x, y] = this.drawing.place(column, row);
        const point = svg("rect", {
          x: x - 0.5, y: y - 0.5, width: 1, height: 1, rx: 0.12, role: "button",
          tabindex: row === this.rows - 1 && column === 0 ? 0 : -1, "data-vertex": vertex,
        });
        point.addEventListener("pointerenter", (event) => { if (event.pointerType !== "touch") this.point(vertex); });
        point.addEventListener("focus", () => this.point(vertex));
        // Some browsers report a finger's click as a mouse click.
        point.addEventListener("pointerdown", (event) => { this.pointer = event.pointerType; });
        point.addEventListener("click", () => this.click(vertex, this.pointer));
        this.points.set(vertex, { element: point, column, row });
        points.append(point);
      }
    }
    return points;
  }

  canPlay(vertex) {
    return this.mover !== null && this.legal.has(vertex);
  }

  point(vertex) {
    this.promise(vertex);
    this.onPoint(vertex);
  }

  /** Previews the effect of a stone on a point; null clears the preview. */
  promise(vertex) {
    this.layers.ghost.replaceChildren();
    if (vertex !== null && this.mover !== null && this.view.result === null) this.haunt(vertex);
  }

  /** Previews what a stone would do on a point, or shows that none may be placed there. */
  haunt(vertex) {
    const { ghost } = this.layers;
    const { column, row } = this.points.get(vertex);
    const [x, y] = this.drawing.place(column, row);
    if (!this.canPlay(vertex)) {
      if (this.view.illegal[vertex] && this.view.state.stones[row][column] === ".") ghost.append(marks.cross(x, y));
      return;
    }
    const { tiles, hot, incursion, removed, conquered } = this.view.previews[vertex] ?? { removed: [], conquered: [] };
    const side = this.mover === "B" ? "black" : "white";
    for (const point of conquered) ghost.append(marks.owned(...this.drawing.placeOf(point), side));
    if (tiles) ghost.append(marks.tile(x, y, tiles));
    ghost.append(marks.stone(x, y, this.mover === "B"));
    if (hot) ghost.append(marks.flame(x, y));
    if (incursion) ghost.append(marks.wedge(x, y, `on-${side}`));
    for (const point of removed) ghost.append(marks.cross(...this.drawing.placeOf(point)));
  }

  click(vertex, pointer) {
    this.focus(vertex);
    const spacing = this.picture.getBoundingClientRect().width / this.drawing.width;
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
      this.focus(this.drawing.vertex(inside(here.column + step[0], this.columns), inside(here.row + step[1], this.rows)));
      event.preventDefault();
    } else if (event.key === "Enter" || event.key === " ") {
      this.click(event.target.dataset.vertex, "key");
      event.preventDefault();
    }
  }

  /** Overlays a program's opinion on the board: `{candidates, best}`, `{occupancy}`, or nothing. */
  overlay(thought) {
    this.layers.overlay.replaceChildren();
    if (thought?.occupancy) this.drawOccupancy(thought.occupancy);
    if (thought?.candidates) this.drawCandidates(thought.candidates, thought.best);
  }

  /**
   * Paints the probability of each point, and rings the likeliest; of equal ones `best`, or else
   * the first.
   */
  drawCandidates(candidates, best) {
    const shares = sharesOf(candidates);
    const most = Math.max(...shares.values());
    const favourites = [...shares].filter(([, share]) => share === most).map(([vertex]) => vertex);
    const likeliest = favourites.find((vertex) => vertex === pointOf(best)) ?? favourites[0];
    for (const [vertex, share] of shares) {
      const spot = this.points.get(vertex);
      if (!spot || share < LEAST_SHOWN) continue;
      const heat = marks.heat(...this.drawing.place(spot.column, spot.row), share, vertex === likeliest);
      heat.dataset.heat = vertex;
      this.layers.overlay.append(heat);
    }
  }

  drawOccupancy({ black, white }) {
    for (const [vertex, { column, row }] of this.points) {
      const lead = black[row][column] - white[row][column];
      if (Math.abs(lead) < LEAST_SHOWN) continue;
      const holder = marks.holder(...this.drawing.place(column, row), lead);
      holder.dataset.final = vertex;
      this.layers.overlay.append(holder);
    }
  }
}

/** A point and what is on it, for screen readers. */
function describe(vertex, { stone, owner, tiles, isHot, isBanned, isLast, isIncursion }) {
  const words = [vertex, { X: say("black stone"), O: say("white stone"), ".": say("empty") }[stone]];
  if (isLast) words.push(say("last move"));
  if (isIncursion) words.push(say("an incursion"));
  if (isHot) words.push(say("hot"));
  if (isBanned) words.push(say("forbidden now"));
  if (tiles > 0) words.push(say(tiles === 1 ? "on a tile" : "on {count} tiles", { count: tiles }));
  if (owner !== ".") words.push(say(owner === "b" ? "owned by Black" : "owned by White"));
  return words.join(", ");
}
