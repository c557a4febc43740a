//! One recorded game under several rule sets side by side, turn by turn.

use engine::{Bitboard, PositionError, Rules};

use crate::replay::Replaying;
use crate::report::{BanCount, Tiles};
use crate::sgf::{SgfRecord, SgfTurn};

/// What several rule sets made of one game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The turns that were replayed.
    pub turns: usize,
    /// A summary of the game under each rule set, in order.
    pub summaries: Vec<Result<ReplaySummary, PositionError>>,
    /// How each rule set differs from each later one, in the order of [`Comparison::pairs`].
    pub differences: Vec<Difference>,
}

/// What one rule set made of the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaySummary {
    /// Turns that could be played.
    pub turns: usize,
    /// Why the next turn could not be played, in a few words; `None` if all were played.
    pub stopped: Option<&'static str>,
    /// The rule set's own bans that forbade some placement on some turn.
    pub bans: Vec<BanCount>,
    /// The tiles on the board at the end; `None` where the rules have none.
    pub tiles: Option<Tiles>,
    /// Stones that were hot right after they were placed.
    pub hot_stones: usize,
    /// The turn that placed the first of them, from 1.
    pub first_hot_turn: Option<usize>,
}

/// How often two rule sets allowed different placements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Difference {
    /// Turns at which the game continued under both.
    pub compared: usize,
    /// Turns among these at which the legal placements differed.
    pub differing: usize,
    /// The first such turn, from 1.
    pub first_turn: Option<usize>,
}

impl Comparison {
    /// All pairs of `rule_sets` rule sets, by index.
    pub fn pairs(rule_sets: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..rule_sets).flat_map(move |one| (one + 1..rule_sets).map(move |other| (one, other)))
    }
}

impl Difference {
    fn add(&mut self, number: usize, differs: bool) {
        self.compared += 1;
        if differs {
            self.differing += 1;
            self.first_turn.get_or_insert(number);
        }
    }
}

/// Plays a record under each rule set until one of its moves is illegal there, and compares the
/// legal placements at every turn. Passes at the end are ignored: they show how the game was ended,
/// not how it was played.
///
/// ```
/// use engine::{Color, Rules};
/// use game::{SgfRecord, compare};
///
/// let rules = ["go", "nogo"].map(|name| Rules::parse(name, 2));
/// let [go, nogo] = rules;
/// let (go, nogo) = (go?, nogo?);
/// let mut record = SgfRecord::new(&go);
/// for (player, played) in [(Color::Black, "A1"), (Color::White, "B1"), (Color::Black, "B2")] {
///     record.push(player, played.parse()?);
/// }
/// let compared = compare(&record, &[go, nogo]);
/// let difference = compared.differences[0];
/// assert_eq!((difference.compared, difference.differing), (3, 1));
/// assert_eq!(difference.first_turn, Some(3));
/// assert_eq!(compared.summaries[1].as_ref().map(|summary| summary.stopped), Ok(Some("capture")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compare(record: &SgfRecord, rule_sets: &[Rules]) -> Comparison {
    let turns = without_passes_at_the_end(&record.turns);
    let mut replays: Vec<Result<Replaying, PositionError>> =
        rule_sets.iter().map(|rules| Replaying::begin(record, *rules)).collect();
    let mut differences: Vec<Difference> =
        Comparison::pairs(rule_sets.len()).map(|_| Difference::default()).collect();
    for (index, turn) in turns.iter().enumerate() {
        let legal: Vec<Option<Bitboard>> = replays
            .iter()
            .map(|replay| replay.as_ref().ok().filter(|replay| replay.is_turn_of(turn)))
            .map(|replay| replay.map(|replay| replay.position.legal_points()))
            .collect();
        for (difference, (one, other)) in
            differences.iter_mut().zip(Comparison::pairs(rule_sets.len()))
        {
            if let (Some(one), Some(other)) = (&legal[one], &legal[other]) {
                difference.add(index + 1, one != other);
            }
        }
        for replay in replays.iter_mut().flatten().filter(|replay| replay.stopped.is_none()) {
            replay.play(turn);
        }
    }
    let summaries =
        replays.into_iter().map(|replay| Ok(ReplaySummary::of(replay?, turns.len()))).collect();
    Comparison { turns: turns.len(), summaries, differences }
}

fn without_passes_at_the_end(turns: &[SgfTurn]) -> &[SgfTurn] {
    let placements = turns.iter().rposition(|turn| turn.played.point().is_some());
    &turns[..placements.map_or(0, |last| last + 1)]
}

impl ReplaySummary {
    fn of(replay: Replaying, turns: usize) -> ReplaySummary {
        let Replaying { position, mut observations, stopped, .. } = replay;
        ReplaySummary {
            turns: stopped.as_ref().map_or(turns, |stopped| stopped.turn - 1),
            stopped: stopped.map(|stopped| stopped.why.short_reason()),
            bans: std::mem::take(&mut observations.bans),
            hot_stones: observations.hot_stones,
            first_hot_turn: observations.first_hot,
            tiles: position.rules().has_tiles().then(|| observations.tiles(&position)),
        }
    }
}
