//! Rule sets, points and moves as text: what is written can be read back, and what makes no
//! sense is refused by name.

#![allow(clippy::unwrap_used, missing_docs)]

use engine::{
    Ban, Ending, Family, Komi, Move, Point, Repetition, Rules, RulesError, Size, TileRule, Variant,
    actions,
};
use proptest::prelude::*;

/// Every field with values that it takes.
const VALUES: [(&str, &[&str]); 16] = [
    ("family", &["go", "alter-igo", "conquest"]),
    ("captures", &["allowed", "forbidden"]),
    ("ban", &["none", "incursion", "minimal-incursion", "stoical"]),
    ("capture_goal", &["0", "1", "999"]),
    ("stones_per_turn", &["1", "2", "4"]),
    (
        "repetition",
        &["none", "simple", "positional-superko", "situational-superko", "draw", "hot-stone"],
    ),
    ("suicide", &["true", "false"]),
    ("tiles", &["none", "tile", "cushion"]),
    ("tile_limit", &["1", "2", "9"]),
    ("end", &["area", "prisoner-return", "no-pass"]),
    ("passes_to_end", &["2", "3"]),
    ("komi", &["0", "6.5", "-3", "0.5", "-400"]),
    ("max_cycle", &["2", "4", "6", "8", "10"]),
    ("white_passes", &["0", "3", "1000"]),
    ("scoring", &["territory", "pure"]),
    ("max_moves", &["1", "60000", "77"]),
];

/// Some fields in any order, each with one of its values.
fn changes() -> impl Strategy<Value = Vec<(&'static str, &'static str)>> {
    let field = prop::sample::select(VALUES.to_vec())
        .prop_flat_map(|(name, values)| (Just(name), prop::sample::select(values)));
    prop::collection::vec(field, 0..6).prop_map(|mut changes| {
        let mut seen = Vec::new();
        changes.retain(|(name, _)| {
            let is_new = !seen.contains(name);
            seen.push(*name);
            is_new
        });
        changes
    })
}

fn written(variant: Variant, changes: &[(&str, &str)]) -> String {
    let changes: Vec<String> =
        changes.iter().map(|(name, value)| format!(",{name}={value}")).collect();
    format!("{variant}{}", changes.concat())
}

/// The value that a field has after the changes, or the variant's own.
fn chosen<T>(changes: &[(&str, &str)], field: &str, own: T, read: impl Fn(&str) -> T) -> T {
    let given = changes.iter().find(|(name, _)| *name == field);
    given.map_or(own, |(_, value)| read(value))
}

/// The changes to fields that the changed rules do not use.
fn meaningless(variant: Variant, changes: &[(&'static str, &'static str)]) -> Vec<&'static str> {
    let own = variant.rules(9).unwrap();
    let family = chosen(changes, "family", own.family, |value| match value {
        "go" => Family::Go,
        "alter-igo" => Family::AlterIgo,
        _ => Family::Conquest,
    });
    let go = family == Family::Go;
    let end = chosen(changes, "end", own.end, |value| match value {
        "area" => Ending::Area,
        "prisoner-return" => Ending::PrisonerReturn,
        _ => Ending::NoPass,
    });
    let tiled = chosen(changes, "tiles", own.tiles != TileRule::None, |value| value != "none");
    let (hot, compared) = match changes.iter().find(|(name, _)| *name == "repetition") {
        Some((_, value)) => {
            (*value == "hot-stone", matches!(*value, "none" | "positional-superko"))
        }
        None => (
            own.repetition == Repetition::HotStone,
            matches!(own.repetition, Repetition::None | Repetition::PositionalSuperko),
        ),
    };
    let banned = chosen(changes, "ban", own.ban != Ban::None, |value| value != "none");
    let has_meaning = |&(name, value): &(&str, &str)| match name {
        "captures" | "ban" | "repetition" | "suicide" | "capture_goal" | "tiles" | "end" => go,
        "stones_per_turn" => go && compared && !banned && !tiled && end != Ending::PrisonerReturn,
        "passes_to_end" => go && end == Ending::Area,
        "tile_limit" => go && tiled,
        "max_cycle" => go && hot,
        "komi" => match family {
            Family::Go => end != Ending::NoPass || value == "0",
            Family::AlterIgo => value == "0",
            Family::Conquest => true,
        },
        "white_passes" => family == Family::AlterIgo,
        "scoring" => family == Family::Conquest,
        _ => true,
    };
    changes.iter().filter(|change| !has_meaning(change)).map(|(name, _)| *name).collect()
}

