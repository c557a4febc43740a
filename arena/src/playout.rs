//! Random playouts: the evaluation of players that know nothing but the rules.

use engine::{Bitboard, Family, Move, Point, Position, Reason};

use crate::random::Random;

/// Plays random moves until the game is over, and says how it ended for Black: 1 win, −1 loss, 0 draw.
///
/// Each turn takes a random point that is legal and not an own single-point eye (all its neighbours are stones of the
/// mover); without one, a pass or prisoner return; without that, an eye. Sparing eyes is what lets strings live and
/// random games end (Brügmann, *Monte Carlo Go*, 1993). The rules' own move limit bounds the length.
pub fn playout(position: &mut Position, random: &mut Random) -> f32 {
    loop {
        if let Some(outcome) = position.outcome() {
            return outcome.black_value();
        }
        if !random_turn(position, random) {
            return 0.0;
        }
    }
}

/// Takes a random turn; false if there is none, which no running game has.
fn random_turn(position: &mut Position, random: &mut Random) -> bool {
    let points = match position.rules().family {
        Family::Go | Family::AlterIgo => position.empty(),
        Family::Conquest => position.legal_points(),
    };
    let eyes = own_eyes(position, &points);
    place_randomly(position, points.without(&eyes), random)
        || position.play(Move::Pass).is_ok()
        || place_randomly(position, eyes, random)
        || random.choose(&position.legal_moves()).is_some_and(|any| position.play(any).is_ok())
}

/// Plays on a random legal point of the candidates. Most candidates are legal, so trying them one by one is cheaper
/// than asking for all legal points.
fn place_randomly(position: &mut Position, mut candidates: Bitboard, random: &mut Random) -> bool {
    let mut left = candidates.count();
    while left > 0 {
        let Some(point) = candidates.nth(random.below(left)) else { return false };
        if !loses_at_once(position, point) && position.play(Move::Place(point)).is_ok() {
            return true;
        }
        candidates.remove(point);
        left -= 1;
    }
    false
}

/// The empty points all of whose neighbours are stones of the player to move.
pub(crate) fn own_eyes(position: &Position, empty: &Bitboard) -> Bitboard {
    let others = position.empty() | *position.stones(position.turn().opponent());
    empty.without(&others.neighbours())
}

/// Whether a stone on the point would be an Alter Igo suicide: rules without passing would otherwise end most playouts
/// by a blunder that no player makes.
fn loses_at_once(position: &Position, point: Point) -> bool {
    match position.rules().family {
        Family::Go | Family::Conquest => false,
        // A stone beside an empty point has a liberty.
        Family::AlterIgo if position.empty().neighbours().contains(point) => false,
        Family::AlterIgo => {
            let mut next = position.clone();
            next.play_unchecked(Move::Place(point));
            next.outcome().is_some_and(|outcome| outcome.reason == Reason::Suicide)
        }
    }
}
