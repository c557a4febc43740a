// Starts games without the dialog: from a position, and again.

import * as server from "./server.js";

/** The seats of a new game: all of them here, or one here and the other to be given away. */
function seatsOf({ game, tokens }, own = null) {
  const kept = Object.entries(tokens).filter(([side, token]) => token && (own === null || side === own));
  const other = own === "B" ? "W" : "B";
  return { id: game.id, tokens: Object.fromEntries(kept), invite: own === null ? null : tokens[other] };
}

/** A player of a game, in the form that a new game's request takes. */
const again = (player) => (player.kind === "person" ? { kind: "person" } : { kind: "program", level: player.level, model: player.model });

/**
 * The side that is played from here in a game of these players, if the other one belongs to a
 * person elsewhere: `you` is the side that was played from here before, if only one.
 */
const besideElsewhere = ({ B, W }, you) => (B.kind === "person" && W.kind === "person" ? you : null);

/**
 * Continues from a step of an example, against the best program for it if there is one. Against a
 * person elsewhere, `own` is the side that is played from here.
 */
export async function playOn({ sgf }, players, own) {
  for (const player of Object.values(players)) delete player.model;
  return seatsOf(await server.upload({ sgf, players }), own);
}

/** Continues from an earlier step of a game with the same players, as another game. */
export async function branch({ sgf }, players, you) {
  const begun = await server.upload({ sgf, players: { B: again(players.B), W: again(players.W) } });
  return seatsOf(begun, besideElsewhere(players, you));
}

/** The same game again with colours swapped. */
export async function rematch({ rules, state, players }, you) {
  const begun = await server.begin({ rules, size: state.size, players: { B: again(players.W), W: again(players.B) } });
  const own = besideElsewhere(players, you);
  return seatsOf(begun, own && { B: "W", W: "B" }[own]);
}
