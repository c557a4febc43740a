//! The fields of a rule set, one entry each. Reading, writing, describing and checking rule sets,
//! their identity, and their network inputs are all derived from this table.

use crate::RulesError;
use crate::rules::axes::{
    Ban, Captures, Choice, Ending, Family, Komi, Repetition, Scoring, TileRule,
};
use crate::rules::field::{Domain, Field};
use crate::rules::ruleset::Rules;

const SUICIDE: &[Choice] = &[
    Choice { word: "false", meaning: "no stone may be left without a liberty by its own player" },
    Choice { word: "true", meaning: "a player may remove own strings of two or more stones" },
];

fn flag(condition: bool) -> f32 {
    f32::from(u8::from(condition))
}

fn go_only(rules: &Rules) -> Option<&'static str> {
    (rules.family != Family::Go).then_some("only the go family has it")
}

/// Every field, in listing order.
pub(crate) static FIELDS: &[Field] = &[
    Field {
        name: "family",
        about: "how stones and points change hands",
        domain: Domain::Choices(Family::CHOICES),
        get: |rules| rules.family as i32,
        set: |rules, value| rules.family = Family::ALL[value as usize],
        unused: |_| None,
        meaning: Some(|rules| {
            let meaning = match (rules.family, rules.captures) {
                (Family::Go, Captures::Forbidden) => "strings need liberties, as in Go",
                (Family::Go, Captures::Allowed) | (Family::AlterIgo | Family::Conquest, _) => {
                    Family::CHOICES[rules.family as usize].meaning
                }
            };
            meaning.to_owned()
        }),
        is_detail: false,
        is_silent: false,
        combined: &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2],
        inputs: &[
            ("rule: Alter Igo", |rules, _| flag(rules.family == Family::AlterIgo)),
            ("rule: Conquest", |rules, _| flag(rules.family == Family::Conquest)),
        ],
    },
    Field {
        name: "captures",
        about: "whether a go game has captures",
        domain: Domain::Choices(Captures::CHOICES),
        get: |rules| rules.captures as i32,
        set: |rules, value| rules.captures = Captures::ALL[value as usize],
        unused: go_only,
        meaning: None,
        is_detail: false,
        is_silent: true,
        combined: &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
        inputs: &[("rule: captures are forbidden", |rules, _| {
            flag(rules.captures == Captures::Forbidden)
        })],
    },
    Field {
        name: "ban",
        about: "what may not follow a turn of the opponent",
        domain: Domain::Choices(Ban::CHOICES),
        get: |rules| rules.ban as i32,
        set: |rules, value| rules.ban = Ban::ALL[value as usize],
        unused: go_only,
        meaning: None,
        is_detail: false,
        is_silent: true,
        combined: &[0, 0, 0, 1, 2, 3],
        inputs: &[
            ("rule: incursions are restricted", |rules, _| flag(rules.ban == Ban::Incursion)),
            ("rule: minimal incursions only", |rules, _| flag(rules.ban == Ban::MinimalIncursion)),
            ("rule: captures are restricted", |rules, _| flag(rules.ban == Ban::Stoical)),
        ],
    },
    Field {
        name: "repetition",
        about: "what keeps a go game from cycling",
        domain: Domain::Choices(Repetition::CHOICES),
        get: |rules| rules.repetition as i32,
        set: |rules, value| rules.repetition = Repetition::ALL[value as usize],
        unused: go_only,
        meaning: None,
        is_detail: false,
        is_silent: false,
        combined: &[0, 1, 2, 2, 3, 3, 4, 4, 5],
        inputs: &[
            ("rule: simple ko", |rules, _| flag(rules.repetition == Repetition::Simple)),
            ("rule: repeated positions are banned", |rules, _| {
                flag(match rules.repetition {
                    Repetition::PositionalSuperko | Repetition::SituationalSuperko => true,
                    Repetition::None
                    | Repetition::Simple
                    | Repetition::Draw
                    | Repetition::HotStone => false,
                })
            }),
            ("rule: the player to move is a part of the position", |rules, _| {
                flag(rules.repetition == Repetition::SituationalSuperko)
            }),
            ("rule: repeated positions are draws", |rules, _| {
                flag(rules.repetition == Repetition::Draw)
            }),
            ("rule: hot stones", |rules, _| flag(rules.repetition == Repetition::HotStone)),
        ],
    },
    Field {
        name: "suicide",
        about: "whether a player may remove own strings of two or more stones",
        domain: Domain::Choices(SUICIDE),
        get: |rules| i32::from(rules.suicide),
        set: |rules, value| rules.suicide = value != 0,
        unused: go_only,
        meaning: None,
        is_detail: false,
        is_silent: false,
        combined: &[0, 1],
        inputs: &[("rule: suicide", |rules, _| flag(rules.suicide))],
    },
    Field {
        name: "capture_goal",
        about: "0 to 999: stones taken from the opponent that win a go game, 0 for no such goal",
        domain: Domain::Number { least: 0, most: 999, step: 1, expected: "0 to 999" },
        get: |rules| i32::from(rules.capture_goal),
        set: |rules, value| rules.capture_goal = value as u16,
        unused: go_only,
        meaning: Some(|rules| match rules.capture_goal {
            0 => "no number of captured stones wins the game".to_owned(),
            1 => "the first capture wins the game".to_owned(),
            goal => format!("the first player to take {goal} stones in all wins the game"),
        }),
        is_detail: false,
        is_silent: true,
        combined: &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 6],
        inputs: &[("rule: captures win the game, one over their number", |rules, _| {
            if rules.capture_goal == 0 { 0.0 } else { 1.0 / f32::from(rules.capture_goal) }
        })],
    },
    Field {
        name: "stones_per_turn",
        about: "1 to 4: stones that a player may place in one turn of a go game; the first turn is one stone",
        domain: Domain::Number { least: 1, most: 4, step: 1, expected: "1 to 4" },
        get: |rules| i32::from(rules.stones_per_turn),
        set: |rules, value| rules.stones_per_turn = value as u8,
        unused: |rules| go_only(rules).or(rules.single_stones_only()),
        meaning: Some(|rules| match rules.stones_per_turn {
            1 => "one stone a turn".to_owned(),
            stones => format!("up to {stones} stones a turn; one on the first turn of the game"),
        }),
        is_detail: false,
        is_silent: true,
        combined: &[1, 1, 1, 2],
        inputs: &[("rule: stones a turn beyond one, in thirds", |rules, _| {
            f32::from(rules.stones_per_turn - 1) / 3.0
        })],
    },
    Field {
        name: "tiles",
        about: "whether incursions put tiles on the board",
        domain: Domain::Choices(TileRule::CHOICES),
        get: |rules| rules.tiles as i32,
        set: |rules, value| rules.tiles = TileRule::ALL[value as usize],
        unused: go_only,
        meaning: None,
        is_detail: false,
        is_silent: false,
        combined: &[0, 0, 1, 2],
        inputs: &[
            ("rule: tiles", |rules, _| flag(rules.tiles == TileRule::Tile)),
            ("rule: cushions", |rules, _| flag(rules.tiles == TileRule::Cushion)),
        ],
    },
    Field {
        name: "tile_limit",
        about: "1 to 9: tiles that one point can hold",
        domain: Domain::Number { least: 1, most: 9, step: 1, expected: "1 to 9" },
        get: |rules| i32::from(rules.tile_limit),
        set: |rules, value| rules.tile_limit = value as u8,
        unused: |rules| {
            go_only(rules).or((!rules.has_tiles()).then_some("the rules have no tiles"))
        },
        meaning: Some(|_| {
            "tiles that one point can hold; where it holds them, a stone that needs another may not \
             be placed"
                .to_owned()
        }),
        is_detail: false,
        is_silent: false,
        combined: &[1, 1, 2, 3],
        inputs: &[("rule: tiles a point beyond one, in eighths", |rules, _| {
            f32::from(rules.tile_limit - 1) / 8.0
        })],
    },
    Field {
        name: "end",
        about: "how a go game ends",
        domain: Domain::Choices(Ending::CHOICES),
        get: |rules| rules.end as i32,
        set: |rules, value| rules.end = Ending::ALL[value as usize],
        unused: go_only,
        meaning: None,
        is_detail: false,
        is_silent: false,
        combined: &[0, 0, 0, 1, 1, 2],
        inputs: &[
            ("rule: prisoner return", |rules, _| flag(rules.end == Ending::PrisonerReturn)),
            ("rule: nobody passes", |rules, _| flag(rules.end == Ending::NoPass)),
        ],
    },
    Field {
        name: "passes_to_end",
        about: "2 or 3: passes in a row that end the game",
        domain: Domain::Number { least: 2, most: 3, step: 1, expected: "2 or 3" },
        get: |rules| i32::from(rules.passes_to_end),
        set: |rules, value| rules.passes_to_end = value as u8,
        unused: |rules| {
            (!rules.is_scored_by_area()).then_some("only a go game that ends by area has it")
        },
        meaning: None,
        is_detail: false,
        is_silent: false,
        combined: &[2, 2, 3],
        inputs: &[("rule: three passes end the game", |rules, _| flag(rules.passes_to_end == 3))],
    },
    Field {
        name: "komi",
        about: "points for White, or prisoners to start with under prisoner-return",
        domain: Domain::HalfPoints { expected: "a multiple of one half between -400 and 400" },
        get: |rules| i32::from(rules.komi.halves()),
        set: |rules, value| rules.komi = Komi::from_halves(value as i16),
        unused: Rules::why_no_komi,
        meaning: Some(|rules| {
            if rules.returns_prisoners() {
                let [black, white] = rules.komi.prisoners();
                format!("prisoners to start with: Black {black}, White {white}")
            } else {
                "points taken from Black's score".to_owned()
            }
        }),
        is_detail: true,
        is_silent: false,
        combined: &[],
        inputs: &[
            ("komi for the player to move, in fifteenths", |rules, mover| {
                -mover.sign() * rules.komi.value() / 15.0
            }),
            ("komi for the player to move: which side of a drawn game it is on", |rules, mover| {
                rules.parity_wave(mover)
            }),
        ],
    },
    Field {
        name: "max_cycle",
        about: "even, 2 to 10: the longest cycle that counts as a ko",
        domain: Domain::Number {
            least: 2,
            most: 10,
            step: 2,
            expected: "an even number from 2 to 10",
        },
        get: |rules| i32::from(rules.max_cycle),
        set: |rules, value| rules.max_cycle = value as u8,
        unused: |rules| (!rules.has_hot_stones()).then_some("only repetition=hot-stone has it"),
        meaning: None,
        is_detail: false,
        is_silent: false,
        combined: &[6, 6, 4, 8],
        inputs: &[("rule: longest cycle beyond six, in quarters", |rules, _| {
            (f32::from(rules.max_cycle) - 6.0) / 4.0
        })],
    },
    Field {
        name: "white_passes",
        about: "passes that White may make in an alter-igo game",
        domain: Domain::Number { least: 0, most: 1000, step: 1, expected: "0 to 1000" },
        get: |rules| i32::from(rules.white_passes),
        set: |rules, value| rules.white_passes = value as u16,
        unused: |rules| (rules.family != Family::AlterIgo).then_some("only alter-igo has it"),
        meaning: None,
        is_detail: false,
        is_silent: false,
        combined: &[],
        // The passes left depend on the position, so they are an input there.
        inputs: &[],
    },
    Field {
        name: "scoring",
        about: "how a conquest game is counted",
        domain: Domain::Choices(Scoring::CHOICES),
        get: |rules| rules.scoring as i32,
        set: |rules, value| rules.scoring = Scoring::ALL[value as usize],
        unused: |rules| (rules.family != Family::Conquest).then_some("only conquest has it"),
        meaning: None,
        is_detail: false,
        is_silent: false,
        combined: &[0, 1],
        inputs: &[("rule: pure scoring", |rules, _| flag(rules.scoring == Scoring::Pure))],
    },
    Field {
        name: "max_moves",
        about: "turns after which the game ends as it stands: scored, or drawn without a score",
        domain: Domain::Number { least: 1, most: 60_000, step: 1, expected: "1 to 60000" },
        get: |rules| i32::from(rules.max_moves),
        set: |rules, value| rules.max_moves = value as u16,
        unused: |_| None,
        meaning: None,
        is_detail: true,
        is_silent: false,
        combined: &[],
        // The turns left depend on the position, so they are an input there.
        inputs: &[],
    },
];

