// The laboratory: the same moves under two rule sets, side by side. The server decides what is
// legal, and why something is not.

import { Board } from "./board.js";
import { Choice, movesAt } from "./choice.js";
import { ahead, legalInOne, placements, show } from "./differences.js";
import { at, fill, html } from "./elements.js";
import * as marks from "./marks.js";
import { OwnRules } from "./rules.js";
import * as server from "./server.js";
import { chosenSize, plainSize, rowsInWords, sides, sizeInWords } from "./size.js";
import { say } from "./words.js";

/** Simulations of successive searches, so that something is visible soon. */
const SIMULATIONS = [16, 64, 256];

/** The URL of a comparison. */
const address = ({ rules: [a, b], size, moves }) => `#laboratory&${new URLSearchParams({ a, b, size, moves: moves.join(".") })}`;

const isLegalInBoth = (boards, move) => boards.every(({ state }) => state.legal.includes(move));

/** The estimates of the final board under both rule sets; null unless there are both. */
function estimatesOf(found) {
  const estimates = found?.boards.map(({ opinion }) => opinion.occupancy);
  return estimates?.every(Boolean) ? estimates : null;
}

/**
 * The comparison named by the URL, as far as it names one; null if it does not lead to the
 * laboratory.
 */
export function fromAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  if (!words.has("laboratory")) return null;
  return { rules: [words.get("a"), words.get("b")], size: words.get("size"), moves: (words.get("moves") ?? "").split(".").filter(Boolean) };
}

export class Laboratory {
  constructor(offer) {
    this.offer = offer;
    /** Whether the page currently shows the laboratory. */
    this.isOpen = false;
    this.moves = [];
    /** The server's findings about the position shown; null without one. */
    this.found = null;
    /** The URL of the last request, so that the same is not requested twice. */
    this.asked = null;
    this.asking = 0;
    /** Aborts the request in progress, so that the server ends a search for which nobody waits. */
    this.stop = new AbortController();
    /**
     * Whether the last search has neither answered all of its steps nor been refused. If it was ended
     * before, nobody knows whether there would have been time for more.
     */
    this.isSearching = false;
    this.sides = ["a", "b"].map((id) => ({
      id, letter: id.toUpperCase(),
      rules: new OwnRules(offer, { input: at(`rules-${id}`), parts: at(`parts-${id}`) }, () => this.arrange()),
      board: new Board(at(`board-${id}`), (vertex) => this.place(id, vertex), (vertex) => this.pointAt(id, vertex)),
    }));
    for (const id of ["laboratory-size", "laboratory-rows"]) at(id).addEventListener("input", () => this.resize());
    this.choice = new Choice(at("laboratory-choice"));
    at("laboratory-pass").addEventListener("click", () => this.play("pass"));
    at("laboratory-undo").addEventListener("click", () => this.go(this.moves.slice(0, -1)));
    at("laboratory-clear").addEventListener("click", () => this.go([]));
    at("laboratory-retry").addEventListener("click", () => this.retry());
    for (const input of document.querySelectorAll("#difference-title ~ fieldset input")) input.addEventListener("input", () => this.choose());
  }

  /** Shows the comparison named by a URL, with defaults for what it omits. */
  open({ rules, size, moves }) {
    const { variants, sizes, usual_size: usual } = this.offer;
    this.isOpen = true;
    this.moves = moves;
    this.asked = null;
    this.forget();
    at("laboratory-message").textContent = "";
    this.size = String(size ? plainSize(size) : usual);
    const { columns, rows } = sides(this.size);
    const offered = [...new Set([...sizes, columns, rows])];
    fill(at("laboratory-size"), offered.map((each) => [each, sizeInWords(each)]), columns);
    fill(at("laboratory-rows"), rowsInWords(offered), rows === columns ? "" : rows);
    for (const [index, side] of this.sides.entries()) {
      side.rules.setSize(this.size);
      side.rules.text = rules[index] ?? variants[Math.min(index, variants.length - 1)].rules;
    }
    document.title = `${say("Laboratory")} · Hotstone`;
  }

  leave() {
    this.isOpen = false;
    this.abort();
  }

  /** Ends the search in progress, if any. */
  abort() {
    this.asking += 1;
    this.stop.abort();
    this.stop = new AbortController();
  }

