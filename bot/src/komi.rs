//! Komi as the rules play it.

use engine::{Komi, Rules};

/// The komi that is played if `komi` is asked for: none where the rules have none, and where it is
/// prisoners only whole ones, rounded as the rules say.
pub(crate) fn played_komi(rules: &Rules, komi: Komi) -> Komi {
    if !rules.has_komi() {
        return rules.komi;
    }
    if !rules.returns_prisoners() {
        return komi;
    }
    let [black, white] = komi.prisoners();
    Komi::points(white as i16 - black as i16)
}

/// Why [`played_komi`] is another one than was asked for, to follow "komi is 0, because".
pub(crate) fn why_other_komi(rules: &Rules) -> &'static str {
    match rules.has_komi() {
        true => "it is prisoners here, which are whole",
        false => "these rules have none",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn komi_is_whole_where_it_is_prisoners_and_none_where_there_is_none() {
        let played = |rules: &str, komi: f32| {
            let komi = Komi::new(komi).expect("a komi");
            played_komi(&Rules::parse(rules, 5).expect("rules"), komi).value()
        };
        for rules in ["tile", "cushion"] {
            let found = [6.5, 6.0, 0.5, -0.5, -6.5].map(|komi| played(rules, komi));
            assert_eq!(found, [6.0, 6.0, 0.0, 0.0, -6.0], "{rules}");
        }
        for rules in ["go", "conquest", "tile,end=area"] {
            assert_eq!(played(rules, 6.5), 6.5, "{rules}");
        }
        for rules in ["alter-igo", "nogo", "no-pass-go"] {
            assert_eq!(played(rules, 6.5), 0.0, "{rules}");
        }
    }
}
