// The page: a game as the server sends it, and what the person does in it.

import * as begin from "./begin.js";
import { Board } from "./board.js";
import { Choice, movesAt } from "./choice.js";
import { at, html } from "./elements.js";
import { Insight } from "./insight.js";
import * as laboratories from "./laboratory.js";
import * as landing from "./landing.js";
import * as legend from "./legend.js";
import { Lesson } from "./lesson.js";
import * as marks from "./marks.js";
import * as puzzles from "./puzzle.js";
import { OWN, Opening, recordFromAddress } from "./opening.js";
import * as preferences from "./preferences.js";
import { Review } from "./review.js";
import * as seats from "./seats.js";
import * as server from "./server.js";
import { sizeInWords } from "./size.js";
import * as words from "./words.js";
import { say } from "./words.js";

let offer;
let examples;
let opening;
let laboratory;
let here = null;
let view = null;
let unfollow = () => {};
/** Why no news of the game arrive; empty while they do. */
let cut = "";
/** The latest message about the connection: what is found out about an earlier one comes too late. */
let connection = {};
let busy = false;
let entering = false;
/** How often another part of the page was opened. */
let arrivals = 0;
/** Defects of the file from which the latest game was started. */
let damage = { id: null, defects: [] };

document.body.prepend(marks.definitions());
const board = new Board(at("board"), place, pointAt);
const choice = new Choice(at("choice"));
const lesson = new Lesson();
const puzzle = new puzzles.Puzzle(at("puzzle"), (rules) => opening.open(rules));
const review = new Review(showPosition, (refusal) => tell(refusal.message, true));
const insight = new Insight(board, () => ({ id: here?.id, view, turn: review.turn, you: view && you() }),
  () => legend.list(at("legend"), at("board")), (turn) => review.go(turn));

/** The side played from here; null for onlookers, and if both sides play on this screen. */
function you() {
  const own = Object.keys(here.tokens);
  return own.length === 1 ? own[0] : null;
}

/** The text about the position shown, addressed to this page's player. */
function told() {
  const shown = review.step ?? view;
  return shown.told_to[you()] ?? shown;
}

/**
 * The side for which this page may move now; null if it is somebody else's turn, or if an earlier
 * position is shown.
 */
function mover() {
  if (!view || view.result !== null || busy || review.step) return null;
  return here.tokens[view.state.to_move] ? view.state.to_move : null;
}

function tell(text, isError = false) {
  at("message").textContent = text;
  at("message").classList.toggle("error", isError);
}

/** Runs an action on the server, and shows its refusal, if any. */
async function attempt(act) {
  // A second click before the first has been answered would be another turn.
  if (busy) return;
  busy = true;
  const asked = here;
  try {
    take(await act());
  } catch (refusal) {
    // Another game may be shown by now. What the server says of tokens is for programs.
    if (here === asked) tell(refusal.code === "no_seat" ? seats.none() : refusal.message, true);
  } finally {
    busy = false;
    if (view) render();
    insight.show();
  }
}

/**
 * Has the program try again. The answer comes only with its move, perhaps after a minute, and until
 * then the turn before may be taken back.
 */
async function retry() {
  const asked = here;
  at("retry").hidden = true;
  try {
    take(await server.retry(asked.id));
  } catch (refusal) {
    if (here !== asked) return;
    render();
    insight.show();
    tell(refusal.message, true);
  }
}

function place(vertex) {
  choice.offer(movesAt(view, vertex), board, vertex, play);
}

function play(move) {
  const token = here.tokens[view.state.to_move];
  seats.remember(here);
  return attempt(() => server.play(here.id, token, move));
}

/** Says what a stone would do on the point that is pointed at, or why none can be placed there. */
function pointAt(vertex) {
  if (!view) return;
  const isRunning = vertex !== null && view.result === null && !review.step;
  const reason = isRunning ? view.illegal[vertex] ?? "" : "";
  const waiting = isRunning && mover() === null && Object.keys(here.tokens).length > 0 ? told().standing : "";
  const effect = isRunning && board.canPlay(vertex) ? view.previews[vertex]?.words ?? "" : "";
  const chosen = isRunning && board.chosen === vertex && board.canPlay(vertex) ? say("Touch {point} again to play there", { point: vertex }) : "";
  const of = (words) => words && say("{what}: {words}", { what: vertex, words });
  tell(waiting || of(reason) || [of(effect), chosen].filter(Boolean).join(". "));
}

