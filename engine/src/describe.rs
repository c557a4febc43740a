//! The axes of [`Rules`] in words.

use crate::notation::{FIELDS, Words};
use crate::{Ending, Family, Repetition, Rules, Scoring, TileRule};

/// One field of a rule set, with what its value means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The field.
    pub field: &'static str,
    /// Its value.
    pub value: String,
    /// What the value means.
    pub meaning: String,
}

/// One field, and all that it can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartChoices {
    /// The field.
    pub field: &'static str,
    /// What it decides.
    pub about: &'static str,
    /// Every value with its meaning; empty for a number.
    pub values: Vec<(&'static str, &'static str)>,
}

/// Values that say what they mean.
trait Meaning: Words {
    fn meaning(self) -> &'static str;

    fn choices() -> Vec<(&'static str, &'static str)> {
        Self::WORDS.iter().map(|&(word, value)| (word, value.meaning())).collect()
    }
}

impl Meaning for Family {
    fn meaning(self) -> &'static str {
        match self {
            Family::Go => "opposing strings without a liberty are captured",
            Family::AlterIgo => {
                "after each placement every string of either colour without a liberty is removed, all \
                 at once; whoever loses nothing but the placed stone by it loses the game; the same \
                 stones for the third time are a draw"
            }
            Family::Conquest => {
                "stones are never captured; regions that a player's stones and at most two edges wall \
                 off become that player's, with every stone in them; the game ends when no point is free"
            }
        }
    }
}

impl Meaning for Repetition {
    fn meaning(self) -> &'static str {
        match self {
            Repetition::None => "positions may repeat until the move limit",
            Repetition::Simple => {
                "the stones may not stand as they did before the opponent's last turn"
            }
            Repetition::PositionalSuperko => {
                "no whole-board position of the game may be made again"
            }
            Repetition::SituationalSuperko => {
                "no whole-board position of the game may be made again with the same player to move"
            }
            Repetition::Incursion => {
                "no incursion right after the opponent's incursion (a stone in an empty area around \
                 which all stones are the opponent's); a player who makes an own earlier position \
                 again draws the game"
            }
            Repetition::MinimalIncursion => {
                "as incursion, for incursions only that capture one string or none"
            }
            Repetition::Stoical => {
                "no capture right after the opponent's capture; a player who makes an own earlier \
                 position again draws the game"
            }
            Repetition::HotStone => {
                "a stone just placed in a ko is hot, and no ko play may capture it until it has cooled \
                 down; the same odd cycle of plays may be completed once in a game"
            }
        }
    }
}

impl Meaning for TileRule {
    fn meaning(self) -> &'static str {
        match self {
            TileRule::None => "no tiles",
            TileRule::Tile => {
                "after an incursion the next placement, anywhere, puts a tile under its stone"
            }
            TileRule::Cushion => {
                "after an incursion the next placement puts a tile under its stone if it is an \
                 incursion as well"
            }
        }
    }
}

impl Meaning for Ending {
    fn meaning(self) -> &'static str {
        match self {
            Ending::Area => {
                "passes in a row end the game, and stones and surrounded points are counted"
            }
            Ending::PrisonerReturn => {
                "nobody passes: a player may return a prisoner instead of placing a stone, and \
                 whoever can do neither loses"
            }
        }
    }
}

impl Meaning for Scoring {
    fn meaning(self) -> &'static str {
        match self {
            Scoring::Territory => "owned points count",
            Scoring::Pure => {
                "owned points count after superfluous border stones have been taken off and free \
                 points shared out"
            }
        }
    }
}

impl Meaning for bool {
    fn meaning(self) -> &'static str {
        if self { "yes" } else { "no" }
    }
}

impl Rules {
    /// The parts that the rule set is made of, in words. Fields without a use are left out.
    pub fn parts(&self) -> Vec<Part> {
        self.fields()
            .into_iter()
            .map(|(field, value)| Part { field, value, meaning: self.meaning_of(field) })
            .collect()
    }

    fn meaning_of(&self, field: &str) -> String {
        match field {
            "family" => self.family.meaning().to_owned(),
            "repetition" => self.repetition.meaning().to_owned(),
            "suicide" => match self.suicide {
                true => "a player may remove own strings of two or more stones".to_owned(),
                false => "no stone may be left without a liberty by its own player".to_owned(),
            },
            "tiles" => self.tiles.meaning().to_owned(),
            "tile_limit" => {
                "tiles that one point can hold; where it holds them, a stone that needs \
                             another may not be placed"
                    .to_owned()
            }
            "end" => self.end.meaning().to_owned(),
            "scoring" => self.scoring.meaning().to_owned(),
            "komi" => self.komi_meaning(),
            other => about(other).to_owned(),
        }
    }

    fn komi_meaning(&self) -> String {
        match self.end {
            Ending::Area => "points taken from Black's score".to_owned(),
            Ending::PrisonerReturn => {
                let [black, white] = self.komi.prisoners();
                format!("prisoners to start with: Black {black}, White {white}")
            }
        }
    }

    /// Every field with every value that it can hold.
    pub fn every_part() -> Vec<PartChoices> {
        let values = |field| match field {
            "family" => Family::choices(),
            "repetition" => Repetition::choices(),
            "suicide" => bool::choices(),
            "tiles" => TileRule::choices(),
            "end" => Ending::choices(),
            "scoring" => Scoring::choices(),
            _ => Vec::new(),
        };
        let choices = |field| PartChoices { field, about: about(field), values: values(field) };
        FIELDS.into_iter().map(choices).collect()
    }
}

/// What a field decides.
fn about(field: &str) -> &'static str {
    match field {
        "family" => "how stones and points change hands",
        "repetition" => "what keeps a go game from going round in circles",
        "suicide" => "whether a player may remove own strings of two or more stones",
        "tiles" => "whether incursions put tiles on the board",
        "tile_limit" => "1 to 9: tiles that one point can hold",
        "end" => "how a go game ends",
        "passes_to_end" => "2 or 3: passes in a row that end the game",
        "komi" => "points for White, or prisoners to start with under prisoner-return",
        "max_cycle" => "even, 2 to 10: the longest cycle that counts as a ko",
        "white_passes" => "passes that White may make in an alter-igo game",
        "scoring" => "how a conquest game is counted",
        "max_moves" => {
            "turns after which the game ends as it stands: scored, or drawn without a score"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variant;

    #[test]
    fn every_part_has_words() {
        for part in Rules::every_part() {
            assert!(!part.about.is_empty(), "{}", part.field);
        }
        for variant in Variant::ALL {
            for part in variant.rules(9).expect("a size that every variant has").parts() {
                assert!(!part.meaning.is_empty(), "{variant}: {}", part.field);
            }
        }
    }
}
