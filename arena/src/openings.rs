//! Distinct openings for the games of a match.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use engine::{Move, Position, Rules, Size, Symmetry, WORDS};
use search::{Evaluator, EvaluatorError};

use search::Random;

/// Openings are enumerated ply by ply until there are more than this many; longer ones are drawn at
/// random.
const ENUMERATION_LIMIT: usize = 500;

/// Number of plies that may be added if too few openings exist.
pub(crate) const MAX_EXTRA_PLIES: usize = 4;

/// Minimum fraction of distinct openings among those drawn from a policy. With fewer plies the
/// frequent ones repeat, and replacing many of them would make the rare ones too frequent.
const MIN_DISTINCT_SHARE: f64 = 0.98;

/// How many times repeated openings are replaced.
const REPLACEMENTS: usize = 20;

/// Batch size.
pub(crate) const BATCH: usize = 256;

/// Distinct openings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Openings {
    /// Turns in each opening, or in the longest ones where there are not enough of one length.
    pub plies: usize,
    /// The openings, those of each length in random order. No two lead to the same stones up to
    /// symmetry.
    pub lines: Vec<Vec<Move>>,
}

impl Openings {
    /// Number of plies that gives enough different games without deciding many of them.
    pub(crate) fn default_plies(size: Size) -> usize {
        match size.area().isqrt() {
            0..=4 => 1,
            5..=6 => 2,
            7..=8 => 3,
            _ => 4,
        }
    }

    /// Draws `wanted` openings with the given number of plies, or as many as exist. None of them
    /// ends the game or contains a pass.
    pub fn draw(rules: Rules, plies: usize, wanted: usize, seed: u64) -> Openings {
        let mut random = Random::new(seed);
        let start = Line { moves: Vec::new(), position: Position::new(rules) };
        let mut lines = vec![start];
        let mut enumerated = 0;
        while enumerated < plies && lines.len() <= ENUMERATION_LIMIT {
            lines = longer(&lines);
            enumerated += 1;
        }
        if enumerated < plies {
            lines = extend_randomly(&lines, plies - enumerated, wanted, &mut random);
        }
        for last in (1..lines.len()).rev() {
            lines.swap(last, random.below(last + 1));
        }
        lines.truncate(wanted);
        Openings { plies, lines: lines.into_iter().map(|line| line.moves).collect() }
    }

    /// Turns in the shortest and in the longest opening; both 0 if there are none.
    pub fn lengths(&self) -> RangeInclusive<usize> {
        let lengths = || self.lines.iter().map(Vec::len);
        lengths().min().unwrap_or(0)..=lengths().max().unwrap_or(0)
    }

    /// `count` openings starting at index `first`, wrapping around.
    #[must_use]
    pub fn cyclic_range(&self, first: usize, count: usize) -> Openings {
        let lines = self.lines.iter().cycle().skip(first % self.lines.len().max(1)).take(count);
        Openings { plies: self.plies, lines: lines.cloned().collect() }
    }

    /// Like [`Openings::draw`] with a number of plies that suits the board, but longer if there are
    /// not enough of that length.
    pub fn draw_enough(rules: Rules, wanted: usize, seed: u64) -> Openings {
        let plies = Openings::default_plies(rules.size);
        let mut openings = Openings::draw(rules, plies, wanted, seed);
        for plies in plies + 1..=plies + MAX_EXTRA_PLIES {
            if openings.lines.len() >= wanted {
                break;
            }
            let more = Openings::draw(rules, plies, wanted, seed);
            if more.lines.len() > openings.lines.len() {
                openings = more;
            }
        }
        openings
    }

    /// Draws `wanted` typical openings from an evaluator's policy, or as many as exist. No two lead
    /// to the same stones, and they are as long as necessary for that, up to about a sixth of the
    /// board; a policy that is too certain for it is flattened. The number of plies is even, so
    /// that the first move after the opening is Black's, as in a game without an opening, if
    /// players alternate after each placement.
    ///
    /// # Errors
    /// Errors of the evaluator.
    pub fn from_policy<E: Evaluator>(
        rules: Rules,
        wanted: usize,
        seed: u64,
        evaluator: &mut E,
    ) -> Result<Openings, EvaluatorError> {
        let most = (rules.size.area() / 6).next_multiple_of(2).max(2);
        Openings::by_policy(rules, 2..=most, wanted, seed, evaluator)
    }

