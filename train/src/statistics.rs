//! Statistics of a phase's games.

use std::collections::{BTreeMap, HashSet};

use engine::{Color, Encoding, GameResult, Rules, plane};
use search::winrate;
use selfplay::{RecordError, SelfPlaySettings, TrainingRecord, variant_of};

use crate::history::DECIDED_CURVE;

/// Games that share this many initial turns count as having the same opening.
const OPENING_TURNS: usize = 8;

/// Number of bins for the calibration error.
const BINS: usize = 10;

/// A game is decided after this many consecutive turns in which the loser's winning probability was
/// below this.
const DECIDED: (usize, f32) = (5, 0.03);

/// One game in this many is replayed to see how its rules mattered; encoding all of them would slow
/// down self-play.
const GAMES_PER_REPLAY: u64 = 8;

/// How the variant's own rules mattered in a game.
#[derive(Debug, Default, PartialEq)]
struct RuleEvents {
    /// Turns in which they forbade some placement.
    banned_turns: u64,
    /// Tiles on the board at the end.
    tiles: u64,
    /// Turns with a hot stone on the board.
    hot_turns: u64,
}

impl RuleEvents {
    fn of(game: &TrainingRecord) -> Result<RuleEvents, RecordError> {
        let mut position = game.start()?;
        let mut events = RuleEvents::default();
        for turn in 0..game.turns.len() {
            let encoding = Encoding::of(&position);
            events.banned_turns += u64::from(!encoding.planes[plane::BANNED].is_empty());
            events.hot_turns += u64::from(!position.hot_stones().is_empty());
            let why = |why| RecordError::Illegal { turn: turn + 1, why };
            position.play(game.played(turn)?).map_err(why)?;
        }
        let points = position.size().points();
        events.tiles = points.map(|point| u64::from(position.tiles(point))).sum();
        Ok(events)
    }

    fn add(&mut self, other: &RuleEvents) {
        self.banned_turns += other.banned_turns;
        self.tiles += other.tiles;
        self.hot_turns += other.hot_turns;
    }
}

/// Sums over the games of a phase.
#[derive(Default)]
pub struct GameStatistics {
    games: u64,
    turns: u64,
    capped: u64,
    draws: u64,
    black_wins: u64,
    entropy: f64,
    surprise: f64,
    rows: u64,
    /// Searched turns, and how many of them had a result proven by the search.
    searched: u64,
    proven: u64,
    /// Turns played after the game was decided.
    decided: u64,
    /// Games that were played on although the loser would have agreed to end them, and how many of
    /// them that player did not lose.
    audited: u64,
    refuted: u64,
    /// Turns, and turns after the decision, by variant and size.
    by_variant: BTreeMap<String, (u64, u64)>,
    /// By rules without compensation, which varies from game to game.
    openings: HashSet<(Option<Rules>, Vec<u16>)>,
    /// Games examined for the effect of their rules, and how often the rules mattered.
    replayed_games: u64,
    events: RuleEvents,
    /// By predicted value: count, sum of predictions, sum of results.
    calibration: [(u64, f64, f64); BINS],
}

