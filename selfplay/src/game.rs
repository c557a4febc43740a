//! One self-play game.

use engine::{Move, Position, Reason, Size};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use search::{
    Evaluation, EvaluatorError, Leaf, MoveStats, Search, SearchResult, Settings, StepwiseSearch,
};

use crate::ending::Ending;
use crate::opening::{self, Opening};
use crate::restarts::Restart;
use crate::{Mixture, ParkedGame, Phase, SelfPlaySettings, TrainingRecord, TurnRecord};

/// Probabilities below this are omitted from a recorded target.
const MIN_PROBABILITY: f32 = 0.5 / 65535.0;

/// A game in progress and its record so far.
pub(crate) struct SelfPlayGame {
    search: StepwiseSearch,
    random: ChaCha8Rng,
    opening: Opening,
    ending: Ending,
    record: TrainingRecord,
    /// Network evaluations so far.
    evaluations: u64,
}

/// A finished game.
pub(crate) struct FinishedGame {
    pub record: TrainingRecord,
    /// Network evaluations that it took.
    pub evaluations: u64,
}

impl SelfPlayGame {
    /// A new game, whose rules, opening and moves are drawn with `seed`.
    pub(crate) fn new(
        mixture: &Mixture,
        seed: u64,
        settings: &SelfPlaySettings,
        phase: Phase,
    ) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let rules = mixture.draw(settings, &mut random);
        let opening = Opening::draw(&rules, settings, &mut random);
        let mut start = Position::new(rules);
        let turns = opening.random_turns(&mut start, &mut random);
        let record = TrainingRecord::begun(rules.to_string(), rules.size, seed, phase.model, turns);
        SelfPlayGame::begin(start, record, random, opening, settings, phase)
    }

    /// A game that continues from a position of an earlier one; `None` if that cannot be replayed.
    pub(crate) fn restarted(
        restart: Restart,
        seed: u64,
        settings: &SelfPlaySettings,
        phase: Phase,
    ) -> Option<Self> {
        let Restart { rules, size, turns, .. } = restart;
        let record = TrainingRecord::begun(rules, size, seed, phase.model, turns);
        let start = record.replay().ok().filter(|position| position.outcome().is_none())?;
        let random = ChaCha8Rng::seed_from_u64(seed);
        let opening = Opening::default();
        Some(SelfPlayGame::begin(start, record, random, opening, settings, phase))
    }

    /// Draws whether the game is audited, and begins the first search.
    fn begin(
        start: Position,
        record: TrainingRecord,
        mut random: ChaCha8Rng,
        opening: Opening,
        settings: &SelfPlaySettings,
        phase: Phase,
    ) -> Self {
        let audited = random.random::<f32>() < settings.audit_share;
        let ending = Ending::new(audited);
        let unsearched = opening.is_unsearched(record.turns.len());
        let simulations = if unsearched { 0 } else { phase.simulations };
        let search = Search::new(start, search_settings(settings, simulations), random.next_u64());
        SelfPlayGame {
            search: search.into_stepwise(),
            random,
            opening,
            ending,
            record,
            evaluations: 0,
        }
    }

    /// The game after its last turn, without the search in progress.
    pub(crate) fn parked(&self) -> ParkedGame {
        ParkedGame {
            record: self.record.clone(),
            evaluations: self.evaluations,
            opening: self.opening,
            ending: self.ending.clone(),
            drawn: self.random.get_word_pos(),
        }
    }

    /// A game that continues from the position that its record leads to.
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
        let search = Search::new(position, next, random.next_u64()).into_stepwise();
        SelfPlayGame { search, random, opening, ending, record, evaluations }
    }

    /// The next leaf, or the finished game if it ends before it needs another evaluation.
    pub(crate) fn into_leaf(
        mut self: Box<Self>,
        settings: &SelfPlaySettings,
        phase: Phase,
    ) -> Result<(Box<SelfPlayGame>, Leaf), FinishedGame> {
        loop {
            if let Some(leaf) = self.search.select() {
                return Ok((self, leaf));
            }
            self = self.take_turn(settings, phase)?;
        }
    }

    fn root(&self) -> &Position {
        self.search.state().root()
    }

    pub(crate) fn position(&self, leaf: &Leaf) -> &Position {
        self.search.position(leaf)
    }

    pub(crate) fn expand(
        &mut self,
        leaf: Leaf,
        evaluation: &Evaluation,
    ) -> Result<(), EvaluatorError> {
        self.evaluations += 1;
        self.search.expand(leaf, evaluation)
    }

    /// Plays the move chosen by the finished search, and begins the next search.
    fn take_turn(
        mut self: Box<Self>,
        settings: &SelfPlaySettings,
        phase: Phase,
    ) -> Result<Box<SelfPlayGame>, FinishedGame> {
        let result = self.search.state().result();
        let turn = self.record.turns.len();
        self.ending.record_value(result.root_value, settings);
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
        match self.search.into_search().advance(chosen, next, seed) {
            Ok(search) => self.search = search.into_stepwise(),
            // The move is a legal move of the searched position.
            Err(why) => unreachable!("the search chose {chosen}: {why}"),
        }
        match self.root().outcome() {
            Some(outcome) => {
                self.record.result = outcome.result;
                self.record.capped = outcome.reason == Reason::MoveLimit;
                Err(FinishedGame { record: self.record, evaluations: self.evaluations })
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

/// Simulations for the search of a turn other than the first.
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
        let listed = result.moves.iter().filter(|stats| stats.policy > MIN_PROBABILITY);
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

#[cfg(test)]
mod tests {
    use engine::{Bitboard, Color, Rules};

    use super::*;

    const PHASE: Phase = Phase { simulations: 9, model: 0 };

    /// On 3×3: two turns are drawn from the policy, the next three from its square, and the rest
    /// are the best moves.
    fn settings() -> SelfPlaySettings {
        SelfPlaySettings {
            sampled_plies: 0.3,
            sharpened_plies: 0.6,
            random_share: 0.0,
            opening_share: 0.0,
            fork_share: 0.0,
            ..SelfPlaySettings::default()
        }
    }

    fn opening(settings: &SelfPlaySettings) -> Opening {
        let rules = Rules::parse("go", 3).unwrap();
        Opening::draw(&rules, settings, &mut ChaCha8Rng::seed_from_u64(1))
    }

    /// A game after this many turns; the moves are arbitrary.
    fn game(opening: Opening, turns: usize, mover: Color) -> SelfPlayGame {
        let rules = Rules::parse("go", 3).unwrap();
        let root = Position::with_stones(rules, Bitboard::EMPTY, Bitboard::EMPTY, mover).unwrap();
        let turns = vec![TurnRecord::unsearched(0); turns];
        let record = TrainingRecord::begun(rules.to_string(), rules.size, 0, 0, turns);
        let random = ChaCha8Rng::seed_from_u64(2);
        SelfPlayGame::begin(root, record, random, opening, &settings(), PHASE)
    }

    /// A search result for these moves, each with its weight and its value for Black. The last one
    /// is the best.
    fn found(moves: &[(&str, f32, f32)]) -> SearchResult {
        let stats = |&(text, policy, value): &(&str, f32, f32)| MoveStats {
            played: text.parse().unwrap(),
            prior: policy,
            policy,
            visits: 1,
            value: Some(value),
            proven: None,
        };
        let moves: Vec<MoveStats> = moves.iter().map(stats).collect();
        SearchResult {
            best: moves[moves.len() - 1].played,
            root_value: 0.0,
            raw_value: 0.0,
            moves,
            surprise: 0.0,
            proven: None,
        }
    }

    /// How often each of three moves with these weights is played when the least likely of them is
    /// the best.
    fn shares(mut game: SelfPlayGame, weights: [f32; 3]) -> [f32; 3] {
        const TIMES: usize = 4000;
        let [first, second, third] = weights;
        let result = found(&[("A1", first, 0.0), ("B1", second, 0.0), ("C1", third, 0.0)]);
        let mut counts = [0; 3];
        for _ in 0..TIMES {
            let chosen = game.choose(&result, &settings());
            counts[result.moves.iter().position(|stats| stats.played == chosen).unwrap()] += 1;
        }
        counts.map(|count| count as f32 / TIMES as f32)
    }

    #[test]
    fn moves_are_drawn_at_first_then_from_squares_and_then_the_best_is_played() {
        let weights = [0.6, 0.3, 0.1];
        let squares = weights.map(|weight| weight * weight / 0.46);
        let best = [0.0, 0.0, 1.0];
        for (turn, expected) in
            [(0, weights), (2, weights), (3, squares), (5, squares), (6, best), (40, best)]
        {
            let shares = shares(game(Opening::default(), turn, Color::Black), weights);
            let differ = |(share, expected): (&f32, &f32)| (share - expected).abs() > 0.03;
            assert!(!shares.iter().zip(&expected).any(differ), "{shares:?} at turn {turn}");
        }
    }

    #[test]
    fn openings_are_drawn_from_the_policy_however_late_they_are() {
        let long = SelfPlaySettings { opening_share: 1.0, opening_plies: 1.0, ..settings() };
        let turn = 6;
        let opening = opening(&long);
        assert!(opening.is_unsearched(turn), "{opening:?}");
        let shares = shares(game(opening, turn, Color::Black), [0.6, 0.3, 0.1]);
        assert!((shares[0] - 0.6).abs() < 0.03 && (shares[2] - 0.1).abs() < 0.03, "{shares:?}");
    }

    #[test]
    fn a_fork_is_second_best_for_the_player_to_move() {
        let forking = SelfPlaySettings { fork_share: 1.0, fork_plies: 0.0, ..settings() };
        let values = [("A1", 0.1, -0.8), ("B1", 0.2, 0.7), ("C1", 0.7, 0.0)];
        let chosen =
            |mover| game(opening(&forking), 0, mover).choose(&found(&values), &forking).to_string();
        assert_eq!(Color::BOTH.map(chosen), ["B1", "A1"]);
    }

    #[test]
    fn a_decided_game_is_searched_half_as_long() {
        let decided = SelfPlaySettings { decided_chance: 0.1, decided_turns: 1, ..settings() };
        let after = |audited, value| {
            let mut ending = Ending::new(audited);
            ending.record_value(value, &decided);
            ending
        };
        let long = |ending: &Ending, most| {
            let phase = Phase { simulations: most, ..PHASE };
            simulations(3, Opening::default(), ending, &decided, phase)
        };
        for value in [-0.99, 0.99] {
            assert_eq!(long(&after(false, value), 9), 4);
            assert_eq!(long(&after(false, value), 1), 1, "no turn is without a search");
            assert_eq!(long(&after(true, value), 9), 9, "an audited game is played out in full");
        }
        assert_eq!(long(&after(false, 0.5), 9), 9);
        let unsearched = SelfPlaySettings { opening_share: 1.0, opening_plies: 1.0, ..settings() };
        let ending = after(false, 0.99);
        assert_eq!(simulations(3, opening(&unsearched), &ending, &decided, PHASE), 0);
    }
}
