//! Several rule sets in one argument.

/// Rule sets separated by commas, each followed by its changes, which have an equals sign.
pub fn listed(text: &str) -> Vec<String> {
    let mut rule_sets: Vec<String> = Vec::new();
    for part in text.split(',') {
        match rule_sets.last_mut() {
            Some(last) if part.contains('=') => {
                last.push(',');
                last.push_str(part);
            }
            Some(_) | None => rule_sets.push(part.to_owned()),
        }
    }
    rule_sets
}

#[cfg(test)]
mod tests {
    #[test]
    fn changes_belong_to_the_rule_set_before_them() {
        let listed = super::listed("tile,tile_limit=2,end=area,go,stoical");
        assert_eq!(listed, ["tile,tile_limit=2,end=area", "go", "stoical"]);
    }
}
