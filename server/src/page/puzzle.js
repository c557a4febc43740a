// Puzzles: positions in which exactly one move keeps the win. What a move is worth, the server says.

import { Board } from "./board.js";
import { html } from "./elements.js";
import * as legend from "./legend.js";
import * as server from "./server.js";

/** Everything that is said here; all else comes from the server. */
const WORDS = {
  puzzles: (count) => `${count} ${count === 1 ? "puzzle" : "puzzles"}`,
  board: "Puzzle",
  about: "About the puzzle",
  title: (title, number, count) => `${title}: puzzle ${number} of ${count}`,
  goal: (mover, komi) => `${mover} to play${komi}. Only one move keeps the win: which?`,
  komi: (komi) => `, with a komi of ${komi}`,
  right: (move) => `${move} is right.`,
  wrong: (move) => `${move} is not it.`,
  shown: (move) => `The solution is ${move}.`,
  again: "Try again",
  solution: "Show the solution",
  next: "Next puzzle",
  game: "Play this game",
  example: "How the rule works",
};

/** How long a move is seen before it is answered, in milliseconds. */
const PAUSE = 700;

export const address = (rules, number = 1) => `#${new URLSearchParams({ puzzle: rules, number })}`;

/** The rules and the number of the puzzle that the address names; null without one. */
export function fromAddress() {
  const asked = new URLSearchParams(location.hash.slice(1));
  return asked.has("puzzle") ? { rules: asked.get("puzzle"), number: asked.get("number") ?? "1" } : null;
}

/** A way to the puzzles of some rules, for those that have any. */
export function links(lists) {
  const counts = new Map(lists.map(({ rules, count }) => [rules, count]));
  return (rules) => (counts.has(rules) ? [html("a", { className: "puzzles", href: address(rules), textContent: WORDS.puzzles(counts.get(rules)) })] : []);
}

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
    this.heading = html("h1");
    this.goal = html("p");
    this.verdict = html("p", { className: "step" });
    this.words = html("ul", { className: "remarks" });
    this.hint = html("p", { className: "message", role: "status" });
    this.again = button(WORDS.again, () => this.begin(), "primary");
    this.solution = button(WORDS.solution, () => this.answer("solution"));
    this.next = button(WORDS.next, () => { location.hash = address(this.view.rules, (this.view.number % this.view.count) + 1); }, "primary");
    this.example = html("a", { className: "button", textContent: WORDS.example });
    const said = html("div", {}, this.verdict, this.words);
    said.setAttribute("aria-live", "polite");
    const actions = html("div", { className: "actions" }, this.again, this.next, this.solution, button(WORDS.game, () => onPlay(this.view.rules)), this.example);
    const left = html("section", { className: "play" }, this.place, this.marks);
    left.setAttribute("aria-label", WORDS.board);
    const right = html("section", { className: "panel" }, html("div", { className: "card status" }, this.heading, this.goal, said, this.hint, actions));
    right.setAttribute("aria-label", WORDS.about);
    container.replaceChildren(left, right);
    this.board = new Board(this.place, (vertex) => this.answer(vertex), (vertex) => this.pointAt(vertex));
  }

  /** Shows a puzzle; throws what the server refuses. */
  async open({ rules, number }, exampleAddress) {
    const view = await server.puzzle(rules, number);
    this.view = { ...view, result: null };
    this.example.href = exampleAddress(rules);
    this.heading.textContent = WORDS.title(view.title, view.number, view.count);
    const komi = /komi=([-\d.]+)/.exec(view.setting);
    this.goal.textContent = WORDS.goal(view.mover, komi ? WORDS.komi(komi[1]) : "");
    this.next.hidden = view.count === 1;
    this.begin();
  }

  /** The position as it is asked about. */
  begin() {
    this.asked = null;
    this.show(this.view, this.view.state.to_move);
    this.say("", this.view.remarks);
    this.again.hidden = true;
    this.solution.hidden = false;
    this.next.classList.remove("primary");
  }

  show(position, mover) {
    this.board.show(position, mover);
    legend.list(this.marks, this.place);
  }

  say(verdict, words) {
    this.hint.textContent = "";
    this.verdict.textContent = verdict;
    this.words.replaceChildren(...words.map((textContent) => html("li", { textContent })));
  }

  /** Says what a stone would do on a point, or why none can be placed there. */
  pointAt(vertex) {
    if (this.asked !== null || !this.view) return;
    const words = vertex === null ? "" : this.view.illegal[vertex] ?? this.view.previews[vertex]?.words ?? "";
    this.hint.textContent = words && `${vertex}: ${words}`;
  }

  /** Plays a move, and shows what comes of it. */
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
      this.say(isShown ? WORDS.shown(steps[0].last) : right ? WORDS.right(move) : WORDS.wrong(move), words);
      this.again.hidden = right && !isShown;
      this.solution.hidden = right;
      this.again.classList.toggle("primary", !right);
      this.next.classList.toggle("primary", right);
      (right && !this.next.hidden ? this.next : this.again).focus({ preventScroll: true });
    } catch (refusal) {
      this.begin();
      this.hint.textContent = refusal.message;
    }
  }
}
