// The example of a variant, step by step, next to its rule.

import { at, html } from "./elements.js";
import { COLUMNS, Drawing } from "./drawing.js";
import * as legend from "./legend.js";
import { Steps } from "./steps.js";
import { say } from "./words.js";

export class Lesson {
  constructor() {
    this.steps = new Steps({
      first: at("lesson-first"), previous: at("lesson-previous"), next: at("lesson-next"), last: at("lesson-last"),
    }, (step) => this.show(step));
    at("lesson-board").addEventListener("click", () => this.steps.go(this.steps.at + 1));
  }

  open(example, variant) {
    this.example = example;
    this.variant = variant;
    at("lesson-title").textContent = variant.title;
    at("lesson-line").textContent = `${variant.line}.`;
    at("lesson-rule").textContent = variant.rule;
    at("lesson-source").textContent = say("By {inventor}. {source}", variant);
    this.show(example.opens);
  }

  /** The step that is shown. */
  get step() {
    return this.example.steps[this.steps.at];
  }

  show(number) {
    const { steps, caption, refused } = this.example;
    this.steps.set(number, steps.length - 1);
    const { step } = this;
    const isLast = number === steps.length - 1;
    const words = isLast ? [caption, ...(refused ? [`${refused.reason}.`] : [])] : step.remarks;
    const drawing = new Drawing(step.state.size, true, { role: "img", "aria-label": inWords(step.state) });
    drawing.draw(step);
    if (isLast && refused) drawing.refuse(refused.move, step.state.to_move === "B");
    at("lesson-board").replaceChildren(drawing.picture);
    legend.list(at("lesson-legend"), at("lesson-board"));
    at("lesson-step").textContent = step.state.result === null ? step.caption : say("{what}: {words}", { what: step.caption, words: step.standing });
    at("lesson-count").textContent = say("{number} of {count}", { number: number + 1, count: steps.length });
    at("lesson-words").replaceChildren(...words.map((textContent) => html("li", { textContent })));
    at("lesson-on").disabled = step.state.result !== null;
  }
}

/** Where stones stand. */
function inWords({ stones }) {
  const points = (letter) => stones.flatMap((row, index) => [...row].flatMap((cell, column) => (cell === letter ? [`${COLUMNS[column]}${stones.length - index}`] : [])));
  const list = (letter) => points(letter).join(" ") || say("none");
  return say("Board. Black: {black}. White: {white}.", { black: list("X"), white: list("O") });
}
