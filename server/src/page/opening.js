// The dialog in which games are started.

import { at, fill } from "./elements.js";
import * as preferences from "./preferences.js";
import { OwnRules } from "./rules.js";
import * as seats from "./seats.js";
import * as server from "./server.js";
import { chosenSize, rowsInWords, sides, sizeInWords } from "./size.js";
import { say } from "./words.js";

/** The record of a game to continue, from the URL; null without one. */
export const recordFromAddress = () => new URLSearchParams(location.hash.slice(1)).get("continue");

/** The entry among the variants for a custom rule set. */
export const OWN = "";

const radio = (name, value) => document.querySelector(`input[name="${name}"][value="${value}"]`);
const picked = (name) => document.querySelector(`input[name="${name}"]:checked`).value;

/** A chosen file's bytes in base64: its character encoding is determined when it is parsed. */
const bytesOf = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.addEventListener("load", () => resolve(reader.result.split(",")[1] ?? ""));
  reader.addEventListener("error", () => reject(reader.error));
  reader.readAsDataURL(file);
});

export class Opening {
  /** `onBegin` is called with the seats of a new game, and with the defects of its file. */
  constructor(offer, onBegin) {
    this.offer = offer;
    this.onBegin = onBegin;
    this.dialog = at("opening");
    this.isBeginning = false;
    /** Whether the game that is being begun is waited for: not once the dialog or the page has been left. */
    this.isAwaited = false;
    this.own = new OwnRules(offer, { input: at("own"), parts: at("parts") }, () => this.arrange());
    const named = offer.variants.map(({ rules, title }) => [rules, title]);
    fill(at("variant"), [...named, [OWN, say("A rule set of your own …")]]);
    const levels = offer.levels.map(({ level }) => level);
    at("level").min = Math.min(...levels);
    at("level").max = Math.max(...levels);
    at("komi-about").textContent = offer.parts.find(({ field: name }) => name === "komi").about;
    /** The recorded game to continue, in place of a file chosen in the dialog; null without one. */
    this.record = null;
    /** The requested program; by default the best one plays. */
    this.wantedModel = null;
    if (!offer.links) radio("opponent", "elsewhere").parentElement.remove();
    fill(at("rows"), rowsInWords(offer.sizes), "");
    this.restore(preferences.last());
    at("model").addEventListener("input", () => { this.wantedModel = at("model").value; });
    for (const id of ["variant", "model", "level", "size", "rows"]) at(id).addEventListener("input", () => this.arrange());
    for (const input of this.dialog.querySelectorAll("input[type=radio]")) input.addEventListener("input", () => this.arrange());
    at("close").addEventListener("click", () => this.close());
    // By Escape, too.
    this.dialog.addEventListener("close", () => { this.isAwaited = false; });
    at("resume").addEventListener("click", () => { this.close(); location.hash = seats.last(); });
    this.dialog.querySelector("form").addEventListener("submit", (event) => { event.preventDefault(); this.begin(); });
    this.arrange();
  }

  /**
   * Opens the dialog, with a variant already chosen if one is given, or for a recorded game to be
   * continued.
   */
  open(rules = null, record = null) {
    this.record = record;
    at("opening-error").textContent = "";
    at("file").value = "";
    at("file-rules").checked = true;
    at("resume").hidden = !seats.last() || seats.fromAddress() !== null;
    if (rules !== null) at("variant").value = rules;
    if (this.own.isRefused) this.own.ask();
    this.arrange();
    if (!this.dialog.open) this.dialog.showModal();
  }

  /** Closes the dialog without a game, even if one is being begun. */
  close() {
    this.isAwaited = false;
    this.dialog.close();
  }

  /** Begins a game of a variant at once, with the choices made so far. */
  beginWith(rules) {
    this.choose(rules);
    return this.begin();
  }