/// A field and a value, and the fields and values that replace them.
type OldSpelling = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Former values of one field that are now two fields; still accepted.
pub(crate) const OLD_SPELLINGS: [OldSpelling; 3] = [
    ("repetition", "incursion", &[("ban", "incursion"), ("repetition", "draw")]),
    ("repetition", "minimal-incursion", &[("ban", "minimal-incursion"), ("repetition", "draw")]),
    ("repetition", "stoical", &[("ban", "stoical"), ("repetition", "draw")]),
];

impl Field {
    /// The field with this name.
    pub(crate) fn named(name: &str) -> Result<&'static Field, RulesError> {
        FIELDS
            .iter()
            .find(|field| field.name == name)
            .ok_or_else(|| RulesError::unknown("rules field", name, FIELDS.iter().map(|f| f.name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_an_entry() {
        let source = include_str!("ruleset.rs");
        let body =
            source.split("pub struct Rules {").nth(1).and_then(|rest| rest.split('}').next());
        let fields: Vec<&str> = body
            .expect("the struct")
            .lines()
            .filter_map(|line| line.trim().strip_prefix("pub ")?.split(':').next())
            .filter(|&field| field != "size")
            .collect();
        assert_eq!(FIELDS.iter().map(|field| field.name).collect::<Vec<_>>(), fields);
    }

    /// Setting every value of a field and reading it gives the same value, as a number and as text.
    #[test]
    fn values_are_what_they_are_set_to() {
        for field in FIELDS {
            let values: Vec<i32> = match field.domain {
                Domain::Choices(choices) => (0..choices.len() as i32).collect(),
                Domain::Number { least, most, step, .. } => {
                    (least..=most).step_by(step as usize).collect()
                }
                Domain::HalfPoints { .. } => vec![-15, 0, 1, 18],
            };
            for value in values {
                let mut rules = Rules::plain_of(crate::Size::LARGEST);
                (field.set)(&mut rules, value);
                assert_eq!((field.get)(&rules), value, "{}", field.name);
                let mut again = Rules::plain_of(crate::Size::LARGEST);
                field.read(&mut again, &field.write(&rules)).expect("its own text");
                assert_eq!(again, rules, "{}", field.name);
            }
        }
    }
}