  resize() {
    const size = String(chosenSize(at("laboratory-size"), at("laboratory-rows")));
    // As many rows as columns are a square, however that is said.
    if (size === this.size) return;
    this.size = size;
    this.moves = [];
    for (const { rules } of this.sides) rules.setSize(this.size);
  }

  /** The kind of difference that is chosen. */
  get map() {
    return document.querySelector("input[name=map]:checked").value;
  }

  /** Whether both texts are rule sets, as far as is known. */
  get isReady() {
    return this.sides.every(({ rules }) => rules.isValid);
  }

  /** Shows what is known about the two texts, and starts the comparison once both are rule sets. */
  arrange() {
    if (!this.isOpen) return;
    for (const { id, rules } of this.sides) {
      at(`verdict-${id}`).textContent = rules.verdict;
      at(`verdict-${id}`).classList.toggle("error", Boolean(rules.found?.reason));
    }
    if (this.isReady) {
      this.look();
    } else {
      this.wait();
      if (this.found) this.compare();
    }
  }

  go(moves) {
    this.moves = moves;
    this.arrange();
  }

  /** Asks again for what was refused. */
  retry() {
    for (const { rules } of this.sides) if (rules.isRefused) rules.ask();
    this.arrange();
    // The button has gone, and keys go on at the beginning.
    at("laboratory").focus({ preventScroll: true });
  }

  /** Plays on a point of one of the boards: a move that is legal under both rule sets. */
  place(id, vertex) {
    const { boards } = this.found;
    const moves = movesAt(boards[0], vertex).filter(({ move }) => isLegalInBoth(boards, move));
    this.choice.offer(moves, this.sides.find((side) => side.id === id).board, vertex, (move) => this.play(move));
  }

  play(move) {
    if (this.isReady) this.go([...this.moves, move]);
  }

  /** Disables playing until something is known about the position. */
  wait() {
    this.abort();
    this.asked = null;
    this.choice.hide();
    for (const { board } of this.sides) board.rest();
    at("laboratory-retry").hidden = !this.sides.some(({ rules }) => rules.isRefused);
    at("laboratory-pass").disabled = true;
    at("laboratory-undo").disabled = at("laboratory-clear").disabled = this.moves.length === 0;
  }

  /** Searches the position successively longer, unless that was requested last. */
  async look() {
    const wanted = { rules: this.sides.map(({ rules }) => rules.found.variant.rules), size: this.size, moves: this.moves };
    const link = address(wanted);
    if (link === this.asked) return;
    this.wait();
    this.asked = link;
    history.replaceState(null, "", link);
    await this.search(wanted, SIMULATIONS);
  }

  async search(wanted, steps) {
    this.abort();
    const request = this.asking;
    const { signal } = this.stop;
    const size = Number(wanted.size) || wanted.size;
    // The final board does not depend on the simulations, so one answer about it is enough, even
    // if there was no time: longer searches leave less.
    let estimates = this.wanted && address(this.wanted) === address(wanted) ? estimatesOf(this.found) : null;
    this.isSearching = true;
    if (this.found) this.compare();
    for (const [index, simulations] of steps.entries()) {
      try {
        const occupancy = this.map === "ownership" && !estimates;
        const found = await server.compare({ ...wanted, size, simulations, occupancy }, signal);
        if (request !== this.asking) return;
        if (occupancy) estimates = found.boards.map(({ opinion }) => opinion.occupancy);
        else if (estimates) for (const [which, { opinion }] of found.boards.entries()) opinion.occupancy = estimates[which];
        this.isSearching = index < steps.length - 1;
        this.take(found, wanted, index > 0);
      } catch (refusal) {
        if (request !== this.asking) return;
        this.isSearching = false;
        if (this.found && this.wanted === wanted) {
          // What is known of this position stays, and another kind of difference asks again.
          this.compare();
        } else {
          this.asked = null;
          this.forget();
          at("laboratory-retry").hidden = false;
        }
        at("laboratory-message").textContent = refusal.message;
        return;
      }
    }
  }

  /** Shows another kind of difference, and estimates the final board if that has not been done. */
  choose() {
    if (!this.found) return;
    const lacks = this.found.boards.some(({ opinion }) => opinion.occupancy === null);
    // A search of another position that has begun in the meantime estimates its own.
    if (this.map === "ownership" && lacks && this.asked === address(this.wanted)) this.search(this.wanted, SIMULATIONS.filter((each) => each >= this.found.simulations));
    else this.compare();
  }

