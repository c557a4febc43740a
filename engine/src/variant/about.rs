//! Descriptions of the named variants, each with an example that the engine plays itself.
//!
//! This is the only place where variants are described; `hotstone rules` prints it.

use super::example::Example;
use super::named::Variant;

/// The description of a variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// Its name as people write it.
    pub title: &'static str,
    /// A one-line summary.
    pub line: &'static str,
    /// The rule.
    pub rule: &'static str,
    /// Its inventor.
    pub inventor: &'static str,
    /// Where the inventor's text can be found.
    pub source: &'static str,
    /// How cases that the text leaves open are decided.
    pub decisions: &'static [&'static str],
    /// A position before and after.
    pub example: Example,
}

const MURES: &str = "Luis Bolaños Mures";
const DRAW: &str = "A placement that leaves the stones as they were after an earlier turn of the same player \
                    draws the game; the start is neither player's turn.";
const LIFTED: &str = "After a pass the ban is not in force.";
const KOMI: &str = "Komi is what best play of Go by area gives Black on that size, 7 where that is \
                    unknown; whether that is fair here is still to be measured.";
const EMPTY_AREA: &str = "An empty area without any stone around it, such as the empty board, belongs to neither \
                          player: a stone in it is not an incursion.";
const BEFORE_STONE: &str =
    "Whether a placement is an incursion is judged before the stone is on the board.";

/// A ko in the middle, ready to be taken.
const KO: &[&str] = &[".....", "..XO.", ".XO.O", "..XO.", "....."];
/// Black's corner and White's side.
const TWO_AREAS: &[&str] = &[".XO..", ".XO..", "XXO..", "OOO..", "....."];

impl Variant {
    /// This variant's description.
    pub const fn about(self) -> About {
        match self {
            Variant::Go => GO,
            Variant::Incursion => INCURSION,
            Variant::MinimalIncursion => MINIMAL_INCURSION,
            Variant::Stoical => STOICAL,
            Variant::Tile => TILE,
            Variant::Cushion => CUSHION,
            Variant::HotStone => HOT_STONE,
            Variant::AlterIgo => ALTER_IGO,
            Variant::Conquest => CONQUEST,
            Variant::PureConquest => PURE_CONQUEST,
            Variant::NoGo => NO_GO,
            Variant::NoPassGo => NO_PASS_GO,
            Variant::AtariGo => ATARI_GO,
        }
    }
}

const GO: About = About {
    title: "Go",
    line: "Go by area with positional superko: the yardstick against other programs",
    rule: "Strings without a liberty are captured, and no position of the whole board may be made again. \
           Two passes end the game; stones and the empty points that only they surround are counted.",
    inventor: "the rules as John Tromp and Bill Taylor wrote them down",
    source: "Tromp-Taylor Rules",
    decisions: &[
        "A single stone may not remove itself; superko would forbid it anyway.",
        "Superko compares the stones only, not who is to move.",
        KOMI,
    ],
    example: Example {
        size: 5,
        stones: KO,
        lead: "",
        shown: "D3",
        refused: Some("C3"),
        caption: "Black takes the ko; taking it back would make the position before it again.",
    },
};

const INCURSION: About = About {
    title: "Incursion Go",
    line: "No incursion into enemy territory right after the opponent's incursion",
    rule: "An incursion is a stone placed in an empty area around which all stones are the opponent's. \
           After an opponent's incursion you may not make one. There is no other ko rule: retaking in a \
           ko is an incursion that answers one.",
    inventor: MURES,
    source: "Sensei's Library, Incursion Go",
    decisions: &[EMPTY_AREA, BEFORE_STONE, LIFTED, DRAW, KOMI],
    example: Example {
        size: 5,
        stones: TWO_AREAS,
        lead: "",
        shown: "D3",
        refused: Some("A5"),
        caption: "Black's D3 is an incursion into White's right side. White may not answer by one into \
                  Black's corner.",
    },
};

const MINIMAL_INCURSION: About = About {
    title: "Incursion Go with minimal incursions",
    line: "As incursion, but incursions that capture two or more strings are free",
    rule: "An incursion is minimal if it captures one string or none. After an opponent's minimal \
           incursion you may not make a minimal one.",
    inventor: MURES,
    source: "Sensei's Library, Incursion Go",
    decisions: &[EMPTY_AREA, BEFORE_STONE, LIFTED, DRAW, KOMI],
    example: Example {
        size: 5,
        stones: TWO_AREAS,
        lead: "",
        shown: "D3",
        refused: Some("A5"),
        caption: "Black's D3 captures nothing: a minimal incursion. White's A5 would be another.",
    },
};

