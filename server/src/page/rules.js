// The field in which people write their own rule sets. The server decides what is a rule set, and
// what it means.

import { html } from "./elements.js";
import * as server from "./server.js";
import { say } from "./words.js";

/** Milliseconds without a keystroke before the server is asked. */
const PAUSE = 200;

export class OwnRules {
  /**
   * `input` is where the text is written, `parts` where its parts are listed; `onNews` is called
   * whenever the text, or what is known about it, has changed.
   */
  constructor(offer, { input, parts }, onNews) {
    Object.assign(this, { input, parts, onNews });
    /** What the server says about the text, once it has: see `GET /api/rules`; or why it has not. */
    this.found = null;
    this.size = offer.usual_size;
    this.rows = [];
    const named = offer.variants.filter(({ inventor }) => inventor).map(({ rules, title }) => ({ value: rules, meaning: title }));
    this.list("variant", say("what it begins with"), named, (value) => this.startFrom(value));
    for (const { field: name, about, values } of offer.parts) this.list(name, about, values, (value) => this.change(name, value));
    input.addEventListener("input", () => this.ask());
  }

  get text() {
    return this.input.value;
  }

  set text(text) {
    this.input.value = text;
    this.ask();
  }

  /** Whether the text is a rule set; false until the server has answered. */
  get isValid() {
    return Boolean(this.found?.variant);
  }

  /** Whether the server has said nothing about the text, and may if it is asked again. */
  get isRefused() {
    return Boolean(this.found?.isRefused);
  }

  /** What is known about the text, in words. */
  get verdict() {
    const { found } = this;
    if (!found) return say("Checking …");
    return found.reason ? server.sentence(found.reason) : say("A rule set: {title}", found.variant);
  }

  /** The board that it is for. */
  setSize(size) {
    if (size === this.size) return;
    this.size = size;
    this.ask();
  }

  /** Asks the server about the text as soon as the typing pauses. */
  ask() {
    this.found = null;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), PAUSE);
    this.onNews();
  }

  async look() {
    const asked = [this.text, this.size];
    let found;
    try {
      found = await server.rules(...asked);
    } catch (refusal) {
      found = { variant: null, parts: [], player: null, reason: refusal.message, isRefused: true };
    }
    if (asked[0] !== this.text || asked[1] !== this.size) return;
    this.found = found;
    this.mark();
    this.onNews();
  }

  /** A part of rule sets, with what it decides and the values that it can have. */
  list(name, about, values, choose) {
    const now = html("output");
    const buttons = values.map(({ value }) => html("button", { type: "button", textContent: value }));
    buttons.forEach((button) => button.addEventListener("click", () => choose(button.textContent)));
    const items = values.map(({ meaning }, index) => html("li", {}, buttons[index], html("span", { textContent: meaning })));
    const row = html("section", { className: "part" }, html("h3", {}, name, " ", now), html("p", { textContent: about }), html("ul", {}, ...items));
    row.dataset.part = name;
    this.parts.append(row);
    this.rows.push({ name, row, now, buttons });
  }

  startFrom(name) {
    const [, ...changes] = this.text.split(",");
    this.text = [name, ...changes].join(",");
  }

  change(name, value) {
    const others = this.text.split(",").filter((part) => part.split("=")[0].trim() !== name);
    this.text = [...others, `${name}=${value}`].join(",");
  }

  /** Shows which values the rule set has. */
  mark() {
    const parts = new Map(this.found.parts.map((part) => [part.field, part.value]));
    if (this.isValid) parts.set("variant", this.text.split(",")[0].trim());
    for (const { name, row, now, buttons } of this.rows) {
      now.textContent = parts.get(name) ?? "";
      for (const button of buttons) button.setAttribute("aria-pressed", parts.get(name) === button.textContent);
      row.classList.toggle("unused", this.isValid && !parts.has(name));
    }
  }
}
