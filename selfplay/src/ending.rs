//! Softened endings: a decided game goes on, but costs less and teaches less.
//!
//! Nobody resigns, so nobody has to ask whether a resignation was right. KataGo's form: with λ the loser's chance
//! divided by the threshold, a turn is learnt from with probability `decided_rows` + (1 − `decided_rows`)·λ.

use search::SearchResult;

use crate::SelfPlaySettings;

/// How long a game has been decided.
#[derive(Debug)]
pub(crate) struct Ending {
    /// Played out in full, whatever the search thinks of it.
    audited: bool,
    turns: u32,
    /// The loser's chance in the last turn.
    chance: f32,
}

impl Ending {
    pub fn new(audited: bool) -> Ending {
        Ending { audited, turns: 0, chance: 0.5 }
    }

    /// Takes in what a turn's search found.
    pub fn see(&mut self, result: &SearchResult, settings: &SelfPlaySettings) {
        self.chance = 0.5 - 0.5 * result.root_value.abs();
        let decided = self.chance < settings.decided_chance;
        self.turns = if decided { self.turns + 1 } else { 0 };
    }

    pub fn is_decided(&self, settings: &SelfPlaySettings) -> bool {
        !self.audited && settings.decided_chance > 0.0 && self.turns >= settings.decided_turns
    }

    /// Probability that the last turn is learnt from.
    pub fn row_share(&self, settings: &SelfPlaySettings) -> f32 {
        if !self.is_decided(settings) {
            return 1.0;
        }
        let doubt = (self.chance / settings.decided_chance).clamp(0.0, 1.0);
        settings.decided_rows + (1.0 - settings.decided_rows) * doubt
    }
}