const STOICAL: About = About {
    title: "Stoical Go",
    line: "No capture right after the opponent's capture",
    rule: "If your opponent's last turn captured something, your next one may not. That is the whole rule \
           about repetition, and it makes snapbacks impossible.",
    inventor: MURES,
    source: "Sensei's Library, Stoical Go",
    decisions: &["Suicide, where a rule set allows it, is not a capture.", LIFTED, DRAW, KOMI],
    example: Example {
        size: 5,
        stones: KO,
        lead: "",
        shown: "D3",
        refused: Some("C3"),
        caption: "Black captures at D3, so White may not capture at C3, nor anywhere else.",
    },
};

const TILE: About = About {
    title: "Tile Go",
    line: "After an incursion the next stone takes a tile; a player who cannot move loses",
    rule: "An incursion is a stone placed in an empty area around which all stones are the opponent's. The \
           placement after an incursion, wherever it is, puts a tile under its stone, and a point that has \
           its tile cannot take another, so an endless ko runs out of room. There is no passing: you may \
           return a prisoner instead, and a player who can do neither loses. A stone that has just \
           taken one may not be retaken at once (ko), and suicide is not allowed.",
    inventor: MURES,
    source: "Sensei's Library, Tile Go",
    decisions: &[
        EMPTY_AREA,
        BEFORE_STONE,
        "Prisoner returns do not change what the last placement was.",
        "A placement that needs no tile may be made on one.",
        "Tiles belong to neither player and stay on the board even when their stone is captured.",
        "Komi is prisoners that White starts with, rounded down.",
    ],
    example: Example {
        size: 5,
        stones: &[],
        lead: "C3 A1",
        shown: "D2",
        refused: None,
        caption: "White's A1 is an incursion: all stones on the board are Black's. So Black's D2 stands \
                  on a tile.",
    },
};

const CUSHION: About = About {
    title: "Cushion Go",
    line: "An incursion that answers one takes a tile; a player who cannot move loses",
    rule: "As Tile Go, but after an incursion only another incursion needs a tile under its stone; every \
           other placement is free. In a real game of 417 moves that makes four tiles.",
    inventor: MURES,
    source: "Sensei's Library, Cushion Go",
    decisions: &[
        EMPTY_AREA,
        BEFORE_STONE,
        "Prisoner returns do not change what the last placement was.",
        "Tiles belong to neither player and stay on the board even when their stone is captured.",
        "Komi is prisoners that White starts with, rounded down.",
    ],
    example: Example {
        size: 5,
        stones: TWO_AREAS,
        lead: "D3",
        shown: "A5",
        refused: None,
        caption: "Black's D3 was an incursion, and White's A5 is one too: it is allowed, on a tile.",
    },
};

const HOT_STONE: About = About {
    title: "Go with the Ing-Spight ko rule",
    line: "A stone just placed in a ko is hot: no ko play may take it until it cools",
    rule: "A play is a ko play if play could continue from it and return to the position before it. The stone \
           of a ko play becomes hot, and a hot stone may not be captured by a ko play. Any turn \
           that is not a ko play cools all stones. A cycle of an odd number of plays may be completed once.",
    inventor: "Bill Spight, after Ing Chang-ki",
    source: "Sensei's Library, Ing-Spight Ko Rule",
    decisions: &[
        "Cycles have at most six plays (max_cycle): without a limit every stone is in some \
         cycle, and six covers every example of the source.",
        "The plays of a cycle have to be legal by capture and suicide alone.",
        "The odd cycle rule looks back over plays near each other, at most nine.",
        "Three passes in a row end the game, because the first lifts the ban.",
        KOMI,
    ],
    example: Example {
        size: 5,
        stones: KO,
        lead: "",
        shown: "D3",
        refused: Some("C3"),
        caption: "Black takes the ko, and D3 is hot. White has to play elsewhere or pass first.",
    },
};

const ALTER_IGO: About = About {
    title: "Alter Igo",
    line: "Every string of either colour without a liberty is removed, all at once",
    rule: "A stone may go on any empty point. Then all strings of both colours without a liberty are \
           removed together. A player whose placed stone is the only one removed loses; the same stones \
           for the third time are a draw.",
    inventor: "Bass",
    source: "Sensei's Library, Alter Igo",
    decisions: &[
        "The empty start counts as the first time that the board is empty; who is to move does not matter.",
        "The loss comes before the draw.",
        "White may be given a number of passes to make up for moving second (white_passes); positions \
         after passes do not count.",
    ],
    example: Example {
        size: 2,
        stones: &[],
        lead: "A1 B2 B1",
        shown: "A2",
        refused: None,
        caption: "White fills the last empty point: no string has a liberty, all are removed, and the \
                  game continues.",
    },
};