/** Shows a game as sent by the server, unless a newer version has already arrived. */
function take(news) {
  if (!here || news.id !== here.id || (view && view.id === news.id && news.version < view.version)) return;
  const changed = !view || view.id !== news.id || view.version !== news.version;
  view = news;
  if (changed) {
    review.take(view);
    insight.forget();
    choice.hide();
    tell("");
    render();
    insight.look();
  }
}

/** Shows another position of the same game. */
function showPosition() {
  insight.forget();
  choice.hide();
  tell("");
  render();
  insight.look();
}

/**
 * Shows one of the page's parts: a game, an example, a puzzle, the laboratory, or what can be
 * played. Keyboard focus moves to its beginning.
 */
function open(part) {
  const isOther = at(part).hidden;
  for (const id of ["game", "lesson", "puzzle", "laboratory", "welcome"]) at(id).hidden = id !== part;
  if (isOther) at(part).focus({ preventScroll: true });
}

function render() {
  const { state } = view;
  const { step } = review;
  open("game");
  at("title").textContent = say("{title}, {size} points", { title: view.title, size: sizeInWords(state.size) });
  document.title = `${told().standing} · ${view.title} · Hotstone`;
  at("standing").textContent = step ? step.caption : told().standing;
  const remarks = [...told().remarks, ...damaged(), ...(view.trouble ? [view.trouble] : []), ...(cut ? [cut] : [])];
  at("remarks").replaceChildren(...remarks.map((textContent) => html("li", { textContent })));
  for (const [side, id] of [["B", "black"], ["W", "white"]]) renderPlayer(at(id), side);
  board.show({ ...view, ...step }, mover());
  at("game").dataset.mover = mover() ?? "";
  at("game").classList.toggle("over", view.result !== null);
  renderActions();
  Object.assign(at("download"), server.record(here.id));
  at("watch").href = server.link(here.id);
  at("watch").textContent = say(offer.links ? "Link to watch" : "Copy link to this game");
  at("views").hidden = !view.analysis;
  at("invite").hidden = !here.invite;
  if (here.invite) {
    const other = here.tokens.B ? "W" : "B";
    const link = location.href.split("#")[0] + seats.address({ id: here.id, tokens: { [other]: here.invite } });
    if (at("link").value !== link) at("copy").textContent = say("Copy");
    at("link").value = link;
  }
  renderRules();
}

/** Defects of the file from which the game comes. */
function damaged() {
  if (damage.id !== here.id || damage.defects.length === 0) return [];
  return [say("This is what could be read of the file. {defects}", { defects: damage.defects.map(server.sentence).join(" ") })];
}

function renderPlayer(container, side) {
  const { players, thinking, result } = view;
  const { state } = review.step ?? view;
  const player = players[side];
  const toMove = state.result === null && (result === null || review.step) && state.to_move === side;
  const name = player.kind === "person" ? say(here.tokens[side] ? "You" : "Person")
    : say(player.network ? "{model}, level {level}" : "Random playouts, level {level}", player);
  const count = state.prisoners[side];
  const prisoners = html("span", { className: "prisoners", textContent: say(count === 1 ? "{count} prisoner" : "{count} prisoners", { count }) });
  prisoners.dataset.prisoners = side;
  prisoners.hidden = state.prisoners.B + state.prisoners.W === 0;
  container.replaceChildren(
    html("span", { className: `disc ${side === "B" ? "black" : "white"}` }),
    html("span", { className: "name", textContent: `${say(side === "B" ? "Black" : "White")} · ${name}` }),
  );
  if (toMove && thinking && !review.step) container.append(html("span", { className: "thinking", textContent: say("thinking") }));
  container.append(prisoners);
  container.classList.toggle("to-move", toMove);
  container.classList.toggle("winner", state.result === side);
}

function renderActions() {
  const own = Object.keys(here.tokens);
  const isPast = review.step !== null;
  const pass = at("pass");
  pass.hidden = view.pass === null || own.length === 0 || isPast || view.result !== null;
  if (view.pass) {
    pass.textContent = view.pass.label;
    pass.disabled = mover() === null || view.pass.reason !== null;
    pass.title = view.pass.reason ?? "";
  }
  at("undo").hidden = at("resign").hidden = own.length === 0 || isPast;
  at("undo").disabled = !own.some((side) => view.undo.includes(side));
  at("resign").hidden ||= view.result !== null;
  at("resign").textContent = say("Resign");
  delete at("resign").dataset.sure;
  at("retry").hidden = view.trouble === null || isPast;
  at("branch").hidden = !isPast;
  at("review").hidden = view.result === null || !view.analysis || insight.wanted.course || isPast;
  at("rematch").hidden = view.result === null || own.length === 0 || isPast;
}

