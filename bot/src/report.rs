//! The findings of a search, as reported to analysis clients.

use engine::{Color, Size};
use search::{Lead, MoveAnalysis, SearchState, winrate};

use crate::Ownership;

/// Width of the lower confidence bound in standard errors: 97.5 %, given the spread of the
/// evaluations.
const DEVIATIONS: f32 = 1.96;

/// Default length of a principal variation.
pub(crate) const STEPS: usize = 15;

/// Report on the position itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RootReport {
    pub visits: u32,
    pub winrate: f32,
    /// The winrate before any search.
    pub raw_winrate: f32,
    pub score: Score,
}

/// Substitute for an unknown lead: a won game counts as this fraction of the board.
const STAND_IN: f32 = 0.25;

/// By how many points a player is expected to win.
///
/// In rules without a score, it is what the winner is expected to have left: prisoners where they
/// decide, otherwise empty points. Players that do not predict it, such as random playouts, get a
/// substitute that follows the winning probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Score {
    pub lead: f32,
    /// Standard deviation of the lead among the searched positions.
    pub deviation: f32,
}

impl Score {
    pub fn new(lead: Option<Lead>, value: f32, size: Size, view: Color) -> Score {
        let stand_in = || Lead { mean: value * STAND_IN * size.area() as f32, deviation: 0.0 };
        let Lead { mean, deviation } = lead.unwrap_or_else(stand_in);
        Score { lead: view.sign() * mean, deviation }
    }
}

/// Converts a winning probability to an expected result from −1 to 1.
pub(crate) fn utility(winrate: f32) -> f32 {
    2.0 * winrate - 1.0
}

/// Each point's ownership, −1 (White) to 1 (Black), from the top left row by row.
pub(crate) fn signed_ownership(ownership: &Ownership, size: Size) -> Vec<f32> {
    let at = |row: usize, column: usize| {
        let index = row * size.width() + column;
        ownership.black[index] - ownership.white[index]
    };
    let rows = (0..size.height()).rev();
    rows.flat_map(|row| (0..size.width()).map(move |column| at(row, column))).collect()
}

/// The visited moves, and the most probable others up to `at_least` in total with the value of the
/// position: best first, with proven losses last. Variations are cut off after `steps`.
pub(crate) fn moves(state: &SearchState, at_least: usize, steps: usize) -> Vec<MoveAnalysis> {
    let (unvisited, at_root) = (state.result().root_value, state.lead());
    let mut moves = state.analysis();
    let visited = moves.iter().filter(|found| found.stats.visits > 0).count();
    let mut others = at_least.saturating_sub(visited);
    moves.retain(|found| {
        let is_other = found.stats.visits == 0;
        let is_kept = !is_other || others > 0;
        others = others.saturating_sub(usize::from(is_other));
        is_kept
    });
    for found in &mut moves {
        found.line.truncate(steps);
        found.lead = found.lead.or(at_root);
        found.stats.value = found.stats.value.or(Some(unvisited));
    }
    moves
}

/// One of the [`moves`] from a player's perspective: winning probability, its lower confidence
/// bound, and score.
pub(crate) fn outlook(found: &MoveAnalysis, size: Size, view: Color) -> (f32, f32, Score) {
    let MoveAnalysis { stats, deviation, lead, line: _ } = found;
    let value = stats.value.unwrap_or_default();
    let margin = match stats.proven {
        Some(_) => 0.0,
        None => DEVIATIONS * 0.5 * deviation / (stats.visits.max(1) as f32).sqrt(),
    };
    let winrate = winrate(value, view);
    (winrate, winrate - margin, Score::new(*lead, value, size, view))
}

pub(crate) fn root(state: &SearchState, view: Color) -> RootReport {
    let result = state.result();
    RootReport {
        visits: state.started() + 1,
        winrate: winrate(result.root_value, view),
        raw_winrate: winrate(result.raw_value, view),
        score: Score::new(state.lead(), result.root_value, state.root().size(), view),
    }
}

#[cfg(test)]
mod tests {
    use engine::{Position, Rules, Variant};
    use search::evaluators::Scripted;
    use search::{Search, Settings, run};

    use super::*;

    fn searched(simulations: u32) -> Search {
        let settings = Settings::to_win(simulations);
        let root = Position::new(Variant::Go.rules(5).unwrap());
        let mut searches = [Search::new(root, settings, 1)];
        run(&mut searches, &mut Scripted::default()).unwrap();
        let [search] = searches;
        search
    }

    #[test]
    fn both_views_see_the_same_game() {
        let search = searched(64);
        let moves = moves(search.state(), 0, STEPS);
        assert_eq!(moves.len(), 16);
        assert_eq!(moves.iter().map(|found| found.stats.visits).sum::<u32>(), 64);
        for found in &moves {
            let [black, white] =
                Color::BOTH.map(|color| outlook(found, search.root().size(), color));
            let ((one, one_lcb, _), (other, other_lcb, _)) = (black, white);
            assert!((one + other - 1.0).abs() < 1e-6);
            assert!(one_lcb < one && other_lcb < other);
        }
        let [black, white] = Color::BOTH.map(|color| root(search.state(), color));
        assert!((black.winrate + white.winrate - 1.0).abs() < 1e-6);
        assert_eq!(black.visits, 65);
    }

    #[test]
    fn more_moves_are_reported_on_request() {
        let search = searched(4);
        let state = search.state();
        assert_eq!(moves(state, 0, STEPS).len(), 4);
        assert_eq!(moves(state, 20, STEPS).len(), 20);
        assert_eq!(moves(state, 99, STEPS).len(), 26);
    }

    /// White has passed, and Black loses by passing, which is proven as soon as it is visited.
    #[test]
    fn no_more_moves_are_reported_than_requested_because_some_are_lost() {
        let mut root = Position::new(Rules::parse("go,komi=9.5", 3).unwrap());
        for played in ["B2", "pass"] {
            root.play(played.parse().unwrap()).unwrap();
        }
        for simulations in 1..20 {
            let settings = Settings::to_win(simulations);
            let mut searches = [Search::new(root.clone(), settings, 1)];
            run(&mut searches, &mut Scripted::default()).unwrap();
            let found = searches[0].state().analysis();
            let visited = found.iter().filter(|found| found.stats.visits > 0).count();
            let reported = moves(searches[0].state(), 6, STEPS);
            assert_eq!(reported.len(), visited.max(6), "{simulations} simulations");
        }
    }
}
