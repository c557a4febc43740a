//! What makes the game even: komi, prisoners to start with, or passes for White.

use std::fmt;

use engine::{Color, Compensation, Komi, Reason, Rules};
use game::EndReason;

use arena::{Estimate, MatchGame};

/// Steps that may be tried to either side of what the networks think fair.
const STEPS: i32 = 6;

/// The compensation of a rule set; `None` if it has none.
pub(crate) fn compensation(rules: &Rules) -> Option<f64> {
    match rules.compensation() {
        Compensation::Komi | Compensation::Prisoners => Some(rules.komi.value().into()),
        Compensation::Passes => Some(rules.white_passes.into()),
        Compensation::None => None,
    }
}

/// The same rules with another compensation, if that is possible.
fn with_compensation(rules: &Rules, value: f64) -> Option<Rules> {
    match rules.compensation() {
        Compensation::Komi | Compensation::Prisoners => {
            Komi::new(value as f32).map(|komi| Rules { komi, ..*rules })
        }
        Compensation::Passes => {
            let passes = (0.0..=f64::from(u8::MAX)).contains(&value).then_some(value as u16);
            passes.map(|white_passes| Rules { white_passes, ..*rules })
        }
        Compensation::None => None,
    }
}

/// A compensation that splits no game evenly, and the distance to the next one that is played. Komi has half points, so
/// that no game is a tie by score, and an even distance, because most margins have the parity of the board.
const fn grid(kind: Compensation) -> (f64, f64) {
    match kind {
        Compensation::Komi => (0.5, 2.0),
        Compensation::Prisoners | Compensation::Passes | Compensation::None => (0.0, 1.0),
    }
}

/// The rules with the compensations that are worth playing, from the smallest on, and the place of the one that seems
/// fair. `chance` is Black's chance on the empty board, which is taken to fall with the compensation; only rules
/// that `knows` admits are tried. Nothing where the rules have no compensation.
pub(crate) fn ladder<E>(
    rules: &Rules,
    knows: &dyn Fn(&Rules) -> bool,
    chance: &mut dyn FnMut(&Rules) -> Result<f64, E>,
) -> Result<(Vec<Rules>, usize), E> {
    let (offset, step) = grid(rules.compensation());
    let most = rules.size.area() as i32;
    let at =
        |index: i32| with_compensation(rules, offset + f64::from(index)).filter(|it| knows(it));
    let possible: Vec<i32> = (-most..most).filter(|&index| at(index).is_some()).collect();
    let (mut low, mut high) = (0, possible.len());
    while low < high {
        let middle = (low + high) / 2;
        let ahead = match at(possible[middle]) {
            Some(tried) => chance(&tried)? > 0.5,
            None => false,
        };
        if ahead { low = middle + 1 } else { high = middle }
    }
    let Some(&fair) = possible.get(low).or(possible.last()) else { return Ok((Vec::new(), 0)) };
    let steps = (-STEPS..=STEPS).map(|place| fair + place * step as i32);
    let levels: Vec<Rules> = steps.filter_map(at).collect();
    let place =
        levels.iter().position(|level| compensation(level) >= Some(offset + f64::from(fair)));
    Ok((levels, place.unwrap_or_default()))
}

/// The winner, and the margin before komi where that decided the game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ScoredResult {
    /// Black's share of the points: 0, ½ or 1.
    pub(crate) share: f64,
    /// Black − White without komi, where the score decided the game.
    pub(crate) margin: Option<f64>,
}

impl ScoredResult {
    pub(crate) fn of(game: &MatchGame) -> ScoredResult {
        let scored = match game.end.reason {
            EndReason::Rules(Reason::Passes | Reason::NoFreePoint | Reason::MoveLimit) => true,
            EndReason::Rules(
                Reason::NoMove | Reason::Repetition | Reason::Suicide | Reason::CaptureGoal,
            ) => false,
            EndReason::Resignation | EndReason::Fault(_) => false,
        };
        let margin = game.score.filter(|_| scored).map(|score| score + game.rules.komi.value());
        ScoredResult {
            share: game.half_points(Color::Black) as f64 / 2.0,
            margin: margin.map(f64::from),
        }
    }