/**
 * The rules in words: those of a variant are known, those of other rule sets are requested from the
 * server.
 */
async function renderRules() {
  const { rules, title, state } = view;
  if (at("rules").dataset.shown === rules) return;
  at("rules").dataset.shown = rules;
  const known = offer.variants.find((each) => each.title === title);
  const about = known ?? (await server.rules(rules, state.size).catch(() => null))?.variant;
  if (at("rules").dataset.shown !== rules) return;
  at("rules").hidden = !about;
  if (!about) {
    delete at("rules").dataset.shown;
    return;
  }
  at("rules-title").textContent = about.title;
  at("rules-text").textContent = about.rule;
  at("rules-source").textContent = about.inventor ? say("By {inventor}. {source}", about) : "";
  at("rules-example").href = landing.address(about.rules);
  at("rules-example").hidden = !examples.some((example) => example.rules === about.rules);
}

at("rules").open = preferences.wantsRules();
at("rules").addEventListener("toggle", () => preferences.rememberRules(at("rules").open));

// The person's actions.

at("pass").addEventListener("click", () => play("pass"));
at("undo").addEventListener("click", () => {
  const side = view.undo.find((each) => here.tokens[each]);
  if (side) attempt(() => server.undo(here.id, here.tokens[side]));
});
at("resign").addEventListener("click", () => {
  const button = at("resign");
  if (!button.dataset.sure) {
    button.dataset.sure = "asked";
    button.textContent = say("Really resign?");
    return;
  }
  const side = mover() ?? Object.keys(here.tokens)[0];
  attempt(() => server.resign(here.id, here.tokens[side]));
});
at("retry").addEventListener("click", retry);
at("new").addEventListener("click", () => opening.open());
at("review").addEventListener("click", () => {
  at("review").hidden = true;
  insight.want("course", true);
  // The button has gone, and keys go on at the one for the same.
  at("course").focus({ preventScroll: true });
  at("views").scrollIntoView({ block: "nearest" });
});
at("branch").addEventListener("click", () => enter(() => begin.branch(review.step, view.players, you()), (refusal) => tell(refusal, true)));
at("rematch").addEventListener("click", () => enter(() => begin.rematch(view, you()), (refusal) => tell(refusal, true)));
at("copy").addEventListener("click", async () => {
  at("link").select();
  try {
    await navigator.clipboard.writeText(at("link").value);
    at("copy").textContent = say("Copied");
  } catch {
    tell(say("The link is selected: copy it with your keyboard"));
  }
});

at("watch").addEventListener("click", async (event) => {
  if (offer.links) return;
  event.preventDefault();
  try {
    await navigator.clipboard.writeText(at("watch").href);
    at("watch").textContent = say("Copied");
  } catch {
    tell(say("The address of this page is the link: copy it in your browser"));
  }
});

addEventListener("keydown", (event) => {
  if (!at("game").hidden && view) review.steps.key(event);
  if (!at("lesson").hidden) lesson.steps.key(event);
});

at("lesson-play").addEventListener("click", () => opening.beginWith(lesson.variant.rules));
at("lesson-more").addEventListener("click", () => opening.open(lesson.variant.rules));
at("lesson-on").addEventListener("click", () => {
  const { step } = lesson;
  const side = step.state.to_move;
  const own = opening.isElsewhere ? side : null;
  enter(() => begin.playOn(step, opening.players(side), own), (refusal) => { at("lesson-error").textContent = refusal; });
});

/** Takes the seats in a game, whose file may have been read only in part. */
function sit(begun, defects = []) {
  damage = { id: begun.id, defects };
  seats.remember(begun);
  location.hash = seats.address(begun);
}

/**
 * Starts a new game and takes the seats in it, or shows why it could not be started. Whoever has
 * gone elsewhere meanwhile is not fetched back.
 */
async function enter(start, refuse) {
  // A second click before the first has been answered would start another game.
  if (entering) return;
  entering = true;
  const asked = arrivals;
  try {
    const begun = await start();
    if (asked === arrivals) sit(begun);
  } catch (refusal) {
    if (asked === arrivals) refuse(refusal.message);
  } finally {
    entering = false;
  }
}

