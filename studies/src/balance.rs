//! What makes the game even: komi, prisoners to start with, or passes for White.

use std::fmt;

use arena::{Estimate, SelfPlayedGame};
use engine::{Color, Compensation, Rules};

use crate::observe::chance;
use crate::opening_correction::{OpenedGame, without_openings};

/// Number of steps that may be tried to either side of what the networks consider fair.
const STEPS: i32 = 6;

/// The first compensation that can be played, and the distance to the next. Komi has half points,
/// so that no game is a tie by score, and an even distance, because most margins have the parity of
/// the board.
const fn grid(kind: Compensation) -> (f64, f64) {
    match kind {
        Compensation::Komi => (0.5, 2.0),
        Compensation::Prisoners | Compensation::Passes | Compensation::None => (0.0, 1.0),
    }
}

/// The rules with each compensation worth playing, smallest first, and the index of the one that
/// seems fair. `chance` is Black's winning probability on the empty board, which is assumed to fall
/// with the compensation; only rules that `knows` accepts are tried. Empty where the rules have no
/// compensation.
pub(crate) fn compensations<E>(
    rules: &Rules,
    knows: &dyn Fn(&Rules) -> bool,
    chance: &mut dyn FnMut(&Rules) -> Result<f64, E>,
) -> Result<(Vec<Rules>, usize), E> {
    let (offset, step) = grid(rules.compensation());
    let most = rules.size.area() as i32;
    if rules.compensation() == Compensation::None {
        return Ok((Vec::new(), 0));
    }
    let at = |index: i32| {
        let amount = (offset + f64::from(index)) as f32;
        let level = rules.with_compensation(amount).ok()?;
        (level.compensation_amount() == amount && knows(&level)).then_some(level)
    };
    let possible: Vec<i32> = (-most..most).filter(|&index| at(index).is_some()).collect();
    let mut is_ahead = |place: usize| match at(possible[place]) {
        Some(tried) => Ok(chance(&tried)? > 0.5),
        None => Ok(false),
    };
    let own = f64::from(rules.compensation_amount());
    let start = possible.partition_point(|&index| offset + f64::from(index) < own);
    let (mut low, mut high) = bracket(start, possible.len(), &mut is_ahead)?;
    while low < high {
        let middle = (low + high) / 2;
        if is_ahead(middle)? { low = middle + 1 } else { high = middle }
    }
    let Some(&fair) = possible.get(low).or(possible.last()) else { return Ok((Vec::new(), 0)) };
    let steps = (-STEPS..=STEPS).map(|place| fair + place * step as i32);
    let levels: Vec<Rules> = steps.filter_map(at).collect();
    let place = levels
        .iter()
        .position(|level| f64::from(level.compensation_amount()) >= offset + f64::from(fair));
    Ok((levels, place.unwrap_or_default()))
}

/// The nearest places around `start`, of `count`, between which Black ceases to be ahead: ahead just
/// below the first, and no longer at the second. Farther away, at compensations that it has never
/// met, a network's probabilities may mean nothing.
fn bracket<E>(
    start: usize,
    count: usize,
    is_ahead: &mut dyn FnMut(usize) -> Result<bool, E>,
) -> Result<(usize, usize), E> {
    let (mut low, mut high, mut reach) = (start, start, 1);
    while high < count && is_ahead(high)? {
        low = high + 1;
        high = (high + reach).min(count);
        reach *= 2;
    }
    if low > start {
        return Ok((low, high));
    }
    while low > 0 && !is_ahead(low - 1)? {
        high = low - 1;
        low = low.saturating_sub(reach);
        reach *= 2;
    }
    Ok((low, high))
}

/// A game as evidence about who is ahead on the empty board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Evidence {
    /// Black's share of the points: 0, ½ or 1.
    pub(crate) share: f64,
    /// Black's winning probability after the opening, by the agent's search.
    pub(crate) expected: f64,
}

impl Evidence {
    pub(crate) fn of(played: &SelfPlayedGame) -> Evidence {
        let SelfPlayedGame { game, values } = played;
        let share = game.half_points(Color::Black) as f64 / 2.0;
        Evidence { share, expected: values.first().map_or(share, |&value| chance(value)) }
    }
}

/// The games of one network at one compensation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CompensationLevel {
    pub(crate) compensation: f64,
    /// Black's winning probability on the empty board, by the network's search.
    pub(crate) empty: f64,
    /// How wrong `empty` may be, in logits: see [`crate::EmptyBoardResult::doubt`].
    pub(crate) doubt: f64,
    pub(crate) games: Vec<Evidence>,
}