fn variant() -> impl Strategy<Value = Variant> {
    prop::sample::select(Variant::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn consistent_rules_are_read_and_written(variant in variant(), changes in changes(), size in 2..=19_u8) {
        let text = written(variant, &changes);
        let refused = meaningless(variant, &changes);
        match Rules::parse(&text, size) {
            Ok(rules) => {
                prop_assert!(refused.is_empty(), "{text}: {refused:?} mean nothing");
                let again = Rules::parse(&rules.to_string(), size);
                prop_assert_eq!(again, Ok(rules), "{} became {}", text, rules);
                let fields = rules.fields();
                for (name, value) in &changes {
                    let is_kept = fields.iter().any(|(field, kept)| field == name && kept == value);
                    prop_assert!(is_kept || *name == "komi", "{text}: {name} in {fields:?}");
                }
                // Whatever is listed can be parsed.
                let listed: Vec<(&str, &str)> =
                    fields.iter().map(|(field, value)| (*field, value.as_str())).collect();
                prop_assert_eq!(Rules::parse(&written(variant, &listed), size), Ok(rules));
            }
            Err(error) => {
                let named = refused.iter().any(|field| error.to_string().starts_with(field));
                prop_assert!(named, "{text}: {error}, but {refused:?} mean nothing");
                let is_unused = matches!(error, RulesError::Unused { .. });
                prop_assert!(is_unused, "{text}: {error}");
            }
        }
    }

    #[test]
    fn komi_and_the_move_limit_leave_a_variant_what_it_is(
        variant in variant(), halves in -800..=800_i16, limit in 1..=60_000_u16, size in 2..=19_u8,
    ) {
        let komi = f32::from(halves) / 2.0;
        let has_komi = variant.rules(9).unwrap().has_komi();
        let komi = if has_komi { format!(",komi={komi}") } else { String::new() };
        let rules = Rules::parse(&format!("{variant}{komi},max_moves={limit}"), size).unwrap();
        prop_assert_eq!(rules.variant(), Some(variant));
        prop_assert_eq!(rules.kind_hash(), variant.rules(7).unwrap().kind_hash());
        if has_komi {
            prop_assert_eq!(Some(rules.komi), Komi::new(f32::from(halves) / 2.0));
        }
    }

    #[test]
    fn bad_values_are_refused_with_the_field(variant in variant(), field in prop::sample::select(VALUES.to_vec())) {
        let (name, _) = field;
        for value in ["", "maybe", "-1.25", "99999", "1.3", "nan"] {
            let error = Rules::parse(&format!("{variant},{name}={value}"), 9).unwrap_err();
            let is_value = matches!(error, RulesError::Value { .. });
            prop_assert!(is_value && error.to_string().starts_with(name), "{name}={value}: {error}");
        }
        let twice = Rules::parse(&format!("{variant},{name}={0},{name}={0}", field.1[0]), 9);
        prop_assert!(twice.unwrap_err().to_string().starts_with(name));
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,30}", size in any::<u8>()) {
        let _ = Rules::parse(&text, size);
        let _ = Rules::parse(&format!("go,{text}"), size);
        if let Ok(chosen) = text.parse::<Move>() {
            prop_assert!(chosen.to_string().eq_ignore_ascii_case(&text));
        }
    }

    #[test]
    fn sizes_off_the_range_are_refused(variant in variant(), size in prop_oneof![0..2_u8, 20..=255_u8]) {
        prop_assert_eq!(variant.rules(size), Err(RulesError::Size(size.into())));
        prop_assert_eq!(Rules::parse(variant.name(), size), Err(RulesError::Size(size.into())));
    }
}

#[test]
fn every_move_is_read_as_written() {
    for size in ["2", "3x4", "9", "19x2", "19"].map(|size| size.parse::<Size>().unwrap()) {
        for action in 0..actions(size) {
            let written = Move::from_action(action, size).unwrap();
            assert_eq!(written.action(size), action);
            for text in [written.to_string(), written.to_string().to_lowercase()] {
                assert_eq!(text.parse(), Ok(written), "{text}");
            }
        }
        assert_eq!(Move::from_action(actions(size), size), None);
    }
}

#[test]
fn texts_that_are_no_move() {
    for text in
        ["", "D", "4", "I4", "D0", "D20", "D04", "U1", "D4**", "*", "D 4", "pass*", "D4x", "Ä1"]
    {
        assert!(text.parse::<Move>().is_err(), "'{text}'");
        assert!(text.parse::<Point>().is_err(), "'{text}'");
    }
}

#[test]
fn near_words_are_suggested() {
    for (text, suggestion) in
        [("cushoin", "cushion"), ("go,komy=1", "komi"), ("hotstone", "hot-stone")]
    {
        let error = Rules::parse(text, 9).unwrap_err().to_string();
        assert!(error.contains(&format!("did you mean '{suggestion}'?")), "{error}");
    }
    for text in ["go,time=1", "go,stones=2"] {
        let error = Rules::parse(text, 9).unwrap_err();
        assert!(matches!(error, RulesError::Unknown { nearest: None, .. }), "{error}");
    }
    assert!(matches!(Rules::parse("go,komi", 9), Err(RulesError::Syntax(_))));
}
