// The page: a game as the server tells it, and what the person does in it.

import { Board, LEAST_SHOWN, pointOf, sharesOf } from "./board.js";
import { html } from "./elements.js";
import * as graph from "./graph.js";
import * as legend from "./legend.js";
import { OWN, Opening } from "./opening.js";
import * as seats from "./seats.js";
import * as server from "./server.js";
import { sizeInWords } from "./size.js";

const at = (id) => document.getElementById(id);
const NAMES = { B: "Black", W: "White" };

let offer;
let opening;
let here = null;
let view = null;
let unfollow = () => {};
/** What is shown on top of the board, and beside it. */
const shown = { policy: false, occupancy: false, course: false };
let linked = true;
let busy = false;

const board = new Board(at("board"), place, pointAt);

/** The side that somebody plays from here; null for onlookers, and where both play at one screen. */
function you() {
  const own = Object.keys(here.tokens);
  return own.length === 1 ? own[0] : null;
}

/** The words about the game, for this page's player. */
const told = () => view.told_to[you()] ?? view;

/** The side that this page may move for now; null if it is another's turn. */
function mover() {
  if (!view || view.result !== null || busy) return null;
  return here.tokens[view.state.to_move] ? view.state.to_move : null;
}

function say(text, isError = false) {
  at("message").textContent = text;
  at("message").classList.toggle("error", isError);
}

/** Does something with the server, and says what it refuses. */
async function attempt(act) {
  busy = true;
  try {
    take(await act());
  } catch (refusal) {
    say(refusal.message, true);
  } finally {
    busy = false;
    if (view) render();
    showOverlay();
  }
}

function place(vertex) {
  const choices = view.choices[vertex];
  if (!choices) return play(vertex);
  const buttons = choices.map(({ move, label }) => {
    const button = html("button", { type: "button", textContent: label });
    button.dataset.move = move;
    button.addEventListener("click", () => play(move));
    return button;
  });
  at("choice").replaceChildren(...buttons);
  at("choice").hidden = false;
  buttons[0].focus();
}

function play(move) {
  const token = here.tokens[view.state.to_move];
  return attempt(() => server.play(here.id, token, move));
}

/** Says why nothing can be placed on the point that is pointed at. */
function pointAt(vertex) {
  if (!view) return;
  const chosen = board.chosen === vertex && board.canPlay(vertex) ? `Touch ${vertex} again to play there` : "";
  const reason = vertex === null || view.result !== null ? "" : view.illegal[vertex] ?? "";
  const waiting = vertex !== null && view.result === null && mover() === null && Object.keys(here.tokens).length > 0
    ? told().standing : "";
  say(waiting || (reason && `${vertex}: ${reason}`) || chosen);
}

/** Takes in a game as the server tells it, unless a newer version has arrived. */
function take(news) {
  if (!here || news.id !== here.id || (view && view.id === news.id && news.version < view.version)) return;
  const changed = !view || view.id !== news.id || view.version !== news.version;
  view = news;
  if (changed) {
    thought = null;
    at("choice").hidden = true;
    say("");
    render();
    look();
  }
}

function render() {
  const { state } = view;
  at("game").hidden = false;
  at("welcome").hidden = true;
  at("title").textContent = `${view.title}, ${sizeInWords(state.size)} points`;
  document.title = `${told().standing} · ${view.title} · Hotstone`;
  at("standing").textContent = told().standing;
  const remarks = [...told().remarks, ...(view.trouble ? [view.trouble] : []), ...(linked ? [] : ["The server cannot be reached; trying again"])];
  at("remarks").replaceChildren(...remarks.map((textContent) => html("li", { textContent })));
  for (const [side, id] of [["B", "black"], ["W", "white"]]) renderPlayer(at(id), side);
  board.show(view, mover());
  at("game").dataset.mover = mover() ?? "";
  renderActions();
  at("moves").replaceChildren(...view.moves.map(({ player, move }) =>
    html("li", { className: player === "B" ? "black" : "white", textContent: move })));
  at("moves").scrollTop = at("moves").scrollHeight;
  Object.assign(at("download"), server.record(here.id));
  at("watch").href = server.link(here.id);
  at("watch").textContent = offer.links ? "Link to watch" : "Copy link to this game";
  at("views").hidden = !view.analysis;
  at("invite").hidden = !here.invite;
  if (here.invite) {
    const other = here.tokens.B ? "W" : "B";
    at("link").value = location.href.split("#")[0] + seats.address({ id: here.id, tokens: { [other]: here.invite } });
  }
  renderRules();
}

