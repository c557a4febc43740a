//! Lays out explanations of rule sets. The words come from the engine.

use std::fmt::Write;

use engine::Choice;
use engine::{Rules, Scene, Variant};

use crate::diagram::{board, symbols};

/// Maximum line length in characters.
const WIDTH: usize = 96;

/// Every variant with its one-line description.
pub fn list_variants() -> String {
    let mut text = String::new();
    for variant in Variant::ALL {
        push_entry(&mut text, variant.name(), 18, variant.about().line);
    }
    text
}

/// Every part of a rule set with its possible values, and how a rule set is written.
pub fn list_parts() -> String {
    let mut text = String::new();
    for part in Rules::every_part() {
        push_entry(&mut text, part.field, 16, part.about);
        for Choice { word, meaning } in part.values {
            push_entry(&mut text, &format!("  {word}"), 24, meaning);
        }
    }
    push_line(
        &mut text,
        "\nA rule set is a variant's name, and changes to it: cushion,end=area,komi=6.5",
    );
    text
}

/// One rule set: the description and example of a named variant, and the parts of any rule set.
pub fn explain(rules: &Rules) -> String {
    let mut text = String::new();
    match rules.variant() {
        Some(variant) => push_variant(&mut text, variant),
        None => push_line(&mut text, &format!("{rules}: a rule set made of parts")),
    }
    push_line(&mut text, &format!("\nParts, on {:#}:", rules.size));
    for part in rules.parts().into_iter().filter(|part| !part.is_plain) {
        push_entry(&mut text, &format!("  {}={}", part.field, part.value), 32, &part.meaning);
    }
    if let Some(variant) = rules.variant() {
        push_decisions(&mut text, variant);
        if let Some(scene) = variant.about().example.play(variant) {
            push_scene(&mut text, &scene, variant.about().example.caption);
        }
    }
    text
}

fn push_variant(text: &mut String, variant: Variant) {
    let about = variant.about();
    push_line(text, &format!("{} ({variant})", about.title));
    push_line(text, &format!("By {}. Source: {}\n", about.inventor, about.source));
    push_entry(text, "", 0, about.rule);
}

fn push_decisions(text: &mut String, variant: Variant) {
    let decisions = variant.about().decisions;
    if decisions.is_empty() {
        return;
    }
    push_line(text, "\nDecided here, where the source leaves it open:");
    for decision in decisions {
        push_entry(text, "  -", 4, decision);
    }
}

/// Adds the boards side by side, and the caption.
fn push_scene(text: &mut String, scene: &Scene, caption: &str) {
    push_line(text, &format!("\nExample ({}):", symbols(scene.after.rules())));
    let [left, right] = [&scene.before, &scene.after].map(board);
    let width = left.lines().map(|line| line.chars().count()).max().unwrap_or(0) + 6;
    for (before, after) in left.lines().zip(right.lines()) {
        push_line(text, format!("  {before:<width$}{after}").trim_end());
    }
    push_entry(text, "", 0, caption);
    if let Some((refused, rule)) = scene.refused {
        let player = scene.after.turn().name();
        push_entry(text, "", 0, &format!("{player} {refused} is refused: {rule}"));
    }
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

/// Adds a word, and its explanation in a column that begins after `indent` characters.
fn push_entry(text: &mut String, word: &str, indent: usize, explanation: &str) {
    let mut line = format!("{word:<indent$}");
    let mut is_start = true;
    for next in explanation.split_whitespace() {
        let length = line.chars().count() + 1 + next.chars().count();
        if !is_start && length > WIDTH {
            push_line(text, line.trim_end());
            line = " ".repeat(indent);
            is_start = true;
        }
        // Writing to a String cannot fail.
        let _ = write!(line, "{}{next}", if is_start && line.len() <= indent { "" } else { " " });
        is_start = false;
    }
    push_line(text, line.trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_is_explained_with_an_example() {
        for variant in Variant::ALL {
            let text = explain(&variant.rules(9).expect("a size that every variant has"));
            for part in ["Parts, on 9×9", "Example", variant.about().inventor] {
                assert!(text.contains(part), "{variant} has no {part}:\n{text}");
            }
            let has_decisions = !variant.about().decisions.is_empty();
            assert_eq!(text.contains("Decided here"), has_decisions, "{variant}:\n{text}");
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
            assert!(list_variants().contains(variant.name()));
        }
    }

    #[test]
    fn own_rule_sets_are_explained_by_their_parts() {
        let rules = Rules::parse("tile,end=area,tile_limit=2", 7).expect("rules");
        let text = explain(&rules);
        assert!(
            text.starts_with("tile,tile_limit=2,end=area: a rule set made of parts\n"),
            "{text}"
        );
        assert!(text.contains("  tile_limit=2 ") && !text.contains("Example"), "{text}");
        assert!(list_parts().contains("  cushion "));
    }

    #[test]
    fn an_incursion_is_refused_in_these_words() {
        let variant = Variant::ALL.into_iter().find(|variant| variant.name() == "incursion");
        let text = explain(&variant.expect("a variant").rules(9).expect("rules"));
        let words = "your opponent's last move was an incursion, and so would this be";
        assert!(text.contains(words), "{text}");
    }
}
