//! The figures of a corpus as JSON.

use arena::Estimate;
use serde_json::{Value, json};

use super::figures::{CorpusEvents, DifferenceFrequency, RuleFigures};
use super::gathered::Corpus;

impl Corpus {
    /// Everything as JSON. Whatever does not apply is null.
    pub fn json(&self) -> Value {
        let names = &self.rule_sets.texts;
        json!({
            "compared_with": names.first(),
            "files": self.files,
            "games": self.games.len(),
            "copies": self.copies,
            "turns": self.games.iter().map(|(_, _, comparison)| comparison.turns).sum::<usize>(),
            "sizes": self.sizes,
            "left_out": self.left_out.iter().map(|left_out| json!({
                "file": left_out.file, "game": left_out.number, "reason": left_out.reason,
            })).collect::<Vec<_>>(),
            "damaged": self.damaged.iter().map(|damaged| json!({
                "file": damaged.file, "game": damaged.number, "defects": damaged.defects,
            })).collect::<Vec<_>>(),
            "rules": self.figures().iter().map(rules).collect::<Vec<_>>(),
            "pairs": self.differences().iter().map(|((one, other), difference)| json!({
                "rules": [names[*one], names[*other]], "different": differing(difference),
            })).collect::<Vec<_>>(),
        })
    }
}

fn rules(one: &RuleFigures) -> Value {
    json!({
        "rules": one.rules,
        "games": one.games,
        "complete": one.complete,
        "share_complete": estimate(Estimate::share(one.complete, one.games)),
        "stops": one.stops.iter().map(|(why, games)| json!({"why": why, "games": games})).collect::<Vec<_>>(),
        "different": one.differing.as_ref().map(differing),
        "bans": one.bans.iter().map(|ban| json!({
            "ban": ban.name, "games": ban.games, "turns": ban.turns,
            "share_of_games": estimate(Estimate::share(ban.games, one.games)),
        })).collect::<Vec<_>>(),
        "tiles": one.tiles.as_ref().map(events),
        "points_with_several_tiles": one.stacks,
        "hot_stones": one.hot_stones.as_ref().map(events),
    })
}

fn differing(difference: &DifferenceFrequency) -> Value {
    json!({
        "games": difference.games,
        "compared_games": difference.compared_games,
        "share_of_games": estimate(difference.share_of_games()),
        "turns": difference.turns,
        "compared_turns": difference.compared_turns,
        "share_of_turns": estimate(difference.share_of_turns),
        "example": difference.example.as_ref().map(|(file, number, turn)| json!({
            "file": file, "game": number, "turn": turn,
        })),
    })
}

fn events(events: &CorpusEvents) -> Value {
    let most = events.counts.last().copied().unwrap_or_default();
    let games: Vec<usize> = (0..=most)
        .map(|times| events.counts.iter().filter(|&&count| count == times).count())
        .collect();
    json!({
        "total": events.total,
        "games_by_number": games,
        "mean": estimate(events.mean),
        "median": estimate(events.median),
        "median_turn_of_the_first": estimate(events.first_turn),
    })
}

fn estimate(estimate: Option<Estimate>) -> Value {
    estimate.map_or(
        Value::Null,
        |Estimate { low, value, high }| json!({"low": low, "value": value, "high": high}),
    )
}