function renderPlayer(container, side) {
  const { state, players, thinking, result } = view;
  const player = players[side];
  const toMove = result === null && state.to_move === side;
  const name = player.kind === "person" ? (here.tokens[side] ? "You" : "Person")
    : `${player.model}, level ${player.level}${player.network ? "" : ", by random playouts"}`;
  const count = state.prisoners[side];
  const prisoners = html("span", { className: "prisoners", textContent: `${count} ${count === 1 ? "prisoner" : "prisoners"}` });
  prisoners.dataset.prisoners = side;
  prisoners.hidden = state.prisoners.B + state.prisoners.W === 0;
  container.replaceChildren(
    html("span", { className: `disc ${side === "B" ? "black" : "white"}` }),
    html("span", { className: "name", textContent: `${NAMES[side]} · ${name}` }),
  );
  if (toMove && thinking) container.append(html("span", { className: "thinking", textContent: "thinking" }));
  container.append(prisoners);
  container.classList.toggle("to-move", toMove);
  container.classList.toggle("winner", state.result === side);
}

function renderActions() {
  const own = Object.keys(here.tokens);
  const pass = at("pass");
  pass.hidden = view.pass === null || own.length === 0;
  if (view.pass) {
    pass.textContent = view.pass.label;
    pass.disabled = mover() === null || view.pass.reason !== null;
    pass.title = view.pass.reason ?? "";
  }
  at("undo").hidden = at("resign").hidden = own.length === 0;
  at("undo").disabled = !own.some((side) => view.undo.includes(side));
  at("resign").disabled = view.result !== null;
  at("resign").textContent = "Resign";
  delete at("resign").dataset.sure;
  at("retry").hidden = view.trouble === null;
}

/** The rules in words: those of a variant are known, and those of other rule sets the server tells. */
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
  at("rules-source").textContent = about.inventor ? `By ${about.inventor}. ${about.source}` : "";
}

// What the program sees, on demand.

let thought = null;
let asking = 0;

async function look() {
  const request = (asking += 1);
  showOverlay();
  if (!view.analysis || view.thinking) return;
  try {
    if (shown.policy || shown.occupancy) {
      const found = await server.analysis(here.id, shown.occupancy);
      if (request === asking && found.version === view.version) thought = found;
    }
    if (shown.course) {
      const { winrates } = await server.graph(here.id);
      if (request === asking) graph.draw(at("graph"), winrates.map(chance), view.moves.map(({ move }) => move), whose());
    }
    if (request === asking) showOverlay();
  } catch (refusal) {
    if (request === asking) at("opinion").textContent = refusal.message;
  }
}

function showOverlay() {
  if (!view) return;
  at("graph").hidden = !shown.course;
  board.overlay(thought && {
    candidates: shown.policy ? thought.candidates : null,
    best: thought.best,
    occupancy: shown.occupancy ? thought.occupancy : null,
  });
  const wanted = shown.policy || shown.occupancy;
  legend.list(at("legend"), at("board"));
  at("opinion").textContent = wanted && thought ? opinion(thought) : wanted && !view.thinking ? "Looking …" : "";
}

/** Whose chances are shown: the player's own, else Black's. */
const whose = () => (you() ? "Your" : "Black’s");

/** Black's chance as the chance of that side. */
const chance = (winrate) => (winrate !== null && you() === "W" ? 1 - winrate : winrate);

function opinion({ proven, winrate, best, candidates, occupancy }) {
  const late = shown.occupancy && !occupancy ? " There was no time to play the game out." : "";
  const winner = proven === you() ? "You win" : you() ? "You lose" : `${NAMES[proven]} wins`;
  const outlook = proven === "draw" ? "A draw with best play" : proven ? `${winner}, whatever happens`
    : `${whose()} chance to win: ${graph.percent(chance(winrate))}`;
  return `${outlook}.${best && shown.policy ? preference(best, candidates) : ""}${late}`;
}

