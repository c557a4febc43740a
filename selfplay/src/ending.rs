//! Games that end by agreement, and soft endings: a decided game continues, but with less
//! computation and less weight in training.
//!
//! There are no resignations, and so no wrong ones: an agreement is a pass after which the current
//! score decides. As in KataGo, with λ the loser's winning probability divided by the threshold, a
//! turn is used for training with probability `decided_rows` + (1 − `decided_rows`)·λ.

use engine::{Color, GameResult, Move, Position};
use search::{SearchResult, winrate};
use serde::{Deserialize, Serialize};

use crate::{SelfPlaySettings, TrainingRecord, TurnRecord};

/// How long a game has been decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ending {
    /// Whether the game is played out in full, whatever the search finds.
    audited: bool,
    /// Consecutive turns in which the game was decided.
    turns: u32,
    /// Consecutive turns in which the loser would have agreed to end it.
    hopeless_turns: u32,
    /// The value for Black found by the last turn's search.
    value: f32,
}

impl Ending {
    pub fn new(audited: bool) -> Ending {
        Ending { audited, turns: 0, hopeless_turns: 0, value: 0.0 }
    }

    /// Records the value for Black found by a turn's search.
    pub fn record_value(&mut self, value: f32, settings: &SelfPlaySettings) {
        // If the game is now decided for the other player, start counting again.
        if self.value * value <= 0.0 {
            (self.turns, self.hopeless_turns) = (0, 0);
        }
        self.value = value;
        let decided = self.chance() < settings.decided_chance;
        self.turns = if decided { self.turns + 1 } else { 0 };
        let hopeless = self.chance() < settings.agreed_chance;
        self.hopeless_turns = if hopeless { self.hopeless_turns + 1 } else { 0 };
    }

    /// The loser's winning probability in the last turn.
    fn chance(&self) -> f32 {
        winrate(-self.value.abs(), Color::Black)
    }

    /// Whether the player to move, whose search found `result`, should answer a pass with a pass.
    pub fn is_agreed(
        &self,
        root: &Position,
        result: &SearchResult,
        settings: &SelfPlaySettings,
    ) -> bool {
        !self.audited
            && self.is_hopeless(settings)
            && result.agrees_to_end(root, settings.agreed_chance)
    }

    fn is_hopeless(&self, settings: &SelfPlaySettings) -> bool {
        self.hopeless_turns >= settings.decided_turns
    }

    /// Whether this state is possible after this many turns.
    pub fn is_possible(&self, turns: usize) -> bool {
        self.value.is_finite() && self.turns.max(self.hopeless_turns) as usize <= turns
    }

    pub fn is_decided(&self, settings: &SelfPlaySettings) -> bool {
        !self.audited && settings.decided_chance > 0.0 && self.turns >= settings.decided_turns
    }

    /// Probability that the last turn is used for training.
    pub fn row_share(&self, settings: &SelfPlaySettings) -> f32 {
        if !self.is_decided(settings) {
            return 1.0;
        }
        let doubt = (self.chance() / settings.decided_chance).clamp(0.0, 1.0);
        settings.decided_rows + (1.0 - settings.decided_rows) * doubt
    }
}

impl TrainingRecord {
    /// Whether a game that was played on for an audit, although its loser would have agreed to end
    /// it, was lost by that player in the end. `None` for a game that no agreement could have ended
    /// sooner, and for one that was not audited.
    ///
    /// A record does not say which games are audited, but shows it: after an agreement nothing is
    /// learnt from the loser's turn, while all of an audited game's turns after its opening are
    /// learnt from.
    pub fn audit(&self, settings: &SelfPlaySettings) -> Option<bool> {
        let candidates = self.turns_after_a_pass_in_a_hopeless_game(settings);
        if candidates.is_empty() {
            return None;
        }
        let (mut turn, mut loser) = (0, None);
        let replayed = self.replay_with(|recorded, position| {
            let is_agreed = || recorded.search().agrees_to_end(position, settings.agreed_chance);
            if loser.is_none() && candidates.contains(&turn) && is_agreed() {
                loser = Some(position.turn());
            }
            turn += 1;
            Ok(())
        });
        replayed.ok()?;
        loser.map(|loser| self.result == GameResult::Won(loser.opponent()))
    }

    /// The learnt turns in which an agreement may have been possible, as far as that can be told
    /// without a board. What comes before the first learnt turn is an opening, or another game.
    fn turns_after_a_pass_in_a_hopeless_game(&self, settings: &SelfPlaySettings) -> Vec<usize> {
        let pass = Move::Pass.action(self.size) as u16;
        let mut ending = Ending::new(false);
        let mut found = Vec::new();
        let opening = self.turns.iter().take_while(|turn| turn.target.is_empty()).count();
        for (turn, recorded) in self.turns.iter().enumerate().skip(opening) {
            ending.record_value(recorded.root_value, settings);
            let is_offered = turn > 0 && self.turns[turn - 1].action == pass;
            if is_offered && ending.is_hopeless(settings) && !recorded.target.is_empty() {
                found.push(turn);
            }
        }
        found
    }
}

