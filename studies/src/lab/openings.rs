//! A laboratory's openings: lines from the networks' own play that keep the balance of the empty
//! board.
//!
//! A policy lets one player err more often than the other, so that most of the openings drawn from
//! it decide the game. Results of such games say nothing about the empty board. Of every round of
//! drawn openings, only those are kept whose searches move Black's chance least.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ops::Range;
use std::sync::OnceLock;

use arena::{
    BoardKey, MatchError, Openings, SelfPlayedGame, position_after, stones_up_to_symmetry,
};
use engine::{Move, Rules};
use search::{Evaluator, EvaluatorError, Random};

use crate::agent::{self, each_network, search_all};
use crate::empty_board::EmptyBoardResult;
use crate::observe::chance;
use crate::opening_correction::logit;

use super::budget::{MAX_OPENINGS, OPENINGS_AT_ONCE};
use super::folder::LabGame;
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
    /// For each network, its openings. None is shared with another network.
    shares: Vec<Vec<Vec<Move>>>,
    /// Whether there are no more.
    exhausted: bool,
    /// See [`LabOpenings::most`].
    most: OnceLock<usize>,
}

/// The rules under which openings are judged, with what each network finds on the empty board: at
/// a compensation that makes the game even, if there is one.
#[derive(Debug)]
pub(super) struct Judgement<'a> {
    pub(super) rules: Rules,
    pub(super) empty_board: &'a [EmptyBoardResult],
}

impl LabOpenings {
    /// The openings of games that have been played. Drawing them again might find others, because
    /// another machine rounds differently.
    pub(super) fn of_games<'g>(
        games: impl Iterator<Item = &'g LabGame>,
        networks: usize,
    ) -> LabOpenings {
        let mut played = vec![BTreeMap::new(); networks];
        for LabGame { network, opening, played: SelfPlayedGame { game, .. }, .. } in games {
            played[*network].insert(*opening, game.moves[..game.opening_plies].to_vec());
        }
        let shares = played.into_iter().map(|lines| {
            let in_order = lines.into_iter().enumerate();
            in_order.map_while(|(place, (index, line))| (place == index).then_some(line)).collect()
        });
        LabOpenings { shares: shares.collect(), ..LabOpenings::default() }
    }

    /// Number of openings of each network, as far as is known: `None` if there may be more than
    /// have been drawn.
    pub(super) fn count(&self) -> Option<usize> {
        self.exhausted.then(|| self.drawn())
    }

    /// An upper limit on the number of openings of each network, which may play all that exist.
    pub(super) fn most(&self, rules: Rules) -> usize {
        let Some(first) = self.shares.iter().flatten().next() else { return MAX_OPENINGS };
        self.count().unwrap_or_else(|| {
            *self.most.get_or_init(|| {
                let networks = self.shares.len();
                let wanted = MAX_OPENINGS * networks;
                Openings::draw(rules, first.len(), wanted, 0).lines.len() / networks
            })
        })
    }

    /// Number of openings that each network has so far.
    pub(super) fn drawn(&self) -> usize {
        self.shares.iter().map(Vec::len).min().unwrap_or_default()
    }

    /// Those of a network's openings that have been drawn.
    pub(super) fn of(&self, network: usize, range: &Range<usize>) -> &[Vec<Move>] {
        let drawn = self.drawn();
        &self.shares[network][range.start.min(drawn)..range.end.min(drawn)]
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
        self.networks.resize_with(evaluators.len(), NetworkOpenings::default);
        self.shares.resize_with(evaluators.len(), Vec::new);
        while !self.exhausted && self.drawn() < wanted.min(MAX_OPENINGS) {
            if let Some(network) = self.divide(rules)
                && self.drawn() < wanted
            {
                self.exhausted = self.networks[network].is_exhausted();
                if !self.exhausted {
                    self.judge_round(rules, plan, judgement, evaluators)?;
                }
            }
        }
        Ok(())
    }

    /// Divides the openings that have been kept, since games from one opening would not be
    /// independent: in every round, each network takes its next opening that nobody has yet. Returns
    /// the network that has none left.
    fn divide(&mut self, rules: Rules) -> Option<usize> {
        let mut taken: HashSet<BoardKey> =
            self.shares.iter().flatten().map(|line| stones_after(rules, line)).collect();
        for round in self.drawn()..MAX_OPENINGS {
            for (network, share) in self.shares.iter_mut().enumerate() {
                if share.len() > round {
                    continue;
                }
                let kept = &mut self.networks[network].kept;
                let mut left = std::iter::from_fn(|| kept.pop_front());
                match left.find(|line| taken.insert(stones_after(rules, line))) {
                    Some(line) => share.push(line),
                    None => return Some(network),
                }
            }
        }
        None
    }

    /// Has every network judge a round of openings.
    fn judge_round<E: Evaluator + Send>(
        &mut self,
        rules: Rules,
        plan: &LabPlan,
        judgement: &Judgement<'_>,
        evaluators: &mut [E],
    ) -> Result<(), MatchError> {
        let networks = &self.networks;
        self.networks = each_network(evaluators, |network, evaluator| {
            let mut openings = networks[network].clone();
            openings
                .judge_round(network, rules, plan, judgement, evaluator)
                .map_err(agent::failure)?;
            Ok(openings)
        })?;
        Ok(())
    }
}

