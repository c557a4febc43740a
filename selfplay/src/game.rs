//! One self-play game.

use engine::{GameResult, Move, Position, Reason, Size};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use search::{Evaluation, EvaluatorError, Flight, Leaf, MoveStats, Search, SearchResult, Settings};

use crate::ending::Ending;
use crate::opening::{self, Opening};
use crate::restarts::Restart;
use crate::{Mixture, ParkedGame, Phase, SelfPlaySettings, TrainingRecord, TurnRecord};

/// Probabilities below this are left out of a recorded target.
const LEAST_PROBABILITY: f32 = 0.5 / 65535.0;

/// A game in progress and its record so far.
pub(crate) struct SelfPlayGame {
    flight: Flight,
    random: ChaCha8Rng,
    opening: Opening,
    ending: Ending,
    record: TrainingRecord,
    /// Evaluations of the network so far.
    evaluations: u64,
}

/// A game that has ended.
pub(crate) struct Finished {
    pub record: TrainingRecord,
    /// Evaluations of the network that it has cost.
    pub evaluations: u64,
}

impl SelfPlayGame {
    pub(crate) fn new(
        mixture: &Mixture,
        seed: u64,
        settings: &SelfPlaySettings,
        phase: Phase,
    ) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let rules = mixture.draw(settings, &mut random);
        let opening = Opening::draw(&rules, settings, &mut random);
        let mut record = TrainingRecord {
            rules: rules.to_string(),
            size: rules.size,
            seed,
            model: phase.model,
            turns: Vec::new(),
            result: GameResult::Draw,
            capped: false,
        };
        let mut start = Position::new(rules);
        record.turns = opening.random_turns(&mut start, &mut random);
        SelfPlayGame::from(start, record, random, opening, (settings, phase))
    }

    /// A game that continues from a position of an earlier one; `None` if that cannot be replayed.
    pub(crate) fn restarted(
        restart: Restart,
        seed: u64,
        settings: &SelfPlaySettings,
        phase: Phase,
    ) -> Option<Self> {
        let record = TrainingRecord {
            rules: restart.rules,
            size: restart.size,
            seed,
            model: phase.model,
            turns: restart.turns,
            result: GameResult::Draw,
            capped: false,
        };
        let start = record.replay().ok().filter(|position| position.outcome().is_none())?;
        let random = ChaCha8Rng::seed_from_u64(seed);
        let opening = Opening::default();
        Some(SelfPlayGame::from(start, record, random, opening, (settings, phase)))
    }

    fn from(
        start: Position,
        record: TrainingRecord,
        mut random: ChaCha8Rng,
        opening: Opening,
        (settings, phase): (&SelfPlaySettings, Phase),
    ) -> Self {
        let audited = random.random::<f32>() < settings.audit_share;
        let ending = Ending::new(audited);
        let unsearched = opening.is_unsearched(record.turns.len());
        let simulations = if unsearched { 0 } else { phase.simulations };
        let search = Search::new(start, search_settings(settings, simulations), random.next_u64());
        SelfPlayGame { flight: search.take_off(), random, opening, ending, record, evaluations: 0 }
    }

    /// The game as it stands after its last turn. What is being searched is not kept.
    pub(crate) fn parked(&self) -> ParkedGame {
        ParkedGame {
            record: self.record.clone(),
            evaluations: self.evaluations,
            opening: self.opening,
            ending: self.ending.clone(),
            drawn: self.random.get_word_pos(),
        }
    }

    /// A game that goes on at the position that its record leads to.
    pub(crate) fn unparked(
        parked: ParkedGame,
        position: Position,
        settings: &SelfPlaySettings,
        phase: Phase,
    ) -> Self {
        let ParkedGame { record, evaluations, opening, ending, drawn } = parked;
        let mut random = ChaCha8Rng::seed_from_u64(record.seed);
        random.set_word_pos(drawn);
        let simulations = simulations(record.turns.len(), opening, &ending, settings, phase);
        let next = search_settings(settings, simulations);
        let flight = Search::new(position, next, random.next_u64()).take_off();
        SelfPlayGame { flight, random, opening, ending, record, evaluations }
    }

    /// The next leaf, or the finished game if it ends before it needs another evaluation.
    pub(crate) fn into_leaf(
        mut self: Box<Self>,
        settings: &SelfPlaySettings,
        phase: Phase,
    ) -> Result<(Box<SelfPlayGame>, Leaf), Finished> {
        loop {
            if let Some(leaf) = self.flight.select() {
                return Ok((self, leaf));
            }
            self = self.take_turn(settings, phase)?;
        }
    }

    fn root(&self) -> &Position {
        self.flight.findings().root()
    }

    pub(crate) fn position(&self, leaf: &Leaf) -> &Position {
        self.flight.position(leaf)
    }

    pub(crate) fn expand(
        &mut self,
        leaf: Leaf,
        evaluation: &Evaluation,
    ) -> Result<(), EvaluatorError> {
        self.evaluations += 1;
        self.flight.expand(leaf, evaluation)
    }

    /// Plays the finished search's move, and begins the next search.
    fn take_turn(
        mut self: Box<Self>,
        settings: &SelfPlaySettings,
        phase: Phase,
    ) -> Result<Box<SelfPlayGame>, Finished> {
        let result = self.flight.findings().result();
        let turn = self.record.turns.len();
        self.ending.see(result.root_value, settings);
        let agreed = self.ending.is_agreed(self.root(), &result, settings);
        let chosen = if agreed { Move::Pass } else { self.choose(&result, settings) };
        let size = self.root().size();
        let learns = !agreed
            && !self.opening.covers(turn)
            && self.random.random::<f32>() < self.ending.row_share(settings);
        self.record.turns.push(turn_record(&result, chosen, size, learns));

        let turn = self.record.turns.len();
        let simulations = simulations(turn, self.opening, &self.ending, settings, phase);
        let next = search_settings(settings, simulations);
        let seed = self.random.next_u64();
        match self.flight.land().advance(chosen, next, seed) {
            Ok(search) => self.flight = search.take_off(),
            // The move is a legal move of the searched position.
            Err(why) => unreachable!("the search chose {chosen}: {why}"),
        }
        match self.root().outcome() {
            Some(outcome) => {
                self.record.result = outcome.result;
                self.record.capped = outcome.reason == Reason::MoveLimit;
                Err(Finished { record: self.record, evaluations: self.evaluations })
            }
            None => Ok(self),
        }
    }

    fn choose(&mut self, result: &SearchResult, settings: &SelfPlaySettings) -> Move {
        let (size, mover) = (self.root().size(), self.root().turn());
        let turn = self.record.turns.len();
        let plies = turn as f32 / size.area() as f32;
        if self.opening.forks(turn) {
            opening::second_best(result, mover)
        } else if self.opening.is_unsearched(turn) || plies < settings.sampled_plies {
            sample(&result.moves, 1, &mut self.random)
        } else if plies < settings.sharpened_plies {
            sample(&result.moves, 2, &mut self.random)
        } else {
            result.best
        }
    }
}