impl TurnRecord {
    /// What the record keeps of the turn's search, without its moves.
    fn search(&self) -> SearchResult {
        SearchResult {
            best: Move::Pass,
            root_value: self.root_value,
            raw_value: self.root_value,
            moves: Vec::new(),
            surprise: self.surprise,
            proven: self.proven,
        }
    }
}

#[cfg(test)]
mod tests {
    use engine::Rules;
    use search::evaluators::Scripted;

    use super::*;
    use crate::{Phase, Worker};

    fn settings(agreed_chance: f32, audit_share: f32) -> SelfPlaySettings {
        SelfPlaySettings {
            agreed_chance,
            audit_share,
            decided_turns: 1,
            ..SelfPlaySettings::default()
        }
    }

    /// Games that the first search already considers decided.
    fn games(agreed_chance: f32, audit_share: f32) -> Vec<TrainingRecord> {
        let settings = settings(agreed_chance, audit_share);
        let phase = Phase { simulations: 8, model: 0 };
        let rules = Rules::parse("go,komi=60", 3).expect("rules");
        let mut worker = Worker::new(rules, settings, phase, 4, 5);
        let mut games = Vec::new();
        while games.len() < 40 {
            games.extend(worker.step(&mut Scripted { seed: 1 }).expect("it cannot fail").1);
        }
        games
    }

    #[test]
    fn a_game_that_turns_is_decided_anew() {
        let settings = SelfPlaySettings {
            decided_chance: 0.03,
            decided_turns: 3,
            ..SelfPlaySettings::default()
        };
        let mut ending = Ending::new(false);
        let mut decided = |values: &[f32]| {
            values.iter().for_each(|&value| ending.record_value(value, &settings));
            ending.is_decided(&settings)
        };
        assert!(!decided(&[0.99, 0.98]));
        assert!(decided(&[0.97]));
        assert!(!decided(&[-0.99]), "White has one such turn");
        assert!(decided(&[-0.99, -0.96]));
        assert!(!decided(&[-0.5]));
    }

    #[test]
    fn the_surer_a_decided_game_is_the_less_of_it_is_learnt() {
        let settings = SelfPlaySettings {
            decided_chance: 0.25,
            decided_turns: 1,
            decided_rows: 0.1,
            ..SelfPlaySettings::default()
        };
        let share = |audited, value| {
            let mut ending = Ending::new(audited);
            ending.record_value(value, &settings);
            ending.row_share(&settings)
        };
        // The loser's winning probability is 0, half the threshold, or the threshold.
        for (value, expected) in [(1.0, 0.1), (0.75, 0.55), (0.5, 1.0), (0.0, 1.0)] {
            for value in [value, -value] {
                let found = share(false, value);
                assert!((found - expected).abs() < 1e-6, "{found} at {value}");
                assert_eq!(share(true, value), 1.0, "an audited game is learnt in full");
            }
        }
    }

    #[test]
    fn losers_answer_a_pass_with_one_that_is_not_learnt_from() {
        let length =
            |games: &[TrainingRecord]| games.iter().map(|game| game.turns.len()).sum::<usize>();
        let (ended, played_out, audited) = (games(0.03, 0.0), games(0.0, 0.0), games(0.03, 1.0));
        assert!(length(&ended) < length(&played_out), "{}", length(&ended));
        assert_eq!(length(&audited), length(&played_out));
        let agreed = |game: &&TrainingRecord| {
            let pass = Move::Pass.action(game.size) as u16;
            let [.., before, last] = game.turns.as_slice() else { return false };
            before.action == pass && last.action == pass && last.target.is_empty()
        };
        assert!(ended.iter().filter(agreed).count() > 5);
    }

    /// With so much komi White always wins, so every agreement would be right.
    #[test]
    fn an_audit_shows_whether_an_agreement_would_have_been_right() {
        let settings = settings(0.03, 1.0);
        let audit = |game: &TrainingRecord| game.audit(&settings);
        let mut audited = games(0.03, 1.0);
        let right: Vec<bool> = audited.iter().filter_map(audit).collect();
        assert!(right.len() > 2 && !right.contains(&false), "{right:?}");
        audited.iter_mut().for_each(|game| game.result = GameResult::Won(Color::Black));
        let wrong: Vec<bool> = audited.iter().filter_map(audit).collect();
        assert!(wrong.len() == right.len() && !wrong.contains(&true), "{wrong:?}");
        assert!(games(0.03, 0.0).iter().all(|game| audit(game).is_none()), "none is audited");
    }
}