  /** Describes how a game of a variant would be started at once. */
  plan(rules) {
    this.choose(rules);
    const opponent = picked("opponent");
    const words = { level: at("level").value, size: sizeInWords(this.size) };
    const against = {
      program: say("Against the program, level {level}, on {size}.", words),
      here: say("Two people at this screen, on {size}.", words),
      elsewhere: say("Against a person elsewhere, on {size}.", words),
    }[opponent];
    const color = opponent === "here" ? "" : { B: say("You are Black."), W: say("You are White."), any: "" }[picked("color")];
    return [against, color].filter(Boolean).join(" ");
  }

  choose(rules) {
    this.record = null;
    at("file").value = at("komi").value = "";
    at("variant").value = rules;
    this.arrange();
  }

  /** Chooses what was chosen the last time, as far as still available. */
  restore({ variant, own, size, level, color, opponent }) {
    const known = [...this.offer.variants.map(({ rules }) => rules), OWN];
    const playable = this.offer.variants.find(({ models }) => models.some(({ network }) => network)) ?? this.offer.variants[0];
    at("variant").value = known.includes(variant) ? variant : playable.rules;
    const { columns, rows } = sides(size ?? NaN);
    this.wantedSize = columns || null;
    at("rows").value = rows && rows !== columns ? rows : "";
    if (level) at("level").value = level;
    for (const [name, value] of Object.entries({ color, opponent })) {
      const input = value && radio(name, value);
      if (input) input.checked = true;
    }
    this.own.text = own ?? playable.rules;
  }

  remember() {
    preferences.remember({
      variant: at("variant").value,
      own: this.own.text,
      size: this.size,
      level: Number(at("level").value),
      color: picked("color"),
      opponent: picked("opponent"),
    });
  }

  get isOwn() {
    return at("variant").value === OWN;
  }

  /** The server's description of the chosen rules; null while they are not a rule set. */
  get variant() {
    if (this.isOwn) return this.own.found?.variant ?? null;
    return this.offer.variants.find(({ rules }) => rules === at("variant").value);
  }

  get size() {
    return chosenSize(at("size"), at("rows"));
  }

  /** Shows the choices that go with those made so far. */
  arrange() {
    const { isOwn, variant } = this;
    at("line").textContent = isOwn ? say("A variant’s name and changes to it, separated by commas.") : variant.line;
    at("linked").hidden = this.record === null || !at("file-rules").checked;
    at("upload").hidden = this.record !== null;
    at("own-field").hidden = !isOwn;
    // A hidden field must not make the form invalid.
    at("komi").disabled = at("komi-field").hidden = isOwn || !variant.komi;
    const models = variant?.models ?? [];
    const program = radio("opponent", "program");
    program.disabled = variant !== null && models.length === 0;
    if (program.disabled && program.checked) radio("opponent", "here").checked = true;
    const opponent = picked("opponent");
    at("colors").hidden = opponent === "here";
    at("level-field").hidden = opponent !== "program";
    at("opponent-note").textContent = opponent === "elsewhere" && seats.onlyThisMachine() ? seats.onlyHere() : "";
    this.arrangeSizes(models);
    this.own.setSize(this.size);
    this.arrangeModels(models, opponent === "program");
    this.arrangeLevel();
    this.arrangeStart();
    at("own-verdict").textContent = this.own.verdict;
    at("own-verdict").classList.toggle("error", Boolean(this.own.found?.reason));
  }

  arrangeStart() {
    at("start").disabled = this.isBeginning || this.isOwn && !this.own.isValid;
  }

  /** All board sizes can be played; those that a network has learnt are marked. */
  arrangeSizes(models) {
    const known = new Set(models.filter(({ network }) => network).flatMap(({ sizes }) => sizes));
    const wanted = this.wantedSize ?? (at("size").value || Math.max(...known, 0) || this.offer.usual_size);
    this.wantedSize = null;
    fill(at("size"), this.offer.sizes.map((size) => [size, say(known.has(size) ? "{size} × {size} points, trained" : "{size} × {size} points", { size })]), wanted);
  }

