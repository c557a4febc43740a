//! Random playouts: evaluation by the rules alone.

use engine::{Bitboard, Color, Move, Point, Position, Reason};

use search::Random;

/// Plays random moves until the game is over, and returns its result for Black: 1 for a win, −1 for
/// a loss, 0 for a draw.
///
/// Each turn takes a random point that is legal and not the mover's own single-point eye (all its
/// neighbours are stones of the mover); if there is none, a pass or a prisoner return; and if that
/// is not possible, an eye. Sparing eyes is what lets strings live and random games end (Brügmann,
/// *Monte Carlo Go*, 1993). The rules' own move limit bounds the length.
pub fn playout(position: &mut Position, random: &mut Random) -> f32 {
    playout_with_observer(position, random, |_, _| {})
}

/// Like [`playout`], calling `observe` with the player and move of every turn.
pub(crate) fn playout_with_observer(
    position: &mut Position,
    random: &mut Random,
    mut observe: impl FnMut(Color, Move),
) -> f32 {
    loop {
        if let Some(outcome) = position.outcome() {
            return outcome.result.black_value();
        }
        let player = position.turn();
        match random_turn(position, random) {
            Some(played) => observe(player, played),
            None => return 0.0,
        }
    }
}

/// Takes a random turn; `None` only in a finished game.
fn random_turn(position: &mut Position, random: &mut Random) -> Option<Move> {
    let has_owners = position.rules().has_owners();
    let points = if has_owners { position.legal_points() } else { position.empty() };
    let eyes = own_eyes(position, &points);
    place_randomly(position, points.without(&eyes), random)
        .or_else(|| position.play(Move::Pass).ok().map(|()| Move::Pass))
        .or_else(|| place_randomly(position, eyes, random))
        .or_else(|| {
            let any = random.choose(&position.legal_moves())?;
            position.play(any).ok().map(|()| any)
        })
}

/// The points where a playout may place a stone in the next turn.
pub(crate) fn playable_points(position: &Position) -> Bitboard {
    let points = position.legal_points();
    let eyes = own_eyes(position, &points);
    points.without(&eyes).iter().filter(|&point| !loses_at_once(position, point)).collect()
}

/// Plays on a random legal candidate. Most candidates are legal, so trying them one by one is
/// cheaper than computing all legal points.
fn place_randomly(
    position: &mut Position,
    mut candidates: Bitboard,
    random: &mut Random,
) -> Option<Move> {
    let mut left = candidates.count();
    while left > 0 {
        let point = candidates.nth(random.below(left))?;
        if !loses_at_once(position, point) && position.play(Move::Place(point)).is_ok() {
            return Some(Move::Place(point));
        }
        candidates.remove(point);
        left -= 1;
    }
    None
}

/// The empty points all of whose neighbours are stones of the player to move.
pub(crate) fn own_eyes(position: &Position, empty: &Bitboard) -> Bitboard {
    let others = position.empty() | *position.stones(position.turn().opponent());
    empty.without(&others.neighbours())
}

/// Whether a stone on the point would be an Alter Igo suicide. Under rules without passing, most
/// playouts would otherwise end by a blunder that no player makes.
fn loses_at_once(position: &Position, point: Point) -> bool {
    // A stone next to an empty point has a liberty.
    if !position.rules().loses_by_suicide() || position.empty().neighbours().contains(point) {
        return false;
    }
    let mut next = position.clone();
    next.play_unchecked(Move::Place(point));
    next.outcome().is_some_and(|outcome| outcome.reason == Reason::Suicide)
}