  forget() {
    this.found = null;
    at("comparison").hidden = true;
  }

  /** Shows the findings; the boards are left unchanged if the position is `known`. */
  take(found, wanted, known) {
    const isShown = known || this.wanted === wanted && this.found !== null;
    Object.assign(this, { found, wanted });
    at("comparison").hidden = false;
    if (!isShown) this.draw();
    for (const [index, side] of this.sides.entries()) this.tell(side, found.boards[index]);
    at("laboratory-search").textContent = say("From {count} simulations of each search; {most} are the most.", { count: found.simulations, most: SIMULATIONS.at(-1) });
    this.compare();
  }

  /**
   * Draws the boards. A point can be played if it is legal under both rule sets; if it is legal
   * under only one, that one's letter is marked.
   */
  draw() {
    const { boards } = this.found;
    const only = legalInOne(boards);
    const both = boards[0].state.legal.filter((move) => isLegalInBoth(boards, move));
    for (const [index, { board }] of this.sides.entries()) {
      const view = boards[index];
      const isOver = boards.some(({ state }) => state.result !== null);
      board.show({ ...view, state: { ...view.state, legal: both }, result: view.state.result }, isOver ? null : view.state.to_move);
      for (const [vertex, letter] of only) {
        board.layers.marks.append(marks.onlyOne(...board.drawing.placeOf(vertex), letter));
        const point = board.points.get(vertex).element;
        point.setAttribute("aria-label", `${point.getAttribute("aria-label")}, ${say("legal under {letter} only", { letter })}`);
      }
    }
    this.offerPass();
    at("laboratory-message").textContent = "";
  }

  /** Offers the turn without a stone, by the name that it has under both rule sets. */
  offerPass() {
    const [name, other] = this.found.boards.map(({ pass }) => pass?.label);
    at("laboratory-pass").textContent = name && name === other ? name : say("Pass");
    const reason = ({ pass }) => (pass === null ? say("These rules have no passing") : pass.reason);
    const reasons = this.found.boards.map(reason).map((why, index) => why && say("{what}: {words}", { what: this.sides[index].letter, words: why }));
    at("laboratory-pass").disabled = reasons.some(Boolean);
    at("laboratory-pass").title = reasons.filter(Boolean).join(". ");
  }

  /** What there is to say about the position under one of the rule sets. */
  tell({ id, letter }, view) {
    const { title, standing, remarks, opinion, state } = view;
    at(`title-${id}`).textContent = say("{what}: {words}", { what: letter, words: title });
    const said = [standing, ...(state.result === null ? [ahead(opinion), say("Preferred move: {move}", { move: opinion.best === "pass" ? view.pass.label : opinion.best })] : []),
      say("Legal placements: {count}", { count: placements(view).size }), ...remarks];
    at(`facts-${id}`).replaceChildren(html("ul", { className: "remarks" }, ...said.map((textContent) => html("li", { textContent }))));
  }

  compare() {
    show(this.map, this.found.boards, this.isSearching, at("difference-board"), at("difference-words"));
  }

  /** Says what a stone would do on a point under each rule set, or why none can be placed there. */
  pointAt(id, vertex) {
    if (!this.found) return;
    for (const side of this.sides) if (side.id !== id) side.board.promise(vertex);
    const words = vertex === null ? [] : this.sides.map(({ letter }, index) => {
      const { illegal, previews } = this.found.boards[index];
      const said = illegal[vertex] ?? previews[vertex]?.words;
      return said && say("{what}: {words}", { what: letter, words: said });
    });
    const letter = legalInOne(this.found.boards).get(vertex);
    const only = letter && say("legal under {letter} only, so it cannot be played", { letter });
    const { board } = this.sides.find((side) => side.id === id);
    const again = board.chosen !== null && board.chosen === vertex && board.canPlay(vertex) && say("Touch {point} again to play there", { point: vertex });
    const all = [only, ...words, again].filter(Boolean);
    at("laboratory-message").textContent = all.length > 0 ? say("{what}: {words}", { what: vertex, words: all.join(". ") }) : "";
  }
}