const CONQUEST_DECISIONS: &[&str] = &[
    "Of equally large regions the lower one is settled first; where that matters, the player may announce \
     the opposite order (a star behind the move).",
    "A stone in the middle of an edge of an odd board is in both quadrants until a conquest decides which.",
    "Points once owned never become free again, but may be conquered by the other player.",
    "Own stones that border on nothing but own stones and territory become territory, unless the border \
     needs them.",
];

const CONQUEST: About = About {
    title: "Conquest",
    line: "Wall off regions against the edges: everything in them becomes yours",
    rule: "A region is what your stones separate, diagonals included. One that touches at most one edge of \
           the board is conquered; one that touches two is, unless the stones that tie it to the edges \
           stand in diagonally opposite quarters of it; one that touches three or four is not. Stones in a \
           conquered region are removed. The game ends when no point is free, and owned points count.",
    inventor: "Chris Bandy",
    source: "Sensei's Library, Conquest",
    decisions: CONQUEST_DECISIONS,
    example: Example {
        size: 6,
        stones: &[],
        lead: "A3 A1 B2 E5",
        shown: "C1",
        refused: Some("A2"),
        caption: "Black's C1 closes the corner: White's stone is removed, and the three points are Black's.",
    },
};

const PURE_CONQUEST: About = About {
    title: "Conquest with pure scoring",
    line: "As conquest, counted after superfluous stones are removed",
    rule: "Play is that of Conquest. At the end, border stones that no border needs are removed, stones \
           that hold borders together become territory, and free points go to the player who surrounds \
           them or are split.",
    inventor: "Chris Bandy",
    source: "Sensei's Library, Conquest",
    decisions: &[
        CONQUEST_DECISIONS[0],
        CONQUEST_DECISIONS[1],
        "Black's superfluous stones go first, then White's, point by point until none is left.",
        "Free points that touch both players are split evenly, the odd one to the player who has less.",
    ],
    example: Example {
        size: 6,
        stones: &[],
        lead: "A3 A1 B2 E5",
        shown: "C1",
        refused: Some("A2"),
        caption: "Black's C1 closes the corner: White's stone is removed, and the three points are Black's.",
    },
};

const NO_GO: About = About {
    title: "NoGo",
    line: "No captures and no passing: a player who cannot place a stone loses",
    rule: "A stone may not be placed where it would capture, nor where it would have no liberty. There is \
           no passing, and a player who cannot place a stone loses.",
    inventor: "John Moore (as Anti-Atari Go)",
    source: "Sensei's Library, Anti Atari Go",
    decisions: &[],
    example: Example {
        size: 5,
        stones: KO,
        lead: "A1",
        shown: "E5",
        refused: Some("D3"),
        caption: "Black may not play D3, because that would capture the stone on C3.",
    },
};

const NO_PASS_GO: About = About {
    title: "No-pass Go",
    line: "Go without passing: a player who cannot place a stone loses",
    rule: "As Go with positional superko, but without passing: territory is room to move, and a player who cannot \
           place a stone loses.",
    inventor: "unknown",
    source: "Sensei's Library, No Pass Go",
    decisions: &["Suicide is not allowed.", "Captured stones count for nothing."],
    example: Example {
        size: 5,
        stones: KO,
        lead: "",
        shown: "D3",
        refused: Some("C3"),
        caption: "Black takes the ko; taking it back would make the position before it again.",
    },
};

const ATARI_GO: About = About {
    title: "Atari Go",
    line: "The first capture wins",
    rule: "The first player to capture wins. There is no passing, and a player who cannot place a stone loses.",
    inventor: "Yasuda Yasutoshi, as a way to teach Go",
    source: "Sensei's Library, Atari Go",
    decisions: &["Suicide is not allowed."],
    example: Example {
        size: 5,
        stones: KO,
        lead: "",
        shown: "D3",
        refused: None,
        caption: "Black captures at D3 and wins.",
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IllegalMove;

    #[test]
    fn examples_show_what_they_say() {
        for variant in Variant::ALL {
            let about = variant.about();
            let scene = about.example.play(variant).unwrap_or_else(|| panic!("{variant}"));
            assert_eq!(scene.refused.is_some(), about.example.refused.is_some(), "{variant}");
            assert!(scene.after.turns() > scene.before.turns());
            let tells_of_an_end = about.example.caption.contains("wins");
            assert_eq!(scene.after.outcome().is_some(), tells_of_an_end, "{variant}");
            assert!(about.line.chars().count() <= 78, "{variant}: {}", about.line.len());
        }
    }

    /// The refused move breaks only the variant's own ban, if it has one.
    #[test]
    fn the_ban_of_the_example_is_the_variants_own() {
        for variant in Variant::ALL {
            let scene = variant.about().example.play(variant).expect("an example");
            match scene.refused {
                None | Some((_, IllegalMove::Owned(_))) => {}
                Some((_, rule)) => assert!(rule.ban().is_some(), "{variant}: {rule}"),
            }
        }
    }
}