impl GameStatistics {
    /// Adds a finished game that was played with these settings.
    pub fn add(&mut self, game: &TrainingRecord, settings: &SelfPlaySettings) {
        let result = f64::from(game.result.black_value());
        self.games += 1;
        self.turns += game.turns.len() as u64;
        self.capped += u64::from(game.capped);
        self.draws += u64::from(game.result == GameResult::Draw);
        self.black_wins += u64::from(result > 0.0);
        let searched = || game.turns.iter().filter(|turn| turn.simulations > 0);
        self.searched += searched().count() as u64;
        self.proven += searched().filter(|turn| turn.proven.is_some()).count() as u64;
        let decided = decided_turns(game);
        self.decided += decided;
        let audit = game.audit(settings);
        self.audited += u64::from(audit.is_some());
        self.refuted += u64::from(audit == Some(false));
        let rules = Rules::parse(&game.rules, game.size).ok();
        if let Some(variant) = rules.as_ref().and_then(variant_of) {
            let name = format!("{variant}-{}", game.size);
            let (turns, after) = self.by_variant.entry(name).or_default();
            *turns += game.turns.len() as u64;
            *after += decided;
        }
        let opening = game.turns.iter().take(OPENING_TURNS).map(|turn| turn.action);
        if self.games % GAMES_PER_REPLAY == 1
            && let Ok(events) = RuleEvents::of(game)
        {
            self.replayed_games += 1;
            self.events.add(&events);
        }
        let kind = rules.map(|rules| rules.without_compensation());
        self.openings.insert((kind, opening.collect()));
        for turn in game.turns.iter().filter(|turn| !turn.target.is_empty()) {
            let predicted = f64::from(turn.root_value);
            let bin = ((predicted + 1.0) / 2.0 * BINS as f64) as usize;
            let (count, predictions, results) = &mut self.calibration[bin.min(BINS - 1)];
            *count += 1;
            *predictions += predicted;
            *results += result;
            self.rows += 1;
            self.surprise += f64::from(turn.surprise);
            self.entropy += turn.target.iter().map(|&(_, weight)| entropy(weight)).sum::<f64>();
        }
    }

    /// Number of positions with a policy target so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Expected calibration error: mean distance between predicted and actual results over bins of
    /// the prediction, on the scale of results (−1 to 1).
    fn calibration_error(&self) -> f64 {
        let distance = |&(_, predictions, results): &(u64, f64, f64)| (predictions - results).abs();
        self.calibration.iter().map(distance).sum::<f64>() / self.rows.max(1) as f64
    }

    /// Fraction of turns after the decision for each variant, with the name of its curve.
    pub fn decided_by_variant(&self) -> Vec<(String, f64)> {
        let share = |(name, &(turns, after)): (&String, &(u64, u64))| {
            (format!("{DECIDED_CURVE}{name}"), after as f64 / turns.max(1) as f64)
        };
        self.by_variant.iter().map(share).collect()
    }

    /// The values of the phase's learning curves, by name; none if no game has ended in it, as when
    /// the run is over before.
    pub fn curves(&self) -> Vec<(&'static str, f64)> {
        if self.games == 0 {
            return Vec::new();
        }
        let games = self.games as f64;
        let replayed_games = self.replayed_games.max(1) as f64;
        let mut curves = vec![
            ("games/length", self.turns as f64 / games),
            ("games/black_win_share", self.black_wins as f64 / games),
            ("games/draw_share", self.draws as f64 / games),
            ("games/capped_share", self.capped as f64 / games),
            ("games/duplicate_openings", 1.0 - self.openings.len() as f64 / games),
            ("games/decided_share", self.decided as f64 / self.turns.max(1) as f64),
            ("games/audited_share", self.audited as f64 / games),
            ("games/proven_share", self.proven as f64 / self.searched.max(1) as f64),
            ("events/banned_turns", self.events.banned_turns as f64 / replayed_games),
            ("events/tiles", self.events.tiles as f64 / replayed_games),
            ("events/hot_turns", self.events.hot_turns as f64 / replayed_games),
            ("policy/target_entropy", self.entropy / self.rows.max(1) as f64),
            ("policy/surprise", self.surprise / self.rows.max(1) as f64),
            ("value/calibration_error", self.calibration_error()),
        ];
        // Without audits nothing is known of it.
        if self.audited > 0 {
            curves.push(("games/refuted_share", self.refuted as f64 / self.audited as f64));
        }
        curves
    }
}

/// Number of turns played after the game had been decided for a while.
fn decided_turns(game: &TrainingRecord) -> u64 {
    let (enough, chance) = DECIDED;
    let (mut in_a_row, mut value) = (0, 0.0);
    let mut decided = 0;
    for turn in &game.turns {
        // If the other player is ahead now, the game is decided anew.
        if value * turn.root_value <= 0.0 {
            in_a_row = 0;
        }
        value = turn.root_value;
        let hopeless =
            turn.simulations > 0 && winrate(-turn.root_value.abs(), Color::Black) < chance;
        decided += u64::from(in_a_row >= enough);
        in_a_row = if hopeless { in_a_row + 1 } else { 0 };
    }
    decided
}

