//! Examples of the variants, as games that can be stepped through.

use engine::{Color, Scene, Variant};
use game::Game;
use serde::Serialize;
use utoipa::ToSchema;

use crate::language::Language;
use crate::position::StepView;

/// A few moves that show what a variant's rule does.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ExampleView {
    /// The variant, as a new game names it.
    rules: String,
    /// The step at which the rule is about to act.
    opens: usize,
    /// What the last step shows.
    caption: String,
    /// From the start to the last move.
    steps: Vec<StepView>,
    /// A move that is illegal after the last step.
    refused: Option<RefusedView>,
}

/// A move that is illegal.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
struct RefusedView {
    #[serde(rename = "move")]
    played: String,
    /// Whose move it would be, which it is, and why it is illegal: a sentence.
    reason: String,
}

impl ExampleView {
    /// The example of every variant.
    pub fn all(language: &Language) -> Vec<ExampleView> {
        let example = |variant| ExampleView::of(variant, language);
        Variant::ALL.into_iter().filter_map(example).collect()
    }

    fn of(variant: Variant, language: &Language) -> Option<ExampleView> {
        let example = variant.about().example;
        let Scene { start, moves, before, after, refused } = example.play(variant)?;
        let opens = usize::from(before.turns() - start.turns());
        let mut game = Game::from_position(start);
        let mut steps = vec![StepView::of(&game, language)];
        for played in moves {
            game.play(played).ok()?;
            steps.push(StepView::of(&game, language));
        }
        let sentence = match after.turn() {
            Color::Black => "Black {move} is refused: {rule}",
            Color::White => "White {move} is refused: {rule}",
        };
        let refused = refused.map(|(played, rule)| {
            let rule = language.translate(&rule.to_string());
            let reason = language.say(sentence, &[("move", &played), ("rule", &rule)]);
            RefusedView { played: played.to_string(), reason }
        });
        let caption = language.translate(example.caption);
        Some(ExampleView { rules: variant.name().to_owned(), opens, caption, steps, refused })
    }
}

#[cfg(test)]
mod tests {
    use game::SgfRecord;
    use serde_json::json;

    use super::*;

    #[test]
    fn every_variant_has_an_example_to_step_through_and_to_play_on_from() {
        let examples = ExampleView::all(Language::english());
        assert_eq!(examples.len(), Variant::ALL.len());
        for (variant, example) in Variant::ALL.into_iter().zip(&examples) {
            assert_eq!(example.rules, variant.name());
            assert!(example.opens + 1 < example.steps.len(), "{variant}");
            for (turn, step) in example.steps.iter().enumerate() {
                let view = serde_json::to_value(step).unwrap();
                assert_eq!(view["turn"], turn, "{variant}");
                let record = SgfRecord::read_text(&step.sgf).unwrap();
                let again = Game::of_record(&record, record.own_rules().unwrap()).unwrap();
                let again =
                    serde_json::to_value(StepView::of(&again, Language::english())).unwrap();
                assert_eq!(again["state"], view["state"], "{variant} {turn}");
            }
            // The move that the caption calls forbidden is not among the legal moves, and a ban is
            // marked.
            if let Some(refused) = &example.refused {
                let last = serde_json::to_value(example.steps.last()).unwrap();
                let named = json!(refused.played);
                assert!(!last["state"]["legal"].as_array().unwrap().contains(&named), "{variant}");
                let owned = !last["state"]["owner"].is_null();
                let banned = last["banned"].as_array().unwrap().contains(&named);
                assert!(owned || banned, "{variant}: {last}");
            }
        }
    }
}
