//! The positions of games under other rules: which placements differ, and what an evaluator that
//! knows both rule sets thinks of each.

use arena::MatchGame;
use engine::{Color, Move, Point, Position, Rules, Size};
use search::{Evaluation, Evaluator, EvaluatorError};

use crate::observe::chance;
use crate::statistic::Statistic;

/// Smaller probabilities are replaced by this, so that a single move excluded by an evaluator does
/// not make a divergence infinite.
const MIN_PRIOR: f64 = 1e-6;

/// Why positions cannot be examined under other rules.
#[derive(Debug, thiserror::Error)]
pub enum OtherRulesError {
    /// The boards differ.
    #[error("the other rules are for a board of {other}, but a game was played on {given}")]
    Size {
        /// The board of a game.
        given: Size,
        /// The board of the other rules.
        other: Size,
    },
    /// The evaluator failed.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}

/// A position in which different placements are legal under the other rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferentPlacements {
    /// Turns before the position.
    pub turn: usize,
    /// Whether the same moves lead to the position under the other rules; otherwise its stones were
    /// set up.
    pub is_replayed: bool,
    /// Points that are legal only under the game's rules.
    pub only_here: Vec<Point>,
    /// Points that are legal only under the other rules.
    pub only_there: Vec<Point>,
}

/// What an evaluator thinks of the positions of one game, on average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EvaluationShift {
    /// The divergence KL(here ‖ there) between the policies in nats: Σ p ln(p / q) over the moves
    /// that are legal under both rule sets, with both policies normalised over these moves.
    /// Probabilities below one in a million are replaced by that.
    pub divergence: f64,
    /// Fraction of positions in which the likeliest of all legal moves is the same.
    pub agreement: f64,
    /// Black's winning probability under the other rules minus that under the game's own.
    pub black: f64,
    /// The mean absolute value of this difference.
    pub distance: f64,
}

/// One game under other rules. Positions in which the game would be over under the other rules, or
/// whose stones cannot stand there, are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherRulesGame {
    /// Number of positions that the same moves lead to under the other rules, with the same stones
    /// and player to move.
    pub replayed: usize,
    /// Number of positions after the first move that does not exist there or leads to other stones:
    /// they are set up with as much of the game's history as the other rules depend on
    /// ([`Position::under`]).
    pub set_up: usize,
    /// Number of positions left out.
    pub left_out: usize,
    /// Mean number of legal placements under the game's rules and under the others.
    pub placements: Option<[f64; 2]>,
    /// The positions in which the legal placements differ.
    pub differences: Vec<DifferentPlacements>,
    /// What the evaluator thinks, if one was given.
    pub shift: Option<EvaluationShift>,
}

impl OtherRulesGame {
    /// Number of positions compared.
    pub fn positions(&self) -> usize {
        self.replayed + self.set_up
    }

    fn share(&self, count: usize) -> Option<f64> {
        (self.positions() > 0).then(|| count as f64 / self.positions() as f64)
    }
}

/// Games under other rules.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherRulesStudy {
    /// The other rules.
    pub other: Rules,
    /// One entry per game.
    pub games: Vec<OtherRulesGame>,
    /// Means over the games with their intervals.
    pub statistics: Vec<Statistic>,
}

/// Examines up to this many positions of each game, evenly spaced, under other rules. Each rule set
/// keeps its own komi. The evaluator must know both.
///
/// ```
/// use arena::MatchGame;
/// use engine::Rules;
/// use game::Game;
/// use search::evaluators::Uniform;
/// use studies::study_other_rules;
///
/// let mut game = Game::new(Rules::parse("go", 5)?);
/// for played in ["C3", "C4", "pass", "pass"] {
///     game.play(played.parse()?)?;
/// }
/// let game = MatchGame::new(&game, game.end().expect("two passes"), 0, Default::default());
/// let looked = study_other_rules(&[game], Rules::parse("nogo", 5)?, 100, Some(&mut Uniform))?;
/// // NoGo has no passes: the last position was set up.
/// assert_eq!((looked.games[0].replayed, looked.games[0].set_up), (3, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A game is on a board of another size, or the evaluator fails.
pub fn study_other_rules(
    games: &[MatchGame],
    other: Rules,
    positions: usize,
    mut evaluator: Option<&mut dyn Evaluator>,
) -> Result<OtherRulesStudy, OtherRulesError> {
    let mut rows = Vec::new();
    for game in games {
        if game.rules.size != other.size {
            return Err(OtherRulesError::Size { given: game.rules.size, other: other.size });
        }
        let (pairs, left_out) = pair_positions(game, other, positions);
        let shift = match &mut evaluator {
            Some(evaluator) => evaluation_shift(&pairs, *evaluator)?,
            None => None,
        };
        rows.push(row(&pairs, left_out, shift));
    }
    Ok(OtherRulesStudy { other, statistics: statistics(&rows, &other), games: rows })
}