impl CompensationLevel {
    fn opened(&self) -> impl Iterator<Item = OpenedGame> {
        self.games.iter().map(|game| OpenedGame::new(game.share, self.empty, game.expected))
    }
}

/// A compensation that may be the fair one, with the games of all networks at it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) compensation: f64,
    pub(crate) games: Vec<OpenedGame>,
    /// Black's winning probability on the empty board, by the networks' searches, on average.
    pub(crate) searched: f64,
    /// How wrong the networks' searches of the empty board may be, on average. More games do not
    /// reduce it.
    pub(crate) doubt: f64,
}

impl Candidate {
    /// The games of some networks at the same compensation.
    pub(crate) fn of(levels: &[&CompensationLevel]) -> Option<Candidate> {
        let mean = |of: fn(&CompensationLevel) -> f64| {
            levels.iter().map(|level| of(level)).sum::<f64>() / levels.len() as f64
        };
        Some(Candidate {
            compensation: levels.first()?.compensation,
            games: levels.iter().flat_map(|level| level.opened()).collect(),
            searched: mean(|level| level.empty),
            doubt: mean(|level| level.doubt),
        })
    }

    /// Black's share of the points from the empty board. Its interval is that of the games,
    /// extended by `doubt` at each end.
    pub(crate) fn black(&self) -> Option<Estimate> {
        without_openings(&self.games, self.searched, self.doubt)
    }
}

/// A compensation relative to the tested range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TestedCompensation {
    /// Below this, the lowest one tested.
    Below(f64),
    /// Within the range.
    At(f64),
    /// Above this, the highest one tested.
    Above(f64),
}

impl TestedCompensation {
    /// The compensation, infinite where it lies beyond the tested range.
    pub(crate) fn position(self) -> f64 {
        match self {
            TestedCompensation::Below(_) => f64::NEG_INFINITY,
            TestedCompensation::At(value) => value,
            TestedCompensation::Above(_) => f64::INFINITY,
        }
    }
}

impl fmt::Display for TestedCompensation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TestedCompensation::Below(least) => write!(f, "below {least}"),
            TestedCompensation::At(value) => write!(f, "{value:.1}"),
            TestedCompensation::Above(most) => write!(f, "above {most}"),
        }
    }
}

/// The compensation at which both players win equally often, with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FairPoint {
    /// Lower end.
    pub low: TestedCompensation,
    /// The most likely one.
    pub value: TestedCompensation,
    /// Upper end.
    pub high: TestedCompensation,
}

/// Where Black's share falls through one half; `None` if it rises significantly with the
/// compensation, because then the agent does not know what compensation is worth.
///
/// The only assumption is that compensation helps White. From the lowest candidate upwards Black is
/// found to be ahead until that is no longer significant, and from the highest one downwards White
/// is. This misses the fair point only if the first test beyond it errs, with probability 2.5 %,
/// however many candidates there are. Openings are the unit, so candidates may share them.
pub(crate) fn fair_point(candidates: &[Candidate]) -> Option<FairPoint> {
    let at: Vec<f64> = candidates.iter().map(|candidate| candidate.compensation).collect();
    let black: Vec<Estimate> = candidates.iter().map(Candidate::black).collect::<Option<_>>()?;
    if black.last()?.low > black.first()?.high {
        return None;
    }
    let ahead = black.iter().take_while(|share| share.low > 0.5).count();
    let behind = black.iter().rev().take_while(|share| share.high < 0.5).count();
    let last = at.len() - 1;
    Some(FairPoint {
        low: match ahead {
            0 => TestedCompensation::Below(at[0]),
            _ if ahead > last => TestedCompensation::Above(at[last]),
            _ => TestedCompensation::At(at[ahead - 1]),
        },
        value: crossing(&at, &falling(&black)),
        high: match behind {
            0 => TestedCompensation::Above(at[last]),
            _ if behind > last => TestedCompensation::Below(at[0]),
            _ => TestedCompensation::At(at[at.len() - behind]),
        },
    })
}

/// The nearest non-increasing shares (isotonic regression): rising neighbours are replaced by their
/// mean.
fn falling(black: &[Estimate]) -> Vec<f64> {
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for share in black {
        let mut block = (share.value, 1);
        while let Some(&(before, count)) = blocks.last()
            && before < block.0
        {
            let all = count + block.1;
            block = ((before * count as f64 + block.0 * block.1 as f64) / all as f64, all);
            blocks.pop();
        }
        blocks.push(block);
    }
    blocks.into_iter().flat_map(|(share, count)| std::iter::repeat_n(share, count)).collect()
}

