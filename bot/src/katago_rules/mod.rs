//! Rules as named by KataGo's clients, and their counterparts here.
//!
//! Their vocabulary is that of Go: how positions are compared, suicide, and scoring. It can express
//! only a few of our rule sets; for the others, our own `variant` and `rules` keys name the rules.

mod keys;
mod mismatch;
mod requested;

pub use keys::go_name;
pub(crate) use keys::rules_json;
pub use mismatch::RulesMismatch;
pub(crate) use mismatch::plays;
pub(crate) use requested::{InterpretedRules, RequestedRules};

#[cfg(test)]
mod tests {
    use engine::{Rules, Variant};
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn every_rule_set_agrees_with_its_own_description_and_no_other() {
        for variant in Variant::ALL {
            let ours = variant.rules(9).unwrap();
            let described = rules_json(&ours);
            assert_eq!(described["variant"], variant.name());
            for given in Variant::ALL {
                let other = rules_json(&given.rules(9).unwrap());
                assert_eq!(
                    RequestedRules::read(&other).describes(&ours).is_ok(),
                    variant == given,
                    "{variant} {given}"
                );
                let named = RequestedRules::read(&json!(given.name())).describes(&ours);
                assert_eq!(named.is_ok(), variant == given, "{variant} {given}");
                assert!(named.is_ok() || named.unwrap_err().names_another);
            }
            assert!(
                RequestedRules::read(&described.to_string().into()).describes(&ours).is_ok(),
                "as text, too"
            );
        }
    }

    #[test]
    fn the_rules_of_other_programs_are_taken_only_where_they_are_ours() {
        let go = Variant::Go.rules(9).unwrap();
        assert!(RequestedRules::read(&json!("tromp-taylor")).describes(&go).is_ok());
        assert!(RequestedRules::read(&json!("Tromp-Taylor")).describes(&go).is_ok());
        let keys = json!({"ko": "POSITIONAL", "scoring": "AREA", "suicide": true, "tax": "NONE",
            "hasButton": false, "whiteHandicapBonus": "N-1"});
        assert!(RequestedRules::read(&keys).describes(&go).is_ok());
        for given in ["japanese", "chinese", "aga", "new-zealand", "no such rules", "{", "{}x"] {
            let refused = RequestedRules::read(&json!(given)).describes(&go).unwrap_err();
            assert!(!refused.names_another, "{given}");
            assert!(refused.to_string().ends_with("this model plays go"), "{refused}");
        }
        for given in [json!({"ko": "SIMPLE"}), json!({"scoring": "TERRITORY"}), json!(3)] {
            assert!(RequestedRules::read(&given).describes(&go).is_err(), "{given}");
        }
        let tile = Variant::Tile.rules(9).unwrap();
        let refused = RequestedRules::read(&keys).describes(&tile).unwrap_err().to_string();
        assert_eq!(
            refused,
            "rule 'ko' cannot be \"POSITIONAL\", it is \"SIMPLE\": this model plays tile"
        );
        let refused = RequestedRules::read(&json!({"ko": "SIMPLE"}))
            .describes(&tile)
            .unwrap_err()
            .to_string();
        assert!(refused.contains("\"variant\":\"tile\" can"), "{refused}");
    }

    #[test]
    fn whoever_plays_any_rules_takes_names_and_keys_for_what_they_mean() {
        let parse = |text: &str| Rules::parse(text, 9).unwrap();
        let (go, tile) = (parse("go"), parse("tile"));
        let kind = |given: Value, ours: &Rules| {
            RequestedRules::read(&given).interpret(ours).unwrap().rules.kind_hash()
        };
        for (name, same) in [
            ("tromp-taylor", "go"),
            ("chinese", "go,repetition=simple,suicide=false"),
            ("Chinese_OGS", "go,suicide=false"),
            ("aga", "go,repetition=situational-superko,suicide=false"),
            ("new-zealand", "go,repetition=situational-superko"),
            ("japanese", "go,repetition=simple,suicide=false"),
            ("stoical", "stoical"),
            ("tile,end=area", "tile,end=area"),
        ] {
            for ours in [go, tile] {
                assert_eq!(kind(json!(name), &ours), parse(same).kind_hash(), "{name}");
            }
        }
        assert_eq!(go_name(&go), Some("tromp-taylor"));
        assert_eq!(
            go_name(&RequestedRules::read(&json!("chinese")).interpret(&tile).unwrap().rules),
            Some("chinese")
        );
        assert_eq!(go_name(&tile), None);
        let counted =
            RequestedRules::read(&json!("japanese")).interpret(&go).unwrap().remark.unwrap();
        assert!(counted.contains("area"), "{counted}");
        assert_eq!(RequestedRules::read(&json!("chinese")).interpret(&go).unwrap().remark, None);

        let simple = json!({"ko": "SIMPLE", "scoring": "AREA", "suicide": false});
        assert_eq!(kind(simple, &go), kind(json!("chinese"), &tile));
        let one =
            |key: &str, value: &str| RequestedRules::of_key(key, value).change(&go).unwrap().rules;
        assert_eq!(one("suicide", "false").kind_hash(), kind(json!("chinese-ogs"), &go));
        assert_eq!(one("ko", "situational").kind_hash(), kind(json!("nz"), &go));
        assert_eq!(one("rules", "stoical"), parse("stoical"));
        assert_eq!(one("scoring", "AREA"), go);
        for variant in Variant::ALL {
            let rules = variant.rules(9).unwrap();
            let described = RequestedRules::read(&rules_json(&rules)).interpret(&go).unwrap();
            assert_eq!(described, InterpretedRules { rules, remark: None }, "{variant}");
        }
        for given in [json!({"scoring": "TERRITORY"}), json!("nonsense"), json!("{"), json!(3)] {
            let refused = RequestedRules::read(&given).interpret(&go).unwrap_err().to_string();
            assert!(refused.contains("available rules are tromp-taylor"), "{refused}");
            assert!(refused.contains("minimal-incursion"), "{refused}");
        }
        assert!(
            RequestedRules::of_key("ko", "POSITIONAL").change(&tile).is_err(),
            "tiles have no such key"
        );
        assert!(RequestedRules::of_key("ko", "ETERNAL").change(&go).is_err());
    }
}