/// A position under both rule sets.
struct PairedPosition {
    turn: usize,
    is_replayed: bool,
    here: Position,
    there: Position,
}

/// The positions of a game under both rule sets, and the number of positions left out.
fn pair_positions(
    game: &MatchGame,
    other: Rules,
    positions: usize,
) -> (Vec<PairedPosition>, usize) {
    let turns = game.moves.len();
    let wanted: Vec<usize> = match positions {
        0 => Vec::new(),
        some => (0..turns.min(some)).map(|index| index * turns / turns.min(some)).collect(),
    };
    let mut here = Position::new(game.rules);
    // Follows the game as long as the same moves lead to the same position.
    let mut replayed = Some(Position::new(other));
    let mut pairs = Vec::new();
    for (turn, &played) in game.moves.iter().enumerate() {
        if wanted.binary_search(&turn).is_ok() {
            let is_replayed = replayed.is_some();
            let there = replayed.clone().or_else(|| here.under(other).ok());
            let is_same =
                |there: &Position| there.outcome().is_none() && has_same_board(&here, there);
            let there = there.filter(is_same);
            pairs.extend(there.map(|there| PairedPosition {
                turn,
                is_replayed,
                here: here.clone(),
                there,
            }));
        }
        here.play_unchecked(played);
        replayed = replayed.and_then(|mut there| {
            there.play(played).ok()?;
            has_same_board(&here, &there).then_some(there)
        });
    }
    let left_out = wanted.len() - pairs.len();
    (pairs, left_out)
}

/// Whether the stones and the player to move are the same.
fn has_same_board(here: &Position, there: &Position) -> bool {
    let stones = |position: &Position| Color::BOTH.map(|color| *position.stones(color));
    stones(here) == stones(there) && here.turn() == there.turn()
}

fn row(
    pairs: &[PairedPosition],
    left_out: usize,
    shift: Option<EvaluationShift>,
) -> OtherRulesGame {
    let replayed = pairs.iter().filter(|pair| pair.is_replayed).count();
    let count = |of: fn(&PairedPosition) -> &Position| {
        let all = pairs.iter().map(|pair| of(pair).legal_points().count());
        all.sum::<usize>() as f64 / pairs.len() as f64
    };
    let placements =
        (!pairs.is_empty()).then(|| [count(|pair| &pair.here), count(|pair| &pair.there)]);
    let difference = |pair: &PairedPosition| {
        let [here, there] = [&pair.here, &pair.there].map(|position| position.legal_points());
        (here != there).then(|| DifferentPlacements {
            turn: pair.turn,
            is_replayed: pair.is_replayed,
            only_here: here.without(&there).iter().collect(),
            only_there: there.without(&here).iter().collect(),
        })
    };
    OtherRulesGame {
        replayed,
        set_up: pairs.len() - replayed,
        left_out,
        placements,
        differences: pairs.iter().filter_map(difference).collect(),
        shift,
    }
}

/// What an evaluator thinks of the positions of a game; `None` without positions.
fn evaluation_shift(
    pairs: &[PairedPosition],
    evaluator: &mut dyn Evaluator,
) -> Result<Option<EvaluationShift>, EvaluatorError> {
    if pairs.is_empty() {
        return Ok(None);
    }
    let positions: Vec<&Position> =
        pairs.iter().flat_map(|pair| [&pair.here, &pair.there]).collect();
    let said = evaluator.evaluate(&positions)?;
    let mut sum = [0.0; 4];
    for pair in said.chunks_exact(2) {
        let [here, there] = pair else { continue };
        let black = chance(there.value) - chance(here.value);
        let agrees = here.likeliest() == there.likeliest();
        let one = [divergence(here, there), f64::from(u8::from(agrees)), black, black.abs()];
        sum.iter_mut().zip(one).for_each(|(sum, one)| *sum += one);
    }
    let [divergence, agreement, black, distance] = sum.map(|sum| sum / pairs.len() as f64);
    Ok(Some(EvaluationShift { divergence, agreement, black, distance }))
}

