// Puzzles: positions in which exactly one move keeps the win. The server decides what a move is
// worth.

import { Board } from "./board.js";
import { Choice, movesAt } from "./choice.js";
import { html } from "./elements.js";
import * as legend from "./legend.js";
import * as server from "./server.js";
import { say } from "./words.js";

/** How long a move is shown before it is answered, in milliseconds. */
const PAUSE = 700;

export const address = (rules, number = 1) => `#${new URLSearchParams({ puzzle: rules, number })}`;

/** The rules and the number of the puzzle named by the URL; null without one. */
export function fromAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  return asked.has("puzzle") ? { rules: asked.get("puzzle"), number: asked.get("number") ?? "1" } : null;
}

/** A link to the puzzles of a rule set, if it has any. */
export function links(lists) {
  const counts = new Map(lists.map(({ rules, count }) => [rules, count]));
  return (rules) => (counts.has(rules) ? [html("a", { className: "puzzles", href: address(rules), textContent: number(counts.get(rules)) })] : []);
}

const number = (count) => say(count === 1 ? "One puzzle" : "{count} puzzles", { count });

export class Puzzle {
  /** `onPlay(rules)` is called to play the game itself. */
  constructor(container, onPlay) {
    const button = (textContent, act, className = "") => {
      const made = html("button", { type: "button", textContent, className });
      made.addEventListener("click", act);
      return made;
    };
    this.place = html("div", { className: "board" });
    this.marks = html("ul", { className: "legend", hidden: true });
    this.marks.setAttribute("aria-label", say("What the marks mean"));
    this.heading = html("h1");
    this.goal = html("p");
    this.verdict = html("p", { className: "step" });
    this.words = html("ul", { className: "remarks" });
    this.hint = html("p", { className: "message", role: "status" });
    const again = () => {
      this.begin();
      // The button has gone, and keys go on at the board.
      container.focus({ preventScroll: true });
    };
    this.again = button(say("Try again"), again, "primary");
    this.solution = button(say("Show the solution"), () => this.answer("solution"));
    this.next = button(say("Next puzzle"), () => { location.hash = address(this.view.rules, (this.view.number % this.view.count) + 1); }, "primary");
    this.example = html("a", { className: "button", textContent: say("How the rule works") });
    const choice = html("div", { className: "choice", hidden: true });
    choice.setAttribute("role", "group");
    choice.setAttribute("aria-label", say("Which move?"));
    this.choice = new Choice(choice);
    const said = html("div", {}, this.verdict, this.words);
    said.setAttribute("aria-live", "polite");
    const actions = html("div", { className: "actions" }, this.again, this.next, this.solution, button(say("Play this game"), () => onPlay(this.view.rules)), this.example);
    const left = html("section", { className: "play" }, this.place, this.marks);
    left.setAttribute("aria-label", say("Puzzle"));
    const right = html("section", { className: "panel" }, html("div", { className: "card status" }, this.heading, this.goal, said, this.hint, choice, actions));
    right.setAttribute("aria-label", say("About the puzzle"));
    container.replaceChildren(left, right);
    this.board = new Board(this.place, (vertex) => this.choose(vertex), (vertex) => this.pointAt(vertex));
  }

  /** Shows a puzzle, with a way to the example of its rules. */
  open(view, example) {
    this.view = { ...view, result: null };
    this.example.href = example;
    this.heading.textContent = say("{title}: puzzle {number} of {count}", view);
    const isBlack = view.state.to_move === "B";
    const goal = say(isBlack ? "Black to play. Only one move keeps the win: which?" : "White to play. Only one move keeps the win: which?");
    this.goal.textContent = view.komi ? `${goal} ${say("Komi: {komi}.", view)}` : goal;
    this.next.hidden = view.count === 1;
    this.begin();
  }

  /** The initial position of the puzzle. */
  begin() {
    this.asked = null;
    this.show(this.view, this.view.state.to_move);
    this.tell("", this.view.remarks);
    this.again.hidden = true;
    this.solution.hidden = false;
    this.next.classList.remove("primary");
  }

  show(position, mover) {
    this.choice.hide();
    this.board.show(position, mover);
    legend.list(this.marks, this.place);
  }

  tell(verdict, words) {
    this.hint.textContent = "";
    this.verdict.textContent = verdict;
    this.words.replaceChildren(...words.map((textContent) => html("li", { textContent })));
  }

  /** Says what a stone would do on a point, or why none can be placed there. */
  pointAt(vertex) {
    if (this.asked !== null || !this.view) return;
    const words = vertex === null ? "" : this.view.illegal[vertex] ?? this.view.previews[vertex]?.words ?? "";
    this.hint.textContent = words && say("{what}: {words}", { what: vertex, words });
  }

  /** Plays on a point, or offers the moves that share it. */
  choose(vertex) {
    this.choice.offer(movesAt(this.view, vertex), this.board, vertex, (move) => this.answer(move));
  }

  /** Plays a move, and shows the outcome. */
  async answer(move) {
    const asked = { move };
    this.asked = asked;
    const isShown = move === "solution";
    try {
      const { right, words, steps } = await server.answer(this.view.rules, this.view.number, move);
      for (const [index, step] of steps.entries()) {
        if (index > 0) await new Promise((done) => { setTimeout(done, PAUSE); });
        if (this.asked !== asked) return;
        this.show({ ...step, illegal: {}, previews: {}, result: null }, null);
      }
      const verdict = isShown ? say("The solution is {move}.", { move: steps[0].last }) : say(right ? "{move} is right." : "{move} is not it.", { move });
      this.tell(verdict, [...words, ...steps.at(-1).remarks]);
      this.again.hidden = right && !isShown;
      this.solution.hidden = right;
      this.again.classList.toggle("primary", !right);
      this.next.classList.toggle("primary", right);
      (right && !this.next.hidden ? this.next : this.again).focus({ preventScroll: true });
    } catch (refusal) {
      if (this.asked !== asked) return;
      this.begin();
      this.hint.textContent = refusal.message;
    }
  }
}
