// What the program sees, on demand: good moves, the final board, and the course of the game.

import { LEAST_SHOWN, pointOf, sharesOf } from "./board.js";
import * as graph from "./graph.js";
import * as server from "./server.js";

const at = (id) => document.getElementById(id);
const NAMES = { B: "Black", W: "White" };

export class Insight {
  /**
   * `now` says what is shown: the game's `id`, its `view`, the `turn` that is looked at (null for the last) and the side
   * that is `you`. `onShow` is called when the board has another overlay, `onTurn` with a turn chosen in the graph.
   */
  constructor(board, now, onShow, onTurn) {
    Object.assign(this, { board, now, onShow, onTurn });
    this.wanted = { policy: false, occupancy: false, course: false };
    this.thought = null;
    this.asking = 0;
    for (const name of Object.keys(this.wanted)) {
      at(name).addEventListener("click", () => {
        this.wanted[name] = !this.wanted[name];
        at(name).setAttribute("aria-pressed", this.wanted[name]);
        if (this.wanted[name] && (name !== "policy" || !this.thought)) this.look();
        else this.show();
      });
    }
  }

  /** Forgets what was found, because another position is shown. */
  forget() {
    this.thought = null;
  }

  async look() {
    const request = (this.asking += 1);
    const isCurrent = () => request === this.asking;
    this.show();
    const { id, view, turn } = this.now();
    if (!view.analysis || (view.thinking && turn === null)) return;
    try {
      if (this.wanted.policy || this.wanted.occupancy) {
        const found = await server.analysis(id, this.wanted.occupancy, turn);
        if (isCurrent() && found.version === this.now().view.version) this.thought = found;
      }
      if (this.wanted.course) {
        const course = await server.graph(id);
        if (isCurrent()) this.course = course;
      }
      if (isCurrent()) this.show();
    } catch (refusal) {
      if (isCurrent()) at("opinion").textContent = refusal.message;
    }
  }

  show() {
    const { view, turn } = this.now();
    if (!view) return;
    const { thought, wanted } = this;
    at("graph").hidden = !wanted.course;
    if (wanted.course && this.course) this.drawCourse();
    this.board.overlay(thought && {
      candidates: wanted.policy ? thought.candidates : null,
      best: thought.best,
      occupancy: wanted.occupancy ? thought.occupancy : null,
    });
    const isWanted = wanted.policy || wanted.occupancy;
    const isBusy = view.thinking && turn === null;
    at("opinion").textContent = isWanted && thought ? this.opinion(thought) : isWanted && !isBusy ? "Looking …" : "";
    this.onShow();
  }

  drawCourse() {
    const { view, turn } = this.now();
    const winrates = this.course.winrates.map((winrate) => this.chance(winrate));
    graph.draw(at("graph"), winrates, view.moves.map(({ move }) => move), this.whose(), turn ?? view.moves.length, this.onTurn);
  }

  /** Whose chances are shown: the player's own, else Black's. */
  whose() {
    return this.now().you ? "Your" : "Black’s";
  }

  /** Black's chance as the chance of that side. */
  chance(winrate) {
    return winrate !== null && this.now().you === "W" ? 1 - winrate : winrate;
  }

  opinion({ proven, winrate, best, candidates, occupancy }) {
    const { you } = this.now();
    const late = this.wanted.occupancy && !occupancy ? " There was no time to play the game out." : "";
    const winner = proven === you ? "You win" : you ? "You lose" : `${NAMES[proven]} wins`;
    const outlook = proven === "draw" ? "A draw with best play" : proven ? `${winner}, whatever happens`
      : `${this.whose()} chance to win: ${graph.percent(this.chance(winrate))}`;
    return `${outlook}.${best && this.wanted.policy ? preference(best, candidates) : ""}${late}`;
  }
}

/** What it would play, and why that is not the likeliest move where it is not. */
function preference(best, candidates) {
  const shares = sharesOf(candidates);
  const isLikeliest = shares.get(pointOf(best)) === Math.max(...shares.values());
  const passing = shares.get("pass") >= LEAST_SHOWN ? ` Passing: ${graph.percent(shares.get("pass"))}.` : "";
  return ` It would play ${best}${isLikeliest ? "" : ", which it has looked at most"}.${passing}`;
}