/// See [`EvaluationShift::divergence`]; 0 if there are no common moves.
fn divergence(here: &Evaluation, there: &Evaluation) -> f64 {
    let prior = |evaluation: &Evaluation, played: Move| {
        let found = evaluation.policy.iter().find(|(other, _)| *other == played);
        found.map(|&(_, prior)| f64::from(prior).max(MIN_PRIOR))
    };
    let common = here
        .policy
        .iter()
        .filter_map(|&(played, _)| Some([prior(here, played)?, prior(there, played)?]));
    let common: Vec<[f64; 2]> = common.collect();
    let sums = [0, 1].map(|side| common.iter().map(|pair| pair[side]).sum::<f64>());
    let term = |[p, q]: &[f64; 2]| p / sums[0] * (p / sums[0] / (q / sums[1])).ln();
    // Rounding can make it negative when the policies are equal.
    common.iter().map(term).sum::<f64>().max(0.0)
}

/// The columns that depend on the network's evaluations, not only on the rules.
const EVALUATED: [&str; 4] =
    ["policy-divergence", "policy-agreement", "black-change", "black-distance"];

/// A key, a description, and the value for a game.
type Column = (&'static str, &'static str, Range, fn(&OtherRulesGame) -> Option<f64>);

/// The range of a game's value.
#[derive(Clone, Copy)]
enum Range {
    Share,
    /// From −1 to 1.
    Change,
    Placements,
    /// Non-negative. Only outliers exceed 2.
    Nats,
}

const COLUMNS: [Column; 8] = [
    (
        "replayed",
        "share of the positions that the same moves lead to under the other rules",
        Range::Share,
        |game| game.share(game.replayed),
    ),
    ("placements", "legal placements", Range::Placements, |game| Some(game.placements?[0])),
    ("placements-there", "legal placements under the other rules", Range::Placements, |game| {
        Some(game.placements?[1])
    }),
    (
        "placements-differ",
        "share of the positions in which the legal placements differ",
        Range::Share,
        |game| game.share(game.differences.len()),
    ),
    ("policy-divergence", "divergence of the policies in nats", Range::Nats, |game| {
        Some(game.shift?.divergence)
    }),
    (
        "policy-agreement",
        "share of the positions in which the same move is preferred",
        Range::Share,
        |game| Some(game.shift?.agreement),
    ),
    (
        "black-change",
        "Black's chance under the other rules, less that under the game's own",
        Range::Change,
        |game| Some(game.shift?.black),
    ),
    ("black-distance", "by how much Black's chance differs", Range::Share, |game| {
        Some(game.shift?.distance)
    }),
];

/// Means over the games.
pub(crate) fn statistics(games: &[OtherRulesGame], rules: &Rules) -> Vec<Statistic> {
    let column = |&(key, name, range, of): &Column| {
        let values: Vec<f64> = games.iter().filter_map(of).collect();
        let range = match range {
            Range::Share => [0.0, 1.0],
            Range::Change => [-1.0, 1.0],
            Range::Placements => [0.0, rules.size.area() as f64],
            Range::Nats => [0.0, 2.0],
        };
        let evaluated = EVALUATED.contains(&key);
        Statistic { evaluated, ..Statistic::mean(key, name, values.into_iter(), range) }
    };
    COLUMNS.iter().map(column).collect()
}

#[cfg(test)]
mod tests {
    use engine::Variant;
    use search::Policy;
    use search::evaluators::{Scripted, Uniform};

    use super::*;
    use crate::test_positions::games;

    #[test]
    fn what_rests_on_evaluations_is_a_column() {
        for key in EVALUATED {
            assert!(COLUMNS.iter().any(|(known, ..)| *known == key), "{key}");
        }
    }