    /// Black's share at another komi with the same moves.
    fn with_komi(self, komi: f64) -> f64 {
        match self.margin {
            None => self.share,
            Some(margin) if margin == komi => 0.5,
            Some(margin) => f64::from(u8::from(margin > komi)),
        }
    }
}

/// The results at one compensation, in the order of the openings, which all compensations share.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Level {
    pub(crate) compensation: f64,
    pub(crate) results: Vec<ScoredResult>,
}

impl Level {
    /// Black's share of the points.
    pub(crate) fn black(&self) -> Option<Estimate> {
        Estimate::mean(&self.candidate().shares, [0.0, 1.0])
    }

    fn candidate(&self) -> Candidate {
        let shares = self.results.iter().map(|result| result.share).collect();
        Candidate { compensation: self.compensation, shares }
    }
}

/// A compensation that may be the fair one, and Black's share at it in the games from each opening.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) compensation: f64,
    pub(crate) shares: Vec<f64>,
}

/// The candidate compensations: those that were played, and for komi all half points between them. There the margins
/// tell who would have won, weighted by nearness between the nearest levels below and above, since an agent that knows
/// the komi plays for it.
pub(crate) fn candidates(kind: Compensation, levels: &[Level]) -> Vec<Candidate> {
    match kind {
        Compensation::Prisoners | Compensation::Passes | Compensation::None => {
            levels.iter().map(Level::candidate).collect()
        }
        Compensation::Komi => {
            let mut all = Vec::new();
            for pair in levels.windows(2) {
                let [below, above] = pair else { continue };
                let distance = above.compensation - below.compensation;
                let points = (0..).map(|step| below.compensation + f64::from(step));
                all.extend(points.take_while(|&komi| komi < above.compensation).map(|komi| {
                    let weight = (komi - below.compensation) / distance;
                    let games = below.results.iter().zip(&above.results);
                    let share = |(low, high): (&ScoredResult, &ScoredResult)| {
                        (1.0 - weight) * low.with_komi(komi) + weight * high.with_komi(komi)
                    };
                    Candidate { compensation: komi, shares: games.map(share).collect() }
                }));
            }
            all.extend(levels.last().map(Level::candidate));
            all
        }
    }
}

/// A compensation relative to the tested range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tested {
    /// Below this, the lowest one tested.
    Below(f64),
    /// Within the range.
    At(f64),
    /// Above this, the highest one tested.
    Above(f64),
}

impl fmt::Display for Tested {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tested::Below(least) => write!(f, "below {least}"),
            Tested::At(value) => write!(f, "{value:.1}"),
            Tested::Above(most) => write!(f, "above {most}"),
        }
    }
}

/// The compensation at which both win equally often, with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FairPoint {
    /// Lower end.
    pub low: Tested,
    /// The most likely one.
    pub value: Tested,
    /// Upper end.
    pub high: Tested,
}

impl fmt::Display for FairPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FairPoint { low, value, high } = *self;
        match (low, high) {
            (Tested::Below(least), Tested::Above(most)) => {
                write!(f, "undetermined by these games; {least} to {most} tested")
            }
            _ if low == high => value.fmt(f),
            _ => write!(f, "{value}  [{low}, {high}]"),
        }
    }
}

