// The board as a picture that can be played on. It draws what the server says, and knows no rules.

const NS = "http://www.w3.org/2000/svg";
const COLUMNS = "ABCDEFGHJKLMNOPQRST";
/** Space around the points for the coordinates, in distances between points. */
const MARGIN = 1.05;
/** Points closer together than this many pixels are not hit safely by a finger: the first touch only chooses. */
const FINGER = 30;

function element(name, attributes = {}, text) {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Points that are drawn larger, for the eye alone. */
function starPoints(size) {
  if (size < 7) return [];
  const edge = size < 12 ? 2 : 3;
  const lines = size % 2 === 1 && size > 12 ? [edge, (size - 1) / 2, size - 1 - edge] : [edge, size - 1 - edge];
  const points = lines.flatMap((row) => lines.map((column) => [column, row]));
  if (size % 2 === 1 && size <= 12) points.push([(size - 1) / 2, (size - 1) / 2]);
  return points;
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
    this.size = 0;
    this.chosen = null;
  }

  /** Shows a game. `mover` is the side whose stones may be placed from here now, or null. */
  show(view, mover) {
    this.view = view;
    this.mover = mover;
    this.legal = new Set(view.state.legal.map((move) => move.replace("*", "")));
    this.chosen = null;
    if (view.state.size !== this.size) this.build(view.state.size);
    this.overlay(null);
    this.draw();
  }

  vertex(column, row) {
    return `${COLUMNS[column]}${this.size - row}`;
  }

  place(column, row) {
    return [MARGIN + column, MARGIN + row];
  }

  build(size) {
    this.size = size;
    const side = size - 1 + 2 * MARGIN;
    const picture = element("svg", { viewBox: `0 0 ${side} ${side}`, role: "group", "aria-label": `Board, ${size} by ${size}` });
    picture.append(element("rect", { class: "wood", width: side, height: side }), definitions());
    const far = MARGIN + size - 1;
    const lines = element("g", { class: "lines", "aria-hidden": "true" });
    for (let index = 0; index < size; index += 1) {
      const at = MARGIN + index;
      lines.append(element("line", { x1: MARGIN, x2: far, y1: at, y2: at }), element("line", { x1: at, x2: at, y1: MARGIN, y2: far }));
    }
    for (const [column, row] of starPoints(size)) {
      const [cx, cy] = this.place(column, row);
      lines.append(element("circle", { cx, cy, r: 0.1 }));
    }
    const labels = element("g", { class: "labels", "aria-hidden": "true" });
    for (let index = 0; index < size; index += 1) {
      const at = MARGIN + index;
      for (const edge of [0.36, side - 0.36]) {
        labels.append(element("text", { x: at, y: edge }, COLUMNS[index]), element("text", { x: edge, y: at }, String(size - index)));
      }
    }
    this.layers = {};
    picture.append(lines, labels);
    for (const name of ["owned", "tiles", "stones", "overlay", "marks", "ghost"]) {
      this.layers[name] = element("g", { class: name, "aria-hidden": "true" });
      picture.append(this.layers[name]);
    }
    picture.append(this.buildPoints(size));
    picture.addEventListener("pointerleave", () => this.point(null));
    picture.addEventListener("keydown", (event) => this.onKey(event));
    this.picture = picture;
    this.container.replaceChildren(picture);
  }

  /** What can be pointed at, clicked and tabbed to: one square for each point. */
  buildPoints(size) {
    const points = element("g", { class: "points" });
    this.points = new Map();
    for (let row = 0; row < size; row += 1) {
      for (let column = 0; column < size; column += 1) {
        const vertex = this.vertex(column, row);
        const [x, y] = this.place(column, row);
        const point = element("rect", {
          x: x - 0.5, y: y - 0.5, width: 1, height: 1, rx: 0.12, role: "button",
          tabindex: row === size - 1 && column === 0 ? 0 : -1, "data-vertex": vertex,
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
    const { owned, tiles, stones, marks } = this.layers;
    for (const layer of [owned, tiles, stones, marks, this.layers.ghost]) layer.replaceChildren();
    const hot = new Set(state.hot ?? []);
    for (const [vertex, { element: point, column, row }] of this.points) {
      const [x, y] = this.place(column, row);
      const owner = state.owner?.[row][column] ?? ".";
      const height = Number(state.tiles?.[row][column] ?? 0);
      const stone = state.stones[row][column];
      if (owner !== ".") owned.append(element("rect", { x: x - 0.5, y: y - 0.5, width: 1, height: 1, class: owner === "b" ? "black" : "white" }));
      if (height > 0) tiles.append(tile(x, y, height));
      if (stone !== ".") stones.append(stoneAt(x, y, stone === "X"));
      if (hot.has(vertex)) marks.append(flame(x, y));
      point.setAttribute("aria-label", this.describe(vertex, stone, owner, height, hot.has(vertex)));
      point.setAttribute("aria-disabled", String(!this.canPlay(vertex)));
    }
    const last = moves.findLast(({ move }) => move !== "pass");
    const newest = moves.at(-1);
    if (last && (newest === last || state.last_incursion)) this.markLast(last, newest === last);
  }

  /** The last stone has a ring, and a wedge if it was an incursion. */
  markLast({ player, move }, newest) {
    const spot = this.points.get(move.replace("*", ""));
    const [x, y] = this.place(spot.column, spot.row);
    const on = this.view.state.stones[spot.row][spot.column] === "." ? "empty" : player === "B" ? "on-black" : "on-white";
    if (newest) this.layers.marks.append(element("circle", { cx: x, cy: y, r: 0.2, class: `last ${on}` }));
    if (this.view.state.last_incursion) {
      const wedge = `M${x - 0.14},${y - 0.43}h0.28l-0.14,0.19z`;
      const mark = element("path", { d: wedge, class: `incursion ${on}` });
      mark.append(element("title", {}, "An incursion"));
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
      if (this.canPlay(vertex)) ghost.append(stoneAt(x, y, this.mover === "B"));
      else if (this.view.illegal[vertex] && this.view.state.stones[row][column] === ".") ghost.append(cross(x, y));
    }
    this.onPoint(vertex);
  }

  click(vertex, pointer) {
    this.focus(vertex);
    const spacing = this.picture.getBoundingClientRect().width / (this.size - 1 + 2 * MARGIN);
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
      const inside = (at) => Math.min(this.size - 1, Math.max(0, at));
      this.focus(this.vertex(inside(here.column + step[0]), inside(here.row + step[1])));
      event.preventDefault();
    } else if (event.key === "Enter" || event.key === " ") {
      this.click(event.target.dataset.vertex, "key");
      event.preventDefault();
    }
  }

  /** Shows what a model thinks on top of the board: `{candidates}`, `{occupancy}`, or nothing. */
  overlay(thought) {
    this.layers.overlay.replaceChildren();
    if (thought?.occupancy) this.drawOccupancy(thought.occupancy);
    if (thought?.candidates) this.drawCandidates(thought.candidates);
  }

  drawCandidates(candidates) {
    const shares = new Map();
    for (const { move, share } of candidates) {
      const vertex = move.replace("*", "");
      shares.set(vertex, (shares.get(vertex) ?? 0) + share);
    }
    const best = candidates[0]?.move.replace("*", "");
    for (const [vertex, share] of shares) {
      const spot = this.points.get(vertex);
      if (!spot || share < 0.005) continue;
      const [x, y] = this.place(spot.column, spot.row);
      const heat = element("g", { class: vertex === best ? "heat best" : "heat", "data-heat": vertex });
      heat.append(element("circle", { cx: x, cy: y, r: 0.44, "fill-opacity": (0.12 + 0.78 * Math.sqrt(Math.min(1, share / 0.3))).toFixed(3) }));
      if (share >= 0.02) heat.append(element("text", { x, y }, Math.round(100 * share)));
      this.layers.overlay.append(heat);
    }
  }

  drawOccupancy({ black, white }) {
    for (const { column, row } of this.points.values()) {
      const [x, y] = this.place(column, row);
      const lead = black[row][column] - white[row][column];
      const side = 0.62 * Math.sqrt(Math.abs(lead));
      if (side < 0.08) continue;
      this.layers.overlay.append(element("rect", {
        x: x - side / 2, y: y - side / 2, width: side, height: side, rx: 0.05,
        class: lead > 0 ? "final black" : "final white", "data-final": this.vertex(column, row),
      }));
    }
  }
}

function stoneAt(cx, cy, isBlack) {
  return element("circle", { cx, cy, r: 0.465, class: isBlack ? "stone black" : "stone white" });
}

function tile(x, y, height) {
  const group = element("g", { class: "tile" });
  group.append(element("rect", { x: x - 0.48, y: y - 0.48, width: 0.96, height: 0.96, rx: 0.1 }));
  if (height > 1) group.append(element("text", { x: x + 0.36, y: y + 0.38 }, height));
  return group;
}

function flame(x, y) {
  const group = element("g", { class: "hot" });
  group.append(element("circle", { cx: x, cy: y, r: 0.42 }), element("path", {
    d: `M${x},${y - 0.24}c0.05,0.14 0.18,0.18 0.18,0.34a0.18,0.18 0 0 1 -0.36,0c0,-0.09 0.05,-0.14 0.08,-0.2c0.03,0.05 0.05,0.07 0.08,0.08c0.01,-0.08 0,-0.15 0.02,-0.22z`,
  }));
  return group;
}

function cross(x, y) {
  const reach = 0.17;
  return element("path", { class: "cross", d: `M${x - reach},${y - reach}l${2 * reach},${2 * reach}m0,${-2 * reach}l${-2 * reach},${2 * reach}` });
}

/** The shading of stones. */
function definitions() {
  const all = element("defs");
  for (const name of ["black", "white"]) {
    const shade = element("radialGradient", { id: `${name}-stone`, cx: "36%", cy: "30%", r: "75%" });
    shade.append(element("stop", { offset: "0%", class: `${name}-light` }), element("stop", { offset: "100%", class: `${name}-dark` }));
    all.append(shade);
  }
  return all;
}
