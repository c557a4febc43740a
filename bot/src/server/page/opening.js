// The dialog in which games begin.

import * as server from "./server.js";
import * as seats from "./seats.js";

const field = (id) => document.getElementById(id);
const picked = (name) => document.querySelector(`input[name="${name}"]:checked`).value;

function fill(select, choices, wanted) {
  select.replaceChildren(...choices.map(([value, text]) => new Option(text, value)));
  if (choices.some(([value]) => String(value) === String(wanted))) select.value = wanted;
}

export class Opening {
  /** `onBegin` is called with the seats of a game that has begun. */
  constructor(offer, onBegin) {
    this.offer = offer;
    this.onBegin = onBegin;
    this.dialog = field("opening");
    fill(field("variant"), offer.variants.map(({ rules, title }) => [rules, title]));
    const playable = offer.variants.find(({ models }) => models.length > 0);
    if (playable) field("variant").value = playable.rules;
    const levels = offer.levels.map(({ level }) => level);
    field("level").min = Math.min(...levels);
    field("level").max = Math.max(...levels);
    for (const id of ["variant", "model", "level"]) field(id).addEventListener("input", () => this.arrange());
    for (const radio of this.dialog.querySelectorAll("input[type=radio]")) radio.addEventListener("input", () => this.arrange());
    field("close").addEventListener("click", () => this.dialog.close());
    field("resume").addEventListener("click", () => { this.dialog.close(); location.hash = seats.last(); });
    this.dialog.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); this.begin(); });
    this.arrange();
  }

  open() {
    field("opening-error").textContent = "";
    field("file").value = "";
    field("resume").hidden = !seats.last() || seats.fromAddress() !== null;
    field("close").hidden = seats.fromAddress() === null;
    if (!this.dialog.open) this.dialog.showModal();
  }

  get variant() {
    return this.offer.variants.find(({ rules }) => rules === field("variant").value);
  }

  /** Shows the choices that go with those made so far. */
  arrange() {
    const { line, komi, models } = this.variant;
    field("line").textContent = line;
    const program = document.querySelector('input[name="opponent"][value="program"]');
    program.disabled = models.length === 0;
    if (program.disabled && program.checked) document.querySelector('input[name="opponent"][value="here"]').checked = true;
    const opponent = picked("opponent");
    const against = opponent === "program";
    field("komi-field").hidden = !komi;
    field("model-field").hidden = !against || models.length < 2;
    field("level-field").hidden = !against;
    field("colors").hidden = opponent === "here";
    if (against) fill(field("model"), models.map(({ name }) => [name, name]), field("model").value);
    const known = models.find(({ name }) => name === field("model").value) ?? models[0];
    const sizes = against ? known.sizes : this.offer.sizes;
    const wanted = sizes.includes(Number(field("size").value)) ? field("size").value
      : sizes.includes(this.offer.usual_size) ? this.offer.usual_size : sizes.at(-1);
    fill(field("size"), sizes.map((size) => [size, `${size} × ${size}`]), wanted);
    const level = this.offer.levels.find((each) => each.level === Number(field("level").value));
    field("level-text").textContent = level.simulations === 0 ? `${level.level}: plays at a glance` : `${level.level}: looks at ${level.simulations} positions a move`;
  }

  players(color) {
    const person = { kind: "person" };
    if (picked("opponent") !== "program") return { B: person, W: person };
    const program = { kind: "program", model: field("model").value, level: Number(field("level").value) };
    return color === "B" ? { B: person, W: program } : { B: program, W: person };
  }

  async begin() {
    const start = field("start");
    start.disabled = true;
    try {
      const opponent = picked("opponent");
      const color = picked("color") === "any" ? (Math.random() < 0.5 ? "B" : "W") : picked("color");
      const players = this.players(color);
      const file = field("file").files[0];
      const rules = this.variant.rules;
      const begun = file
        ? await server.upload({ sgf: await file.text(), players, ...(field("file-rules").checked ? {} : { rules }) })
        : await server.begin({ rules, size: Number(field("size").value), players, ...this.komi() });
      this.dialog.close();
      this.onBegin(this.seatsOf(begun, opponent, color));
    } catch (refusal) {
      field("opening-error").textContent = refusal.message;
    } finally {
      start.disabled = false;
    }
  }

  komi() {
    const text = field("komi").value;
    return text === "" || !this.variant.komi ? {} : { komi: Number(text) };
  }

  /** The seats that stay here; the other one's token is to be given away. */
  seatsOf({ game, tokens }, opponent, color) {
    const other = color === "B" ? "W" : "B";
    const kept = opponent === "elsewhere" ? [color] : ["B", "W"];
    const own = Object.fromEntries(kept.filter((side) => tokens[side]).map((side) => [side, tokens[side]]));
    return { id: game.id, tokens: own, invite: opponent === "elsewhere" ? tokens[other] : null };
  }
}
