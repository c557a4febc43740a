// The differences between two rule sets after the same moves, as pictures of the board and in
// words.

import { LEAST_SHOWN, sharesOf } from "./board.js";
import { COLUMNS, Drawing, pointOf } from "./drawing.js";
import { html } from "./elements.js";
import { percent } from "./graph.js";
import * as marks from "./marks.js";
import { say } from "./words.js";

/** Number of differences listed in words, largest first. */
const WORDS = 6;

/** The points where a stone may be placed. */
export const placements = ({ state }) => new Set(state.legal.filter((move) => move !== "pass").map(pointOf));

/** The points where a stone may be placed under one of the rule sets, with its letter. */
export function legalInOne([a, b]) {
  const [inA, inB] = [placements(a), placements(b)];
  const only = (points, others, letter) => [...points].filter((vertex) => !others.has(vertex)).map((vertex) => [vertex, letter]);
  return new Map([...only(inA, inB, "A"), ...only(inB, inA, "B")]);
}

/** Who is ahead in the opinion on a position. */
export function ahead({ winrate }) {
  const chance = percent(Math.max(winrate, 1 - winrate));
  if (percent(winrate) === percent(1 - winrate)) return say("Even");
  return say(winrate > 0.5 ? "Black is ahead: {chance}" : "White is ahead: {chance}", { chance });
}

/**
 * For each kind of difference: what is drawn on the board (null for no board), and a text and a
 * list of words. `isSearching` says whether more may yet be found out.
 */
const KINDS = {
  value: ([a, b]) => {
    const [first, second] = [a, b].map(({ opinion }) => opinion.winrate);
    const values = { a: percent(first), b: percent(second), difference: marks.signed(Math.round(100 * first) / 100 - Math.round(100 * second) / 100) };
    return { text: say("Black’s winning chances: A {a}, B {b}, difference {difference} percentage points.", values), list: [] };
  },
  policy: (boards) => {
    const shares = boards.map(({ opinion }) => sharesOf(opinion.candidates));
    const text = say("How much likelier a move is to be chosen under A (+) or under B (−), in percentage points; less than 1 is left out.");
    return numbers(text, shares);
  },
  ownership: (boards, isSearching) => {
    if (boards.some(({ opinion }) => opinion.occupancy === null)) {
      const text = say(isSearching ? "The final board is being estimated." : "There was no time to play the game out.");
      return { draw: () => {}, text, list: [] };
    }
    const held = boards.map(({ opinion }) => heldByBlack(opinion.occupancy));
    const text = say("How much likelier Black is to hold a point at the end under A (+) or under B (−), in percentage points; less than 1 is left out.");
    return numbers(text, held);
  },
  legal: (boards) => {
    const only = legalInOne(boards);
    const draw = (drawing) => {
      for (const [vertex, letter] of only) drawing.layers.overlay.append(marks.onlyOne(...drawing.placeOf(vertex), letter));
    };
    const item = ([vertex, letter]) => {
      const [other, { illegal }] = letter === "A" ? ["B", boards[1]] : ["A", boards[0]];
      const reason = illegal[vertex] ?? say("The game is over");
      return say("{point}: under {letter} only. {other}: {reason}", { point: vertex, letter, other, reason });
    };
    const text = only.size === 0 ? say("The same points may be played under both.") : say("Points that may be played under one rule set only, with its letter:");
    return { draw, text, list: [...only].map(item) };
  },
};

/** By how much the numbers of points differ, on the board and in words. */
function numbers(text, [a, b]) {
  const all = [...new Set([...a.keys(), ...b.keys()])].map((vertex) => [vertex, (a.get(vertex) ?? 0) - (b.get(vertex) ?? 0)]);
  const shown = all.filter(([, share]) => Math.abs(share) >= LEAST_SHOWN).sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
  const draw = (drawing) => {
    for (const [vertex, share] of shown.filter(([each]) => each !== "pass")) {
      const mark = marks.difference(...drawing.placeOf(vertex), share);
      mark.dataset.differs = vertex;
      drawing.layers.overlay.append(mark);
    }
  };
  const name = (vertex) => (vertex === "pass" ? say("Pass") : vertex);
  const item = ([vertex, share]) => {
    const values = { point: name(vertex), a: percent(a.get(vertex) ?? 0), b: percent(b.get(vertex) ?? 0), difference: marks.signed(share) };
    return say("{point}: A {a}, B {b}, difference {difference}", values);
  };
  return { draw, text, list: shown.length === 0 ? [say("No difference of 1 or more.")] : shown.slice(0, WORDS).map(item) };
}

/** The probability that Black owns each point at the end. */
function heldByBlack({ black, white }) {
  const chance = (at, column) => (1 + black[at][column] - white[at][column]) / 2;
  return new Map(black.flatMap((row, at) => row.map((_, column) => [`${COLUMNS[column]}${black.length - at}`, chance(at, column)])));
}

/** The stones that stand under both. */
const common = ([a, b]) => a.state.stones.map((row, at) => [...row].map((stone, column) => (stone === b.state.stones[at][column] ? stone : ".")).join(""));

/** Shows a kind of difference between two boards: a picture in `place`, and words. */
export function show(kind, boards, isSearching, place, words) {
  const { draw, text, list } = KINDS[kind](boards, isSearching);
  place.hidden = !draw;
  if (draw) {
    const drawing = new Drawing(boards[0].state.size, true, { role: "img", "aria-label": text });
    drawing.draw({ state: { stones: common(boards) }, last: null, incursion: null, removed: { B: [], W: [] }, banned: [] });
    draw(drawing);
    place.replaceChildren(drawing.picture);
  }
  words.replaceChildren(html("p", { textContent: text }));
  if (list.length > 0) words.append(html("ul", { className: "remarks" }, ...list.map((textContent) => html("li", { textContent }))));
}