    /// Like [`Openings::from_policy`], but all have this many plies. With fewer plies, they follow
    /// the policy less closely, since frequent openings are not repeated.
    ///
    /// # Errors
    /// Errors of the evaluator.
    pub fn from_policy_of_length<E: Evaluator>(
        rules: Rules,
        plies: usize,
        wanted: usize,
        seed: u64,
        evaluator: &mut E,
    ) -> Result<Openings, EvaluatorError> {
        Openings::by_policy(rules, plies..=plies, wanted, seed, evaluator)
    }

    /// Openings that are as short as possible while still giving enough different ones, within
    /// these bounds.
    fn by_policy<E: Evaluator>(
        rules: Rules,
        plies: RangeInclusive<usize>,
        wanted: usize,
        seed: u64,
        evaluator: &mut E,
    ) -> Result<Openings, EvaluatorError> {
        let mut longest = None;
        let mut policies = Policies { evaluator, known: HashMap::new() };
        for temperature in TEMPERATURES {
            let (random, policies) = (Random::new(seed), &mut policies);
            let mut drawing = Drawing { rules, temperature, random, policies };
            let (openings, enough) = drawing.openings(wanted, &plies)?;
            let lines = openings.lines.len();
            longest =
                longest.filter(|best: &Openings| best.lines.len() >= lines).or(Some(openings));
            if enough {
                break;
            }
        }
        Ok(longest.unwrap_or(Openings { plies: 0, lines: Vec::new() }))
    }
}

/// The position after an opening, whose moves must be legal.
pub fn position_after(rules: Rules, line: &[Move]) -> Position {
    let mut position = Position::new(rules);
    line.iter().for_each(|&played| position.play_unchecked(played));
    position
}

/// Temperatures to which the policy is flattened, in order.
const TEMPERATURES: [f32; 5] = [1.0, 1.5, 2.0, 3.0, 5.0];

/// An evaluator's policies along lines. Most lines share their beginning, so each position is
/// evaluated once.
struct Policies<'e, E> {
    evaluator: &'e mut E,
    known: HashMap<Vec<Move>, Vec<(Move, f32)>>,
}

impl<E: Evaluator> Policies<'_, E> {
    fn learn(&mut self, lines: &[Line]) -> Result<(), EvaluatorError> {
        let mut new = HashSet::new();
        let lines = lines.iter().filter(|line| !self.known.contains_key(&line.moves));
        let lines: Vec<&Line> = lines.filter(|line| new.insert(&line.moves)).collect();
        for lines in lines.chunks(BATCH) {
            let positions: Vec<&Position> = lines.iter().map(|line| &line.position).collect();
            let policies = self.evaluator.policies(&positions)?;
            self.known.extend(lines.iter().map(|line| line.moves.clone()).zip(policies));
        }
        Ok(())
    }
}

/// How openings are drawn from a policy.
struct Drawing<'p, 'e, E> {
    rules: Rules,
    temperature: f32,
    random: Random,
    policies: &'p mut Policies<'e, E>,
}

impl<E: Evaluator> Drawing<'_, '_, E> {
    /// Distinct openings, as short as possible while giving enough, and whether enough of those
    /// drawn were distinct.
    fn openings(
        &mut self,
        wanted: usize,
        bounds: &RangeInclusive<usize>,
    ) -> Result<(Openings, bool), EvaluatorError> {
        let start = Line { moves: Vec::new(), position: Position::new(self.rules) };
        let (mut drawn, mut plies) = (vec![start.clone(); wanted], 0);
        let mut distinct = Vec::new();
        let enough =
            |distinct: &[Line]| distinct.len() as f64 >= MIN_DISTINCT_SHARE * wanted as f64;
        while plies < *bounds.start() || (plies < *bounds.end() && !enough(&distinct)) {
            let step = if plies < *bounds.start() { *bounds.start() - plies } else { 2 };
            drawn = self.follow(drawn, step)?;
            plies += step;
            let mut seen = HashSet::new();
            distinct.clone_from(&drawn);
            distinct.retain(|line| seen.insert(stones_up_to_symmetry(&line.position)));
        }
        let enough = enough(&distinct);
        let mut seen: HashSet<_> =
            distinct.iter().map(|line| stones_up_to_symmetry(&line.position)).collect();
        for _ in 0..REPLACEMENTS {
            let missing = vec![start.clone(); wanted - distinct.len()];
            let mut more = self.follow(missing, plies)?;
            more.retain(|line| seen.insert(stones_up_to_symmetry(&line.position)));
            distinct.extend(more);
        }
        let lines = distinct.into_iter().map(|line| line.moves).collect();
        Ok((Openings { plies, lines }, enough))
    }