/// Where the line from the last share above one half to the first one below it crosses one half.
fn crossing(at: &[f64], shares: &[f64]) -> TestedCompensation {
    let above = shares.iter().rposition(|&share| share > 0.5);
    let below = shares.iter().position(|&share| share < 0.5);
    let last = at.len() - 1;
    match (above, below) {
        (_, Some(0)) => TestedCompensation::Below(at[0]),
        (Some(above), None) if above == last => TestedCompensation::Above(at[last]),
        (Some(above), Some(below)) => {
            let part = (shares[above] - 0.5) / (shares[above] - shares[below]);
            TestedCompensation::At(at[above] + part * (at[below] - at[above]))
        }
        // Exactly even at one end of the tested range, or everywhere: return the middle of that.
        (above, below) => {
            let (from, to) = (above.map_or(0, |above| above + 1), below.unwrap_or(last + 1) - 1);
            TestedCompensation::At((at[from] + at[to]) / 2.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opening_correction::logit;

    fn candidate(compensation: f64, wins: usize, games: usize) -> Candidate {
        let game = |game| OpenedGame::new(f64::from(u8::from(game < wins)), 0.5, 0.5);
        let searched = wins as f64 / games as f64;
        Candidate { compensation, games: (0..games).map(game).collect(), searched, doubt: 0.0 }
    }

    fn said(candidates: &[Candidate]) -> String {
        let fair = fair_point(candidates).expect("compensation that helps");
        let FairPoint { low, value, high } = fair;
        match (low, high) {
            (TestedCompensation::Below(least), TestedCompensation::Above(most)) => {
                format!("undetermined by these games; {least} to {most} tested")
            }
            _ if low == high => value.to_string(),
            _ => format!("{value}  [{low}, {high}]"),
        }
    }

    #[test]
    fn a_crossing_between_the_levels_is_found() {
        let levels = [(0.0, 95), (1.0, 75), (2.0, 45), (3.0, 10)];
        let candidates: Vec<Candidate> =
            levels.into_iter().map(|(level, wins)| candidate(level, wins, 100)).collect();
        assert_eq!(said(&candidates), "1.8  [1.0, 3.0]");
    }

    #[test]
    fn nothing_is_said_of_what_was_not_tested() {
        assert_eq!(said(&[candidate(5.5, 10, 100), candidate(13.5, 2, 100)]), "below 5.5");
        assert_eq!(said(&[candidate(5.5, 100, 100), candidate(13.5, 90, 100)]), "above 13.5");
        let open = said(&[candidate(5.5, 55, 100), candidate(13.5, 49, 100)]);
        assert_eq!(open, "undetermined by these games; 5.5 to 13.5 tested");
        let half_open = said(&[candidate(5.5, 90, 100), candidate(13.5, 49, 100)]);
        assert_eq!(half_open, "13.3  [5.5, above 13.5]");
    }

    #[test]
    fn compensation_that_harms_white_has_no_fair_point() {
        assert_eq!(fair_point(&[candidate(0.0, 40, 100), candidate(2.0, 70, 100)]), None);
        // A smaller rise may be chance.
        let said = said(&[candidate(0.0, 48, 100), candidate(2.0, 53, 100)]);
        assert_eq!(said, "undetermined by these games; 0 to 2 tested");
    }

    /// The network knows few passes of White; with many its chances drift back to a half.
    #[test]
    fn the_nearest_fair_compensation_is_tried() {
        let chance = |passes: f32| match passes {
            ..20.0 => 0.73 - 0.08 * f64::from(passes),
            _ => 0.55,
        };
        for (rules, fair) in [("alter-igo", 3.0), ("alter-igo,white_passes=12", 3.0)] {
            let rules = Rules::parse(rules, 7).expect("rules");
            let mut tried = 0;
            let found = compensations(&rules, &|_| true, &mut |rules| {
                tried += 1;
                Ok::<f64, ()>(chance(rules.compensation_amount()))
            });
            let (levels, place) = found.expect("no error");
            assert_eq!(levels[place].compensation_amount(), fair);
            assert!(tried < 12, "{tried}");
        }
    }

    #[test]
    fn the_doubt_of_the_searches_extends_the_interval() {
        let found = candidate(9.0, 60, 100);
        let doubtful = Candidate { doubt: 0.4, ..found.clone() };
        let [found, wider] = [found, doubtful].map(|level| level.black().expect("games"));
        assert!((logit(found.low) - logit(wider.low) - 0.4).abs() < 1e-9);
        assert!((logit(wider.high) - logit(found.high) - 0.4).abs() < 1e-9);
        assert_eq!(wider.value, found.value);
    }
}