/** Opens the game or the example named by the URL, or offers everything that can be played. */
function arrive() {
  arrivals += 1;
  unfollow();
  unfollow = () => {};
  // It belongs to what was shown before.
  opening.close();
  here = seats.fromAddress();
  view = null;
  [cut, connection] = ["", {}];
  insight.forget();
  at("game").hidden = true;
  at("title").textContent = "";
  document.title = "Hotstone";
  laboratory.leave();
  if (here) {
    for (const id of ["lesson", "puzzle", "laboratory", "welcome"]) at(id).hidden = true;
    unfollow = server.follow(here.id, take, onLink, (trouble) => tell(trouble, true));
    return;
  }
  const experiment = laboratories.fromAddress();
  if (experiment) {
    open("laboratory");
    laboratory.open(experiment);
    return;
  }
  const asked = puzzles.fromAddress();
  if (asked) return showPuzzle(asked);
  const wanted = landing.fromAddress();
  if (wanted === null) return welcomeTo(recordFromAddress());
  const example = examples.find(({ rules }) => rules === wanted);
  if (!example) return welcome(say("There is no example of '{rules}' here.", { rules: wanted }));
  lesson.open(example, offer.variants.find(({ rules }) => rules === example.rules));
  at("lesson-plan").textContent = opening.plan(example.rules);
  at("lesson-error").textContent = "";
  open("lesson");
  scrollTo(0, 0);
}

async function showPuzzle(asked) {
  const address = location.hash;
  const isWanted = () => location.hash === address;
  try {
    const view = await server.puzzle(asked.rules, asked.number);
    if (!isWanted()) return;
    puzzle.open(view, landing.address(asked.rules));
    open("puzzle");
    scrollTo(0, 0);
  } catch (refusal) {
    if (isWanted()) welcome(refusal.message);
  }
}

/** The page without a game: everything that can be played, and an error if any. */
function welcome(trouble = "") {
  at("trouble").textContent = trouble;
  // The game that cannot be opened may be the last one; a link to where the page is does nothing.
  at("again").hidden = !seats.last() || seats.last() === location.hash;
  open("welcome");
}

/**
 * The page without a game, with the dialog for continuing a recorded game if the URL contains one.
 */
function welcomeTo(record) {
  welcome();
  if (record !== null) opening.open(null, record);
}

/** Shows the game with the reason why no news of it arrive, if any. */
function report(reason) {
  cut = reason;
  if (!view) return;
  render();
  insight.show();
}

/**
 * Learns whether the connection stands that brings the news of the game. If it was refused, the
 * server is there, and is asked for the game instead, or why it is not to be had.
 */
async function onLink(stands, isRefused = false) {
  const [asked, latest] = [here, (connection = {})];
  const away = say("The server cannot be reached; trying again");
  const lack = (reason) => { if (latest === connection && reason !== cut) report(reason); };
  if (stands) return report("");
  if (!isRefused) lack(away);
  if (!asked || (view && !isRefused)) return undefined;
  try {
    take(await server.show(asked.id));
    lack("");
  } catch (refusal) {
    if (here !== asked) return undefined;
    // While a server behind a proxy starts again, the proxy answers in words of its own.
    if (view) return lack(["unreachable", "unknown"].includes(refusal.code) ? away : refusal.message);
    const isGone = ["no_such_game", "no_such_address", "unreadable_game"].includes(refusal.code);
    welcome(isGone && !offer.links ? seats.damaged() : refusal.message);
    if (isGone) unfollow();
  }
  return undefined;
}

at("again").addEventListener("click", () => { location.hash = seats.last(); });

try {
  words.take(await server.words());
  let lists;
  [offer, examples, lists] = await Promise.all([server.variants(), server.examples(), server.puzzles()]);
  const note = !offer.links ? seats.carried() : seats.onlyThisMachine() ? seats.onlyHere() : "";
  for (const each of document.querySelectorAll("[data-only-here]")) each.textContent = note;
  opening = new Opening(offer, sit);
  at("new").disabled = false;
  laboratory = new laboratories.Laboratory(offer);
  const own = { rules: OWN, title: say("Your own"), line: say("A rule set made of the same parts") };
  landing.list(at("variants"), [...offer.variants, own], examples, (rules) => opening.open(rules), puzzles.links(lists));
  addEventListener("hashchange", arrive);
  arrive();
} catch (refusal) {
  at("trouble").textContent = refusal.message;
  // Nothing else would do anything.
  for (const part of [at("new"), ...at("welcome").children]) part.hidden = part.id !== "trouble";
  at("welcome").hidden = false;
}