    /// Extends the lines by a number of placements, dropping those that end the game.
    fn follow(&mut self, mut lines: Vec<Line>, plies: usize) -> Result<Vec<Line>, EvaluatorError> {
        for _ in 0..plies {
            self.policies.learn(&lines)?;
            let mut next = Vec::new();
            for line in &lines {
                next.extend(self.placement(line).and_then(|played| line.then(played)));
            }
            lines = next;
        }
        Ok(lines)
    }

    /// Draws a placement with the policy's probabilities, restricted to placements.
    fn placement(&mut self, line: &Line) -> Option<Move> {
        let policy = self.policies.known.get(&line.moves)?;
        let weight = |&(played, prior): &(Move, f32)| match played {
            Move::Pass => 0.0,
            Move::Place(_) | Move::PlaceStarred(_) => prior.powf(1.0 / self.temperature),
        };
        let weights: Vec<f32> = policy.iter().map(weight).collect();
        search::draw(&weights, self.random.uniform()).map(|index| policy[index].0)
    }
}

#[derive(Clone)]
struct Line {
    moves: Vec<Move>,
    position: Position,
}

impl Line {
    /// The line with one more placement; `None` if that ends the game.
    fn then(&self, played: Move) -> Option<Line> {
        let mut next = self.clone();
        next.position.play(played).ok()?;
        next.moves.push(played);
        next.position.outcome().is_none().then_some(next)
    }

    fn placements(&self) -> Vec<Move> {
        self.position
            .legal_moves()
            .iter()
            .filter(|&&played| played != Move::Pass)
            .copied()
            .collect()
    }
}

/// All continuations by one ply, without symmetric copies and transpositions.
fn longer(lines: &[Line]) -> Vec<Line> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    for line in lines {
        for played in line.placements() {
            if let Some(next) =
                line.then(played).filter(|next| seen.insert(stones_up_to_symmetry(&next.position)))
            {
                all.push(next);
            }
        }
    }
    all
}

/// Distinct random continuations of the given lines. Few are drawn out of very many, so few draws
/// fail.
fn extend_randomly(lines: &[Line], plies: usize, wanted: usize, random: &mut Random) -> Vec<Line> {
    let mut seen = HashSet::new();
    let mut drawn = Vec::new();
    for _ in 0..20 * wanted + 100 {
        if drawn.len() == wanted {
            break;
        }
        let line = random_line(lines, plies, random);
        if let Some(line) = line.filter(|line| seen.insert(stones_up_to_symmetry(&line.position))) {
            drawn.push(line);
        }
    }
    drawn
}

fn random_line(lines: &[Line], plies: usize, random: &mut Random) -> Option<Line> {
    let start = lines.get(random.below(lines.len().max(1)))?;
    (0..plies).try_fold(start.clone(), |line, _| line.then(random.choose(&line.placements())?))
}

/// See [`stones_up_to_symmetry`].
pub type BoardKey = [[u64; WORDS]; 2];