/// Simulations of the search of a turn that is not the first.
fn simulations(
    turn: usize,
    opening: Opening,
    ending: &Ending,
    settings: &SelfPlaySettings,
    phase: Phase,
) -> u32 {
    if opening.is_unsearched(turn) {
        0
    } else if ending.is_decided(settings) {
        (phase.simulations / 2).max(1)
    } else {
        phase.simulations
    }
}

fn search_settings(settings: &SelfPlaySettings, simulations: u32) -> Settings {
    let share = (simulations as f32 * settings.considered_share) as u32;
    Settings {
        simulations,
        max_num_considered_actions: settings.considered.min(share).max(1),
        value_scale: settings.value_scale,
        ..Settings::default()
    }
}

/// Draws a move with probability proportional to the `power`-th power of its weight.
fn sample(moves: &[MoveStats], power: i32, random: &mut impl Rng) -> Move {
    let weights: Vec<f32> = moves.iter().map(|stats| stats.policy.powi(power)).collect();
    moves[search::draw(&weights, random.random()).unwrap_or_default()].played
}

fn turn_record(result: &SearchResult, chosen: Move, size: Size, learns: bool) -> TurnRecord {
    let quantised = |stats: &MoveStats| {
        (stats.played.action(size) as u16, (stats.policy * 65535.0).round() as u16)
    };
    let target = if learns {
        let listed = result.moves.iter().filter(|stats| stats.policy > LEAST_PROBABILITY);
        listed.map(quantised).collect()
    } else {
        Vec::new()
    };
    TurnRecord {
        action: chosen.action(size) as u16,
        root_value: result.root_value,
        proven: result.proven,
        surprise: if learns { result.surprise } else { 0.0 },
        simulations: result.moves.iter().map(|stats| stats.visits as u16).sum(),
        target,
    }
}