  /** The programs that can play on this board; the default one comes first. */
  arrangeModels(models, isAgainst) {
    const able = models.filter(({ sizes, network }) => sizes.includes(this.size) || (!network && typeof this.size === "string"));
    // The name of a program without a network says nothing to people.
    const inWords = ({ name, network }) => (network ? say("{what}: {words}", { what: name, words: say("a trained network") }) : say("random playouts"));
    fill(at("model"), able.map((model) => [model.name, inWords(model)]), this.wantedModel);
    at("model-field").hidden = !isAgainst || able.length < 2;
    const chosen = able.find(({ name }) => name === at("model").value);
    const isTrained = able.some(({ network }) => network);
    const note = !chosen || chosen.network ? "" : isTrained
      ? say("It plays by random playouts, without a network.")
      : say("No network knows these rules on {size}: the program plays by random playouts.", { size: sizeInWords(this.size) });
    at("model-note").textContent = isAgainst ? note : "";
  }

  arrangeLevel() {
    const { levels } = this.offer;
    const program = this.variant?.models.find(({ name }) => name === at("model").value);
    const { level, manner: alone, manner_with_beginner: together } = levels.find((each) => each.level === Number(at("level").value));
    const manner = program?.beginner_sizes.includes(this.size) ? together : alone;
    at("level-text").textContent = say("{level} of {count}: {manner}", { level, count: levels.length, manner });
  }

  /** Whether the opponent is a person elsewhere, who takes a seat by a link. */
  get isElsewhere() {
    return picked("opponent") === "elsewhere";
  }

  players(color) {
    const person = { kind: "person" };
    if (picked("opponent") !== "program") return { B: person, W: person };
    const named = at("model-field").hidden ? {} : { model: at("model").value };
    const program = { kind: "program", level: Number(at("level").value), ...named };
    return color === "B" ? { B: person, W: program } : { B: program, W: person };
  }

  async begin() {
    // A second click before the first has been answered would begin another game.
    if (this.isBeginning) return;
    this.isBeginning = this.isAwaited = true;
    this.arrangeStart();
    try {
      const opponent = picked("opponent");
      const color = picked("color") === "any" ? (Math.random() < 0.5 ? "B" : "W") : picked("color");
      const begun = await this.beginFor(color);
      if (!this.isAwaited) return;
      this.remember();
      this.dialog.close();
      this.onBegin(this.seatsOf(begun, opponent, color), begun.defects);
    } catch (refusal) {
      if (!this.isAwaited) return;
      if (refusal.code === "unknown_rules") at("file-rules").checked = false;
      at("opening-error").textContent = refusal.message;
      if (!this.dialog.open) this.dialog.showModal();
    } finally {
      this.isBeginning = false;
      this.arrange();
    }
  }

  async beginFor(color) {
    const players = this.players(color);
    const file = at("file").files[0];
    const { rules } = this.variant;
    if (this.record === null && !file) return server.begin({ rules, size: this.size, players, ...this.komi() });
    // The board size comes from the record, and the program is the best one for it.
    for (const player of Object.values(players)) delete player.model;
    const chosen = at("file-rules").checked ? {} : { rules };
    const record = this.record === null ? { sgf_base64: await bytesOf(file) } : { sgf: this.record };
    return server.upload({ ...record, players, ...chosen });
  }

  komi() {
    const text = at("komi").value;
    return text === "" || at("komi-field").hidden ? {} : { komi: Number(text) };
  }

  /** The seats that stay here; the other one's token is to be given away. */
  seatsOf({ game, tokens }, opponent, color) {
    const other = color === "B" ? "W" : "B";
    const kept = opponent === "elsewhere" ? [color] : ["B", "W"];
    const own = Object.fromEntries(kept.filter((side) => tokens[side]).map((side) => [side, tokens[side]]));
    return { id: game.id, tokens: own, invite: opponent === "elsewhere" ? tokens[other] : null };
  }
}
