//! Many queries of every kind at once.

use std::collections::HashMap;

use engine::{Position, Variant};
use game::Game;
use search::evaluators::Scripted;
use serde_json::{Value, json};

use super::answers_by;
use super::common::Random;

/// What must come back for an id.
enum Expected {
    Error,
    /// For each turn that was asked for, the hash of the position.
    Turns(HashMap<u64, String>),
}

/// Some moves of a random game, and the positions after 0, 1, … of them.
fn random_game(variant: Variant, random: &mut Random) -> (Value, Vec<Position>) {
    let mut game = Game::new(variant.rules(5).unwrap());
    let (mut moves, mut positions) = (Vec::new(), vec![game.position().clone()]);
    for _ in 0..random.below(12) {
        let legal = game.position().legal_moves();
        // Conquest's announced choices are KataGo's clients' to send as they like.
        let Some(&played) = (!legal.is_empty()).then(|| &legal[random.below(legal.len())]) else {
            break;
        };
        let color = game.position().turn();
        game.play(played).unwrap();
        moves.push(json!([color.to_string(), played.to_string()]));
        positions.push(game.position().clone());
    }
    (json!(moves), positions)
}

fn mixed_queries(count: usize, variant: Variant) {
    let mut random = Random(7 + count as u64);
    let mut lines = String::new();
    let mut expected = HashMap::new();
    let mut nameless = 0;
    for index in 0..count {
        let id = format!("query {index}");
        let (moves, positions) = random_game(variant, &mut random);
        let mut turns: Vec<usize> = (0..positions.len()).filter(|_| random.below(4) == 0).collect();
        if turns.is_empty() {
            turns.push(positions.len() - 1);
        }
        let mut query = json!({"id": id, "moves": moves, "rules": variant.name(), "boardXSize": 5,
            "boardYSize": 5, "maxVisits": 1 + random.below(6), "priority": random.below(3),
            "analyzeTurns": turns});
        let hashes =
            turns.iter().map(|&turn| (turn as u64, format!("{:016X}", positions[turn].hash())));
        let mut wanted = Expected::Turns(hashes.collect());
        match random.below(10) {
            0 => {
                query["moves"] = json!([["B", "K9"]]);
                wanted = Expected::Error;
            }
            1 => {
                let text = query.to_string();
                lines += &text[..text.len() / 2];
                lines += "\n";
                nameless += 1;
                continue;
            }
            2 => {
                query["maxVisits"] = json!(-3);
                wanted = Expected::Error;
            }
            _ => {}
        }
        lines += &format!("{query}\n");
        expected.insert(id, wanted);
    }
    for answer in answers_by(variant.name(), &[5], Scripted { seed: 2 }, &lines) {
        let Some(id) = answer["id"].as_str() else {
            assert!(answer["error"].is_string());
            nameless -= 1;
            continue;
        };
        match expected.get_mut(id).unwrap_or_else(|| panic!("{id} was answered before")) {
            Expected::Error => {
                assert!(answer["error"].is_string(), "{answer}");
                expected.remove(id);
            }
            Expected::Turns(turns) => {
                let turn = answer["turnNumber"].as_u64().unwrap_or_else(|| panic!("{answer}"));
                let hash = turns.remove(&turn).unwrap_or_else(|| panic!("{id}: {turn} again"));
                assert_eq!(answer["rootInfo"]["thisHash"], hash, "{id} was mixed up");
            }
        }
    }
    assert_eq!(nameless, 0, "each line that is not JSON gets one error");
    for (id, left) in &expected {
        assert!(matches!(left, Expected::Turns(turns) if turns.is_empty()), "{id} was lost");
    }
}

#[test]
fn hundreds_of_queries_of_every_variant_are_neither_lost_nor_mixed_up() {
    for variant in Variant::ALL {
        mixed_queries(200, variant);
    }
}

#[test]
#[ignore = "takes a minute: see ARCHITECTURE.md, longer checks"]
fn ten_thousand_queries_are_neither_lost_nor_mixed_up() {
    mixed_queries(10_000, Variant::Incursion);
}