fn entropy(weight: u16) -> f64 {
    let probability = f64::from(weight) / 65535.0;
    if probability > 0.0 { -probability * probability.ln() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use engine::{Rules, Variant};
    use search::evaluators::Scripted;
    use selfplay::{Phase, SelfPlaySettings, TurnRecord, Worker};

    use super::*;

    fn statistics(rules: &str) -> GameStatistics {
        statistics_of(Rules::parse(rules, 5).unwrap(), &SelfPlaySettings::default())
    }

    fn statistics_of(rules: Rules, settings: &SelfPlaySettings) -> GameStatistics {
        let phase = Phase { simulations: 4, model: 0 };
        let mut worker = Worker::new(rules, settings.clone(), phase, 16, 5);
        let mut statistics = GameStatistics::default();
        while statistics.games < 64 {
            let games = worker.step(&mut Scripted { seed: 1 }).unwrap().1;
            games.iter().for_each(|game| statistics.add(game, settings));
        }
        statistics
    }

    /// With so much komi that White always wins, and with losers who agree as soon as they can.
    #[test]
    fn audited_games_are_counted_and_those_that_show_an_error() {
        let settings = SelfPlaySettings {
            decided_turns: 1,
            agreed_chance: 0.5,
            audit_share: 0.5,
            ..SelfPlaySettings::default()
        };
        let statistics = statistics_of(Rules::parse("go,komi=60", 3).unwrap(), &settings);
        assert!((1..statistics.games).contains(&statistics.audited), "{}", statistics.audited);
        assert_eq!(statistics.refuted, 0);
    }

    #[test]
    fn without_audits_no_share_of_refuted_agreements_is_told() {
        let told = |audited| {
            let statistics =
                GameStatistics { games: 4, audited, refuted: audited / 2, ..Default::default() };
            statistics.curves().into_iter().find(|(name, _)| *name == "games/refuted_share")
        };
        assert_eq!(told(0), None);
        assert_eq!(told(2), Some(("games/refuted_share", 0.5)));
    }

    #[test]
    fn a_game_that_turns_is_not_decided() {
        let turn = |root_value| TurnRecord {
            action: 0,
            root_value,
            proven: None,
            surprise: 0.0,
            simulations: 8,
            target: vec![(0, u16::MAX)],
        };
        let decided = |values: &[f32]| {
            let turns = values.iter().map(|&value| turn(value)).collect();
            let size = engine::Size::try_from(5).unwrap();
            decided_turns(&TrainingRecord::begun("go", size, 0, 0, turns))
        };
        assert_eq!(decided(&[0.99; 12]), 7);
        let turned: Vec<f32> = [[0.99_f32; 6], [-0.99_f32; 6]].concat();
        assert_eq!(decided(&turned), 2);
        assert_eq!(decided(&[0.99_f32, -0.99].repeat(6)), 0);
    }

    #[test]
    fn what_rules_do_is_counted_where_they_do_it() {
        let seen = |variant: Variant| {
            let RuleEvents { banned_turns, tiles, hot_turns } = statistics(variant.name()).events;
            [banned_turns > 0, tiles > 0, hot_turns > 0]
        };
        assert_eq!(seen(Variant::Incursion), [true, false, false]);
        assert!(seen(Variant::Tile)[1]);
        assert!(!seen(Variant::HotStone)[1]);
        assert_eq!(seen(Variant::Conquest), [false; 3]);
    }

    #[test]
    fn shares_are_shares() {
        for (name, value) in statistics("incursion").curves() {
            let bounded = name.ends_with("_share") || name.ends_with("_openings");
            assert!(!bounded || (0.0..=1.0).contains(&value), "{name}: {value}");
            assert!(value.is_finite(), "{name}");
        }
    }
}