/// A key that is equal for positions whose stones a symmetry of the board maps onto each other.
pub fn stones_up_to_symmetry(position: &Position) -> BoardKey {
    let size = position.size();
    let boards = Symmetry::of(size).iter().map(|symmetry| {
        engine::Color::BOTH.map(|color| *symmetry.map_board(position.stones(color), size).words())
    });
    boards.min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Variant;
    use search::evaluators::{Scripted, Uniform};

    #[test]
    fn openings_are_legal_unfinished_and_distinct() {
        for variant in Variant::ALL {
            let rules = variant.rules(7).expect("rules");
            let openings = Openings::draw(rules, 4, 300, 1);
            assert_eq!(openings.lines.len(), 300, "{variant}");
            let mut seen = HashSet::new();
            for line in &openings.lines {
                assert_eq!(line.len(), 4);
                let mut position = Position::new(rules);
                line.iter().for_each(|&played| position.play(played).expect("a legal opening"));
                assert!(position.outcome().is_none());
                assert!(seen.insert(stones_up_to_symmetry(&position)), "{variant}");
            }
        }
    }

    #[test]
    fn a_small_board_gives_all_it_has() {
        // The points of an eighth of the board, including its edges.
        let rules = Variant::ALL[0].rules(5).expect("rules");
        assert_eq!(Openings::draw(rules, 1, 100, 1).lines.len(), 6);
        assert_eq!(Openings::draw_enough(rules, 1_000, 1).lines.len(), 1_000);
        assert_eq!(Openings::draw(rules, 0, 100, 1).lines.len(), 1);
    }

    #[test]
    fn openings_from_a_policy_are_distinct_and_even() {
        for variant in Variant::ALL {
            let rules = variant.rules(7).expect("rules");
            let mut evaluator = Scripted { seed: 5 };
            let openings = Openings::from_policy(rules, 300, 1, &mut evaluator).expect("openings");
            assert_eq!((openings.lines.len(), openings.plies % 2), (300, 0), "{variant}");
            let mut seen = HashSet::new();
            for line in &openings.lines {
                assert_eq!(line.len(), openings.plies);
                let mut position = Position::new(rules);
                line.iter().for_each(|&played| position.play(played).expect("a legal opening"));
                assert!(position.outcome().is_none() && !line.contains(&Move::Pass));
                assert!(seen.insert(stones_up_to_symmetry(&position)), "{variant}");
            }
        }
    }

    /// First moves are as frequent among the openings as in the policy, although no two openings
    /// are equal.
    #[test]
    fn openings_from_a_policy_follow_it() {
        let rules = Variant::ALL[0].rules(5).expect("rules");
        let mut evaluator = Scripted { seed: 2 };
        let start = Position::new(rules);
        let evaluations = evaluator.evaluate(&[&start]).expect("an evaluation");
        let openings = Openings::from_policy(rules, 2_000, 1, &mut evaluator).expect("openings");
        for &(played, prior) in &evaluations[0].policy {
            if played == Move::Pass {
                continue;
            }
            let firsts = openings.lines.iter().filter(|line| line[0] == played).count() as f32;
            assert!((firsts / 2_000.0 - prior).abs() < 0.03, "{played}: {firsts} for {prior}");
        }
    }

    #[test]
    fn openings_from_a_policy_have_the_length_that_is_asked_for() {
        let rules = Variant::ALL[0].rules(7).expect("rules");
        for plies in [1, 2, 6] {
            let evaluator = &mut Scripted { seed: 5 };
            let openings = Openings::from_policy_of_length(rules, plies, 200, 1, evaluator);
            let openings = openings.expect("openings");
            assert_eq!(openings.plies, plies);
            assert!(openings.lines.iter().all(|line| line.len() == plies));
            // One stone has ten possible places, up to symmetry.
            let expected = if plies == 1 { 5..=10 } else { 200..=200 };
            assert!(expected.contains(&openings.lines.len()), "{}", openings.lines.len());
        }
    }

    #[test]
    fn a_tiny_board_has_few_openings() {
        let rules = Variant::ALL[0].rules(2).expect("rules");
        let openings = Openings::from_policy(rules, 50, 1, &mut Uniform).expect("openings");
        // An adjacent point or the one across.
        assert_eq!((openings.plies, openings.lines.len()), (2, 2));
    }

    #[test]
    fn the_seed_decides() {
        let rules = Variant::ALL[0].rules(9).expect("rules");
        let draw = |seed| Openings::draw(rules, 4, 50, seed);
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