    fn value<'a>(looked: &'a OtherRulesStudy, key: &str) -> &'a Statistic {
        looked.statistics.iter().find(|one| one.key == key).expect(key)
    }

    #[test]
    fn under_the_same_rules_nothing_differs() {
        for variant in Variant::ALL {
            let rules = variant.rules(4).expect("rules");
            let games = games(rules, 4);
            let mut evaluator = Scripted { seed: 1 };
            let looked =
                study_other_rules(&games, rules, 1_000, Some(&mut evaluator)).expect("answers");
            for (row, game) in looked.games.iter().zip(&games) {
                let counts = (row.replayed, row.set_up, row.left_out);
                assert_eq!(counts, (game.moves.len(), 0, 0), "{variant}");
                assert_eq!(row.differences, []);
                let same =
                    EvaluationShift { divergence: 0.0, agreement: 1.0, black: 0.0, distance: 0.0 };
                assert_eq!(row.shift, Some(same), "{variant}");
            }
            let kl = value(&looked, "policy-divergence").estimate.expect("games");
            assert!(kl.value == 0.0 && kl.high > 0.0);
        }
    }

    /// Whatever the two rule sets are, the positions are the same, and the differences are those of
    /// the rules.
    #[test]
    fn every_pair_of_variants_can_be_compared() {
        for variant in Variant::ALL {
            let rules = variant.rules(4).expect("rules");
            let games = games(rules, 3);
            for other in Variant::ALL {
                let other = other.rules(4).expect("rules");
                for game in &games {
                    let (pairs, left_out) = pair_positions(game, other, 10);
                    assert_eq!(pairs.len() + left_out, game.moves.len().min(10));
                    for pair in &pairs {
                        assert!(has_same_board(&pair.here, &pair.there), "{variant} and {other}");
                        assert_eq!(*pair.there.rules(), other);
                        let mut replayed = Position::new(other);
                        let same = game.moves[..pair.turn]
                            .iter()
                            .try_for_each(|&played| replayed.play(played));
                        assert!(!pair.is_replayed || same.is_ok(), "{variant} and {other}");
                    }
                    for difference in row(&pairs, left_out, None).differences {
                        let of = |pair: &&PairedPosition| pair.turn == difference.turn;
                        let pair = pairs.iter().find(of).expect("its position");
                        let allows = |position: &Position, point| {
                            position.check_move(Move::Place(point)).is_ok()
                        };
                        for &point in &difference.only_here {
                            assert!(allows(&pair.here, point) && !allows(&pair.there, point));
                        }
                        for &point in &difference.only_there {
                            assert!(!allows(&pair.here, point) && allows(&pair.there, point));
                        }
                    }
                }
            }
        }
    }

    fn record(rules: &str, size: usize, moves: &str) -> MatchGame {
        let mut game = game::Game::new(Rules::parse(rules, size).expect("rules"));
        for text in moves.split(' ') {
            game.play(text.parse().expect(text)).expect("a legal move");
        }
        MatchGame::new(&game, game.end().expect("an end"), 0, Default::default())
    }

    #[test]
    fn a_ban_is_the_difference() {
        // A snapback in the corner: White captures at A1, and under stoical rules Black may not
        // capture the string that did it.
        let moves = "A3 A2 B3 B2 C3 C2 D2 C1 D1 pass A1 B1 A1 pass pass";
        let game = record("go", 5, moves);
        let stoical = Rules::parse("stoical", 5).expect("rules");
        let looked = study_other_rules(&[game], stoical, 100, None).expect("no evaluator");
        let [row] = &looked.games[..] else { panic!("one game") };
        assert_eq!((row.replayed, row.set_up, row.left_out), (13, 2, 0));
        let point = |text: &str| -> Point { text.parse().expect(text) };
        let snapback = DifferentPlacements {
            turn: 12,
            is_replayed: true,
            only_here: vec![point("A1")],
            only_there: vec![],
        };
        assert_eq!(row.differences.first(), Some(&snapback));
        assert_eq!(row.shift, None);
        assert_eq!(value(&looked, "policy-divergence").estimate, None);
    }

    #[test]
    fn boards_of_other_sizes_are_refused() {
        let game = record("go", 3, "pass pass");
        let error = study_other_rules(&[game], Rules::parse("go", 4).expect("rules"), 1, None);
        assert!(matches!(error, Err(OtherRulesError::Size { .. })), "{error:?}");
    }

    #[test]
    fn divergence_is_over_the_common_moves() {
        let said = |policy: &[(&str, f32)]| {
            let policy: Policy =
                policy.iter().map(|&(text, prior)| (text.parse().expect(text), prior)).collect();
            Evaluation { policy, value: 0.0, lead: None }
        };
        let here = said(&[("A1", 0.4), ("B1", 0.1), ("C1", 0.5)]);
        let there = said(&[("A1", 0.25), ("B1", 0.25), ("pass", 0.5)]);
        // 0.8 and 0.2 against a half each.
        let expected = 0.8 * 1.6_f64.ln() + 0.2 * 0.4_f64.ln();
        assert!((divergence(&here, &there) - expected).abs() < 1e-6);
        assert_eq!(divergence(&here, &said(&[("pass", 1.0)])), 0.0);
        let excluded = divergence(&here, &said(&[("A1", 0.0), ("B1", 1.0)]));
        assert!((5.0..14.0).contains(&excluded), "{excluded}");
    }

    #[test]
    fn samples_are_evenly_spaced() {
        let rules = Rules::parse("nogo", 5).expect("rules");
        for game in games(rules, 3) {
            let turns: Vec<usize> =
                pair_positions(&game, rules, 4).0.iter().map(|pair| pair.turn).collect();
            let turn = |index: usize| index * game.moves.len() / 4;
            assert_eq!(turns, [turn(0), turn(1), turn(2), turn(3)]);
            assert_eq!(pair_positions(&game, rules, 0).0.len(), 0);
        }
        assert!(study_other_rules(&[], rules, 5, Some(&mut Uniform)).is_ok());
    }
}
