// Going back in a game: which of its positions is shown, chosen by the record, the graph, buttons
// or the arrow keys.

import { at, html } from "./elements.js";
import * as server from "./server.js";
import { Steps } from "./steps.js";
import { moveInWords, say } from "./words.js";

export class Review {
  /**
   * `onShow` is called when another position is to be shown, `onRefusal` with a refusal of the
   * server.
   */
  constructor(onShow, onRefusal) {
    Object.assign(this, { onShow, onRefusal });
    /** The step shown, as sent by the server; null for the game as it is now. */
    this.step = null;
    this.steps = new Steps({ first: at("first"), previous: at("previous"), next: at("next"), last: at("last") }, (turn) => this.go(turn));
    at("live").addEventListener("click", () => {
      this.go(this.steps.end);
      // The button has gone, and keys go on where one goes back again.
      at("previous").focus({ preventScroll: true });
    });
  }

  /** The number of turns after which the game is shown; null for now. */
  get turn() {
    return this.step?.turn ?? null;
  }

  /** Receives a game. A position that has been taken back is no longer shown. */
  take(view) {
    const isOther = view.id !== this.id;
    const before = isOther ? [] : this.view.moves;
    const turn = this.turn ?? 0;
    // Others may have been played since they were taken back: a page that is hidden misses turns.
    const isGone = turn >= view.moves.length || before.slice(0, turn).some(({ move }, index) => move !== view.moves[index].move);
    Object.assign(this, { id: view.id, view });
    if (isOther || isGone) this.step = null;
    this.list();
  }

  async go(turn) {
    const asked = (this.asked = {});
    const { id } = this;
    // The next step counts from here, even before the answer arrives.
    this.steps.at = turn;
    if (turn >= this.view.moves.length) return this.show(null);
    try {
      const step = await server.position(id, turn);
      if (asked === this.asked && id === this.id && turn < this.view.moves.length) this.show(step);
    } catch (refusal) {
      if (asked !== this.asked || id !== this.id) return undefined;
      this.list();
      this.onRefusal(refusal);
    }
    return undefined;
  }

  show(step) {
    this.step = step;
    this.list();
    this.onShow();
  }

  /** The record, in which each turn links to its position. */
  list() {
    const { moves } = this.view;
    const shown = this.turn ?? moves.length;
    const items = moves.map(({ player, move }, index) => {
      const button = html("button", { type: "button", textContent: moveInWords(move) });
      button.addEventListener("click", () => this.go(index + 1));
      if (index + 1 === shown) button.setAttribute("aria-current", "step");
      return html("li", { className: player === "B" ? "black" : "white" }, button);
    });
    const list = at("moves");
    const focused = list.contains(document.activeElement);
    list.replaceChildren(...items);
    const current = items[shown - 1];
    if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
    else list.scrollTop = 0;
    if (focused) current?.firstChild.focus({ preventScroll: true });
    this.steps.set(shown, moves.length);
    at("count").textContent = moves.length === 0 ? "" : say("{number} of {count}", { number: shown, count: moves.length });
    at("stepper").hidden = moves.length === 0;
    at("live").hidden = this.step === null;
  }
}
