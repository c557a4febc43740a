//! A laboratory's openings: lines from the networks' own play that leave who is ahead as it was.
//!
//! A policy lets one player err more often than the other, so that most of the openings drawn from
//! it decide the game. Results of such games say nothing about the empty board. Of every round of
//! drawn openings, only those are kept whose searches move Black's chance least.

use std::collections::{HashSet, VecDeque};

use arena::{BoardKey, MatchError, Openings, stones_up_to_symmetry};
use engine::{Move, Position, Rules};
use search::{Evaluator, EvaluatorError, Random};

use crate::agent::{self, search_all};
use crate::empty_board::{EmptyBoardResult, SHORTER};
use crate::observe::chance;
use crate::opening_correction::logit;

use super::budget::{MAX_OPENINGS, OPENINGS_AT_ONCE};
use super::laboratory::each_network;
use super::plan::LabPlan;

/// Number of openings that a network draws at once. All of these are different, and they are as
/// long as that needs.
const DRAWN_AT_ONCE: usize = 500;

/// How often it draws, at most.
const DRAWS: u64 = 4;

/// Openings are judged in rounds of this many, so that the first games need not wait for all.
const JUDGED_AT_ONCE: usize = DRAWN_AT_ONCE / 4;

/// Of the openings judged, one in this many is kept.
const JUDGED_PER_KEPT: usize = 4;

/// The openings of a rule set, drawn as they are needed: those already drawn do not depend on how
/// many follow.
#[derive(Debug, Default)]
pub(super) struct LabOpenings {
    networks: Vec<NetworkOpenings>,
    /// For each network, its openings: equally many, and none shared with another network.
    shares: Vec<Openings>,
    /// Whether no more can be drawn.
    exhausted: bool,
}

/// The rules under which openings are judged, with what each network finds on the empty board: at
/// a compensation that makes the game even, if there is one.
#[derive(Debug)]
pub(super) struct Judgement<'a> {
    pub(super) rules: Rules,
    pub(super) empty_board: &'a [EmptyBoardResult],
}

impl LabOpenings {
    /// Number of openings of each network, as far as is known: `None` if there may be more than
    /// have been drawn.
    pub(super) fn count(&self) -> Option<usize> {
        self.exhausted.then(|| self.drawn())
    }

    /// Number of openings of each network drawn so far.
    fn drawn(&self) -> usize {
        self.shares.iter().map(|share| share.lines.len()).min().unwrap_or_default()
    }

    /// The openings of a network drawn so far.
    pub(super) fn of(&self, network: usize) -> &[Vec<Move>] {
        self.shares.get(network).map_or(&[], |share| &share.lines)
    }

    /// Draws openings until each network has `wanted`, or until there are no more.
    pub(super) fn draw<E: Evaluator + Send>(
        &mut self,
        wanted: usize,
        rules: Rules,
        plan: &LabPlan,
        judgement: &Judgement<'_>,
        evaluators: &mut [E],
    ) -> Result<(), MatchError> {
        if self.networks.is_empty() {
            self.networks = vec![NetworkOpenings::default(); evaluators.len()];
        }
        while !self.exhausted && self.drawn() < wanted {
            let networks = &self.networks;
            let drawn = each_network(evaluators, |network, evaluator| {
                let mut openings = networks[network].clone();
                let more = openings
                    .draw_round(network, rules, plan, judgement, evaluator)
                    .map_err(agent::failure)?;
                Ok((openings, more))
            })?;
            // Games from one opening would not be independent.
            self.exhausted = !drawn.iter().any(|(_, more)| *more);
            self.networks = drawn.into_iter().map(|(openings, _)| openings).collect();
            let kept: Vec<Openings> =
                self.networks.iter().map(|openings| openings.kept.clone()).collect();
            self.shares = Openings::split_distinct(rules, &kept);
            self.shares.iter_mut().for_each(|share| share.lines.truncate(MAX_OPENINGS));
            self.exhausted |= self.drawn() == MAX_OPENINGS;
        }
        Ok(())
    }
}

/// What a network has drawn.
#[derive(Debug, Clone)]
struct NetworkOpenings {
    draws: u64,
    /// Openings not yet judged.
    waiting: VecDeque<Vec<Move>>,
    seen: HashSet<BoardKey>,
    kept: Openings,
}

impl Default for NetworkOpenings {
    fn default() -> NetworkOpenings {
        let kept = Openings { plies: 0, lines: Vec::new() };
        NetworkOpenings { draws: 0, waiting: VecDeque::new(), seen: HashSet::new(), kept }
    }
}

impl NetworkOpenings {
    /// Judges a round of openings; `false` if there are no more.
    fn draw_round<E: Evaluator>(
        &mut self,
        network: usize,
        rules: Rules,
        plan: &LabPlan,
        judgement: &Judgement<'_>,
        evaluator: &mut E,
    ) -> Result<bool, EvaluatorError> {
        while self.waiting.is_empty() && self.draws < DRAWS {
            self.draw(network, rules, plan, evaluator)?;
        }
        let judged = self.waiting.len().min(JUDGED_AT_ONCE);
        let round: Vec<Vec<Move>> = self.waiting.drain(..judged).collect();
        if round.is_empty() {
            return Ok(false);
        }
        let after = |line: &Vec<Move>| position_after(judgement.rules, line);
        let simulations = plan.simulations.saturating_mul(SHORTER);
        let searches = search_all(round.iter().map(after), simulations, evaluator)?;
        let empty = logit(judgement.empty_board[network].shorter);
        let moved =
            searches.iter().map(|search| (logit(chance(search.result().root_value)) - empty).abs());
        self.kept.lines.extend(least_moved(round, &moved.collect::<Vec<_>>()));
        Ok(true)
    }

