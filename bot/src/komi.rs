//! Komi as the rules play it.

use engine::{Komi, Rules};

/// The komi that is played if `komi` is asked for: where it is prisoners, only whole ones, rounded
/// as the rules say.
pub(crate) fn played_komi(rules: &Rules, komi: Komi) -> Komi {
    if !rules.returns_prisoners() {
        return komi;
    }
    let [black, white] = komi.prisoners();
    Komi::points(white as i16 - black as i16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_where_komi_is_prisoners_it_is_whole() {
        let played = |rules: &str, komi: f32| {
            let komi = Komi::new(komi).expect("a komi");
            played_komi(&Rules::parse(rules, 5).expect("rules"), komi).value()
        };
        for rules in ["tile", "cushion"] {
            let found = [6.5, 6.0, 0.5, -0.5, -6.5].map(|komi| played(rules, komi));
            assert_eq!(found, [6.0, 6.0, 0.0, 0.0, -6.0], "{rules}");
        }
        for rules in ["go", "conquest", "alter-igo", "tile,end=area"] {
            assert_eq!(played(rules, 6.5), 6.5, "{rules}");
        }
    }
}