/** What it would play, and why that is not the likeliest move where it is not. */
function preference(best, candidates) {
  const shares = sharesOf(candidates);
  const isLikeliest = shares.get(pointOf(best)) === Math.max(...shares.values());
  const passing = shares.get("pass") >= LEAST_SHOWN ? ` Passing: ${graph.percent(shares.get("pass"))}.` : "";
  return ` It would play ${best}${isLikeliest ? "" : ", which it has looked at most"}.${passing}`;
}

for (const name of Object.keys(shown)) {
  at(name).addEventListener("click", () => {
    shown[name] = !shown[name];
    at(name).setAttribute("aria-pressed", shown[name]);
    if (shown[name] && (name !== "policy" || !thought)) look();
    else showOverlay();
  });
}

// What the person does.

at("pass").addEventListener("click", () => play("pass"));
at("undo").addEventListener("click", () => {
  const side = view.undo.find((each) => here.tokens[each]);
  if (side) attempt(() => server.undo(here.id, here.tokens[side]));
});
at("resign").addEventListener("click", () => {
  const button = at("resign");
  if (!button.dataset.sure) {
    button.dataset.sure = "asked";
    button.textContent = "Really resign?";
    return;
  }
  const side = mover() ?? Object.keys(here.tokens)[0];
  attempt(() => server.resign(here.id, here.tokens[side]));
});
at("retry").addEventListener("click", () => attempt(() => server.retry(here.id)));
at("new").addEventListener("click", () => opening.open());
at("copy").addEventListener("click", async () => {
  at("link").select();
  try {
    await navigator.clipboard.writeText(at("link").value);
    at("copy").textContent = "Copied";
  } catch {
    say("The link is selected: copy it with your keyboard");
  }
});

at("watch").addEventListener("click", async (event) => {
  if (offer.links) return;
  event.preventDefault();
  try {
    await navigator.clipboard.writeText(at("watch").href);
    at("watch").textContent = "Copied";
  } catch {
    say("The address of this page is the link: copy it in your browser");
  }
});

/** Goes to the game that the address names, or asks for a new one. */
function arrive() {
  unfollow();
  unfollow = () => {};
  here = seats.fromAddress();
  view = null;
  thought = null;
  at("game").hidden = true;
  at("title").textContent = "";
  if (here) {
    unfollow = server.follow(here.id, take, onLink);
  } else {
    welcome();
    opening.open();
  }
}

/** The page without a game: everything that can be played, and an error if any. */
function welcome(trouble = "") {
  at("trouble").textContent = trouble;
  at("again").hidden = !seats.last();
  at("welcome").hidden = false;
}

async function onLink(stands) {
  linked = stands;
  if (view) return render();
  if (stands || !here) return undefined;
  try {
    take(await server.show(here.id));
  } catch (refusal) {
    const isGone = refusal.code === "no_such_game";
    welcome(isGone && !offer.links ? seats.DAMAGED : refusal.message);
    if (isGone) unfollow();
  }
  return undefined;
}

addEventListener("hashchange", arrive);
at("again").addEventListener("click", () => { location.hash = seats.last(); });

try {
  offer = await server.variants();
  const note = !offer.links ? seats.CARRIED : seats.onlyThisMachine() ? seats.ONLY_HERE : "";
  for (const each of document.querySelectorAll("[data-only-here]")) each.textContent = note;
  const own = { rules: OWN, title: "Your own", line: "A rule set made of the same parts" };
  at("variants").replaceChildren(...[...offer.variants, own].map(({ rules, title, line }) => {
    const button = html("button", { type: "button" }, html("b", { textContent: title }), html("span", { textContent: line }));
    button.addEventListener("click", () => opening.open(rules));
    return html("li", {}, button);
  }));
  opening = new Opening(offer, (begun) => {
    seats.remember(begun);
    location.hash = seats.address(begun);
  });
  arrive();
} catch (refusal) {
  at("trouble").textContent = refusal.message;
  for (const id of ["new", "again"]) at(id).hidden = true;
  at("welcome").hidden = false;
}