    fn draw<E: Evaluator>(
        &mut self,
        network: usize,
        rules: Rules,
        plan: &LabPlan,
        evaluator: &mut E,
    ) -> Result<(), EvaluatorError> {
        let of_network = Random::derive(plan.seed, network as u64).bits();
        let seed = Random::derive(of_network, self.draws).bits();
        let plies = plan.opening_plies.or((self.draws > 0).then_some(self.kept.plies));
        let drawn = match plies {
            None => Openings::from_policy(rules, DRAWN_AT_ONCE, seed, evaluator),
            Some(plies) => {
                Openings::from_policy_of_length(rules, plies, DRAWN_AT_ONCE, seed, evaluator)
            }
        }?;
        self.draws += 1;
        self.kept.plies = drawn.plies;
        let new = |line: &Vec<Move>| {
            self.seen.insert(stones_up_to_symmetry(&position_after(rules, line)))
        };
        self.waiting.extend(drawn.lines.into_iter().filter(new));
        Ok(())
    }
}

fn position_after(rules: Rules, line: &[Move]) -> Position {
    let mut position = Position::new(rules);
    line.iter().for_each(|&played| position.play_unchecked(played));
    position
}

/// The openings of a round that moved Black's chance least, in the order in which they were drawn.
/// Where there are hardly enough for one batch of games, all are kept.
fn least_moved(round: Vec<Vec<Move>>, moved: &[f64]) -> Vec<Vec<Move>> {
    let kept = (round.len() / JUDGED_PER_KEPT).max(OPENINGS_AT_ONCE);
    let mut order: Vec<usize> = (0..round.len()).collect();
    order.sort_by(|&one, &other| moved[one].total_cmp(&moved[other]));
    let chosen: HashSet<usize> = order.into_iter().take(kept).collect();
    let lines = round.into_iter().enumerate().filter(|(index, _)| chosen.contains(index));
    lines.map(|(_, line)| line).collect()
}

#[cfg(test)]
mod tests {
    use engine::{Point, Variant};
    use search::evaluators::Scripted;

    use crate::empty_board::search_empty_board;
    use crate::lab::Budget;

    use super::*;

    const NETWORKS: [Scripted; 2] = [Scripted { seed: 4 }, Scripted { seed: 5 }];

    fn plan(rules: Rules) -> LabPlan {
        LabPlan {
            rules: vec![rules],
            networks: vec!["one".to_owned(), "two".to_owned()],
            simulations: 2,
            budget: Budget::QUICK,
            opening_plies: None,
            seed: 3,
        }
    }

    fn empty_board(rules: Rules) -> Vec<EmptyBoardResult> {
        let searched =
            |mut network| search_empty_board(rules, 2, 3, &mut network).expect("it cannot fail");
        NETWORKS.map(searched).into()
    }

    /// Draws up to each of these numbers in turn.
    fn drawn(rules: Rules, wanted: &[usize]) -> LabOpenings {
        let empty_board = empty_board(rules);
        let judgement = Judgement { rules, empty_board: &empty_board };
        let mut openings = LabOpenings::default();
        for &wanted in wanted {
            openings
                .draw(wanted, rules, &plan(rules), &judgement, &mut NETWORKS.clone())
                .expect("it cannot fail");
        }
        openings
    }

    #[test]
    fn openings_do_not_depend_on_how_many_are_drawn_at_once() {
        for variant in Variant::ALL {
            let rules = variant.rules(6).expect("rules");
            let (few, many) = (drawn(rules, &[10]), drawn(rules, &[25, 60, 80]));
            let at_once = drawn(rules, &[80]);
            for network in 0..NETWORKS.len() {
                assert!(many.of(network).starts_with(few.of(network)), "{variant}");
                assert_eq!(many.of(network), at_once.of(network), "{variant}");
                assert!(many.of(network).len() >= 80, "{variant}");
            }
            assert_eq!(many.count(), None, "{variant}");
        }
    }

    #[test]
    fn where_there_are_few_openings_all_are_found() {
        let rules = Rules::parse("go", 3).expect("rules");
        let openings = drawn(rules, &[MAX_OPENINGS]);
        let all = Openings::draw(rules, 2, 100, 1).lines.len();
        assert_eq!(openings.count(), Some(all / 2));
        assert!([0, 1].iter().all(|&network| openings.of(network).len() == all / 2));
    }

    #[test]
    fn openings_that_move_the_chance_least_are_kept_in_their_order() {
        let line = |index: usize| vec![Move::Place(Point::new(index / 10, index % 10))];
        let round: Vec<Vec<Move>> = (0..100).map(line).collect();
        let moved: Vec<f64> = (0..100).map(|index: u8| f64::from(index % 4)).collect();
        let kept = least_moved(round.clone(), &moved);
        let expected: Vec<Vec<Move>> = round.into_iter().step_by(4).collect();
        assert_eq!(kept, expected);
    }
}
