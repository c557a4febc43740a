// What the program sees, on demand: good moves, the expected final board, and the course of the
// game.

import { LEAST_SHOWN, pointOf, sharesOf } from "./board.js";
import { at, html } from "./elements.js";
import * as graph from "./graph.js";
import * as server from "./server.js";
import { moveInWords, say } from "./words.js";

export class Insight {
  /**
   * `now` returns what is shown: the game's `id`, its `view`, the `turn` shown (null for the last)
   * and the side that is `you`. `onShow` is called when the board gets another overlay, `onTurn`
   * with a turn chosen in the graph.
   */
  constructor(board, now, onShow, onTurn) {
    Object.assign(this, { board, now, onShow, onTurn });
    this.wanted = { policy: false, occupancy: false, course: false };
    this.thought = null;
    /** Why the last request was refused; null if it was not. */
    this.refusal = null;
    this.asking = 0;
    this.stop = new AbortController();
    for (const name of Object.keys(this.wanted)) {
      at(name).addEventListener("click", () => this.want(name, !this.wanted[name]));
    }
  }

  want(name, isWanted) {
    this.wanted[name] = isWanted;
    at(name).setAttribute("aria-pressed", isWanted);
    // What was refused may be answered now.
    if (this.refusal !== null || (isWanted && (name !== "policy" || !this.thought))) return this.look();
    return this.show();
  }

  /** Discards findings and pending requests, because another position is shown. */
  forget() {
    this.thought = this.refusal = null;
    this.asking += 1;
    this.stop.abort();
  }

  async look() {
    const request = (this.asking += 1);
    const isCurrent = () => request === this.asking;
    this.stop.abort();
    this.stop = new AbortController();
    const { signal } = this.stop;
    const { occupancy } = this.wanted;
    this.refusal = null;
    this.show();
    const { id, view, turn } = this.now();
    if (!view.analysis || (view.thinking && turn === null)) return;
    try {
      if (this.wanted.policy || this.wanted.occupancy) {
        const found = await server.analysis({ id, occupancy, turn }, signal);
        if (isCurrent() && found.version === this.now().view.version) this.thought = { ...found, wasPlayedOut: occupancy };
      }
      if (this.wanted.course) {
        const course = await server.graph(id, signal);
        if (isCurrent()) this.course = { ...course, id };
      }
      if (isCurrent()) this.show();
      if (isCurrent() && this.wanted.course && view.result !== null) await this.findBetter(isCurrent, signal);
    } catch (refusal) {
      if (!isCurrent()) return;
      this.refusal = refusal.message;
      this.show();
    }
  }

  /** Asks what would have been better than the turns that cost most. */
  async findBetter(isCurrent, signal) {
    const { id, view } = this.now();
    if (this.better?.version !== view.version) this.better = { version: view.version, moves: new Map() };
    const { moves } = this.better;
    for (const { turn } of this.course.swings) {
      if (!moves.has(turn)) moves.set(turn, (await server.analysis({ id, occupancy: false, turn: turn - 1 }, signal)).best);
      if (!isCurrent() || !this.wanted.course) return;
      this.listSwings();
    }
  }

  /** The turns that cost most, each linked to the position before it. */
  listSwings() {
    const { view } = this.now();
    const better = this.better?.version === view.version ? this.better.moves : new Map();
    const items = this.course.swings.map(({ turn, player, move, lost }) => {
      const best = better.get(turn);
      const cost = say(player === "B" ? "{turn}. Black {move} cost {chance}" : "{turn}. White {move} cost {chance}", { turn, move: moveInWords(move), chance: graph.percent(lost) });
      const advice = best === undefined ? "" : best === move ? say("nothing better was found") : say("better was {best}", { best: moveInWords(best) });
      const button = html("button", { type: "button", textContent: [cost, advice].filter(Boolean).join("; ") });
      button.addEventListener("click", () => this.onTurn(turn - 1));
      return html("li", {}, button);
    });
    const list = at("swings");
    const focused = [...list.children].findIndex((item) => item.contains(document.activeElement));
    list.replaceChildren(...items);
    list.hidden = items.length === 0;
    items[focused]?.firstChild.focus({ preventScroll: true });
  }

  show() {
    const { view, turn } = this.now();
    if (!view) return;
    const { thought, wanted } = this;
    // Until the next answer, the course of the same game stays, but not that of another one.
    at("graph").hidden = !wanted.course || this.course?.id !== view.id;
    at("swings").hidden = true;
    if (wanted.course && this.course?.version === view.version) this.drawCourse();
    this.board.overlay(thought && {
      candidates: wanted.policy ? thought.candidates : null,
      best: thought.best,
      occupancy: wanted.occupancy ? thought.occupancy : null,
    });
    const isWanted = wanted.policy || wanted.occupancy;
    const isBusy = view.thinking && turn === null;
    const opinion = isWanted && thought ? this.opinion(thought) : isWanted && !isBusy ? say("Looking …") : "";
    at("opinion").textContent = this.refusal ?? opinion;
    this.onShow();
  }

  drawCourse() {
    const { view, turn } = this.now();
    const winrates = this.course.winrates.map((winrate) => this.chance(winrate));
    graph.draw(at("graph"), winrates, view.moves.map(({ move }) => moveInWords(move)), this.whose(), turn ?? view.moves.length, this.onTurn);
    this.listSwings();
  }

  /** Whose winning probabilities are shown: the player's own, otherwise Black's. */
  whose() {
    return say(this.now().you ? "Your chance to win" : "Black’s chance to win");
  }

  /** Converts Black's winning probability to that of a side. */
  chance(winrate) {
    return winrate !== null && this.now().you === "W" ? 1 - winrate : winrate;
  }

  opinion({ proven, winrate, best, candidates, occupancy, wasPlayedOut }) {
    const { you } = this.now();
    const late = !this.wanted.occupancy || occupancy ? "" : say(wasPlayedOut ? "There was no time to play the game out." : "Looking …");
    const outlook = proven ? certain(proven, you)
      : say("{whose}: {chance}.", { whose: this.whose(), chance: graph.percent(this.chance(winrate)) });
    return [outlook, ...(best && this.wanted.policy ? preference(best, candidates) : []), late].filter(Boolean).join(" ");
  }
}

/** A proven result, in words. */
function certain(proven, you) {
  if (proven === "draw") return say("A draw with best play.");
  if (you) return say(proven === you ? "You win, whatever happens." : "You lose, whatever happens.");
  return say(proven === "B" ? "Black wins, whatever happens." : "White wins, whatever happens.");
}

/** What it would play, and if that is not the likeliest move, why not. */
function preference(best, candidates) {
  const shares = sharesOf(candidates);
  const isLikeliest = shares.get(pointOf(best)) === Math.max(...shares.values());
  const play = best === "pass" ? say("It would pass.")
    : say(isLikeliest ? "It would play {best}." : "It would play {best}, which it has looked at most.", { best });
  return shares.get("pass") >= LEAST_SHOWN ? [play, say("Passing: {chance}.", { chance: graph.percent(shares.get("pass")) })] : [play];
}