/// What a network has drawn.
#[derive(Debug, Clone, Default)]
struct NetworkOpenings {
    draws: u64,
    plies: usize,
    seen: HashSet<BoardKey>,
    /// Openings not yet judged.
    waiting: VecDeque<Vec<Move>>,
    /// Whether a round has been judged.
    judged: bool,
    /// Openings not yet taken.
    kept: VecDeque<Vec<Move>>,
}

impl NetworkOpenings {
    /// Whether nothing is left to be drawn or judged.
    fn is_exhausted(&self) -> bool {
        self.draws == DRAWS && self.waiting.is_empty()
    }

    /// Judges a round of openings, or those that are left.
    fn judge_round<E: Evaluator>(
        &mut self,
        network: usize,
        rules: Rules,
        plan: &LabPlan,
        judgement: &Judgement<'_>,
        evaluator: &mut E,
    ) -> Result<(), EvaluatorError> {
        while self.waiting.len() < JUDGED_AT_ONCE && self.draws < DRAWS {
            self.draw(network, rules, plan, evaluator)?;
        }
        let count = self.waiting.len().min(JUDGED_AT_ONCE);
        if count == 0 {
            return Ok(());
        }
        let round: Vec<Vec<Move>> = self.waiting.drain(..count).collect();
        let reached = round.iter().map(|line| position_after(judgement.rules, line));
        let searches = search_all(reached, plan.simulations, evaluator)?;
        let empty = logit(judgement.empty_board[network].shorter);
        let moved: Vec<f64> = searches
            .iter()
            .map(|search| (logit(chance(search.result().root_value)) - empty).abs())
            .collect();
        // On the smallest boards there are hardly enough openings for one batch of games.
        let at_least = if self.judged { 0 } else { OPENINGS_AT_ONCE };
        self.judged = true;
        self.kept.extend(least_moved(round, &moved, at_least));
        Ok(())
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
        let plies = plan.opening_plies.or((self.draws > 0).then_some(self.plies));
        let drawn = match plies {
            None => Openings::from_policy(rules, DRAWN_AT_ONCE, seed, evaluator),
            Some(plies) => {
                Openings::from_policy_of_length(rules, plies, DRAWN_AT_ONCE, seed, evaluator)
            }
        }?;
        let has_all = drawn.lines.len() < DRAWN_AT_ONCE;
        self.draws = if has_all { DRAWS } else { self.draws + 1 };
        self.plies = drawn.plies;
        let new = |line: &Vec<Move>| self.seen.insert(stones_after(rules, line));
        self.waiting.extend(drawn.lines.into_iter().filter(new));
        Ok(())
    }
}

fn stones_after(rules: Rules, line: &[Move]) -> BoardKey {
    stones_up_to_symmetry(&position_after(rules, line))
}

/// The quarter of a round that moved Black's chance least, or `at_least` this many, in the order in
/// which they were drawn.
fn least_moved(round: Vec<Vec<Move>>, moved: &[f64], at_least: usize) -> Vec<Vec<Move>> {
    let kept = round.len().div_ceil(JUDGED_PER_KEPT).max(at_least);
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
                let all = |openings: &LabOpenings| openings.of(network, &(0..80)).to_vec();
                assert!(all(&many).starts_with(few.of(network, &(0..10))), "{variant}");
                assert_eq!(all(&many), all(&at_once), "{variant}");
                assert_eq!(all(&many).len(), 80, "{variant}");
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
    }

    #[test]
    fn openings_that_move_the_chance_least_are_kept_in_their_order() {
        let line = |index: usize| vec![Move::Place(Point::new(index / 10, index % 10))];
        let round: Vec<Vec<Move>> = (0..100).map(line).collect();
        let moved: Vec<f64> = (0..100).map(|index: u8| f64::from(index % 4)).collect();
        assert_eq!(least_moved(round[..5].to_vec(), &moved, 9), round[..5]);
        let kept = least_moved(round.clone(), &moved, 0);
        let expected: Vec<Vec<Move>> = round.into_iter().step_by(4).collect();
        assert_eq!(kept, expected);
    }
}