/// Where Black's share falls through one half; `None` where it significantly rises with the compensation, because then
/// the agent does not know its worth.
///
/// The only assumption is that compensation helps White. From the lowest candidate upwards Black is found to be ahead
/// until that is no longer significant, and from the highest one downwards White: this misses the fair point only if
/// the first test beyond it errs, with probability 2.5 %, however many there are. Openings are the unit, so candidates
/// may share them.
pub(crate) fn fair_point(candidates: &[Candidate]) -> Option<FairPoint> {
    let (first, last) = (candidates.first()?, candidates.last()?);
    let rise: Vec<f64> = first.shares.iter().zip(&last.shares).map(|(a, b)| b - a).collect();
    if candidates.len() > 1 && Estimate::mean(&rise, [-1.0, 1.0])?.low > 0.0 {
        return None;
    }
    let at: Vec<f64> = candidates.iter().map(|candidate| candidate.compensation).collect();
    let black: Vec<Estimate> = candidates
        .iter()
        .map(|candidate| Estimate::mean(&candidate.shares, [0.0, 1.0]))
        .collect::<Option<_>>()?;
    let ahead = black.iter().take_while(|share| share.low > 0.5).count();
    let behind = black.iter().rev().take_while(|share| share.high < 0.5).count();
    let last = at.len() - 1;
    Some(FairPoint {
        low: match ahead {
            0 => Tested::Below(at[0]),
            _ if ahead > last => Tested::Above(at[last]),
            _ => Tested::At(at[ahead - 1]),
        },
        value: crossing(&at, &falling(&black)),
        high: match behind {
            0 => Tested::Above(at[last]),
            _ if behind > last => Tested::Below(at[0]),
            _ => Tested::At(at[at.len() - behind]),
        },
    })
}

/// The nearest non-increasing shares (isotonic regression): neighbours that rise are replaced by their mean.
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
fn crossing(at: &[f64], shares: &[f64]) -> Tested {
    let above = shares.iter().rposition(|&share| share > 0.5);
    let below = shares.iter().position(|&share| share < 0.5);
    let last = at.len() - 1;
    match (above, below) {
        (_, Some(0)) => Tested::Below(at[0]),
        (Some(above), None) if above == last => Tested::Above(at[last]),
        (Some(above), Some(below)) => {
            let part = (shares[above] - 0.5) / (shares[above] - shares[below]);
            Tested::At(at[above] + part * (at[below] - at[above]))
        }
        // Exactly even at one end of the tested range, or everywhere: the middle of that.
        (above, below) => {
            let (from, to) = (above.map_or(0, |above| above + 1), below.unwrap_or(last + 1) - 1);
            Tested::At((at[from] + at[to]) / 2.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::GameResult;
    use game::GameEnd;

    use super::*;

    fn candidate(compensation: f64, wins: usize, games: usize) -> Candidate {
        let shares = (0..games).map(|game| f64::from(u8::from(game < wins))).collect();
        Candidate { compensation, shares }
    }

    fn said(candidates: &[Candidate]) -> String {
        fair_point(candidates).expect("compensation that helps").to_string()
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

    #[test]
    fn equal_margins_leave_the_half_points_around_them() {
        let result = |komi: f64| ScoredResult {
            share: f64::from(u8::from(25.0 > komi)),
            margin: Some(25.0),
        };
        let levels: Vec<Level> = [20.5, 22.5, 24.5, 26.5]
            .into_iter()
            .map(|komi| Level { compensation: komi, results: vec![result(komi); 40] })
            .collect();
        assert_eq!(said(&candidates(Compensation::Komi, &levels)), "25.0  [24.5, 25.5]");
    }

    #[test]
    fn a_drawn_repetition_has_no_margin() {
        let rules = Rules::parse("incursion,komi=3", 3).expect("rules");
        let game = |reason| MatchGame {
            rules,
            players: ["a".to_owned(), "b".to_owned()],
            moves: Vec::new(),
            opening_plies: 0,
            end: GameEnd { result: GameResult::Draw, reason: EndReason::Rules(reason) },
            score: Some(4.0),
            transcript: None,
        };
        assert_eq!(ScoredResult::of(&game(Reason::Repetition)).margin, None);
        assert_eq!(ScoredResult::of(&game(Reason::Passes)).margin, Some(7.0));
    }
}
