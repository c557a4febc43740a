//! What happened in some games: without such counts a comparison could pass because no rule ever bound.

use std::collections::BTreeMap;

use engine::IllegalMove;

#[derive(Default)]
pub struct Events {
    /// Positions compared.
    pub positions: usize,
    counts: BTreeMap<String, usize>,
}

impl Events {
    pub fn count(&mut self, name: &str, times: usize) {
        if times > 0 {
            *self.counts.entry(name.to_owned()).or_default() += times;
        }
    }

    /// Counts a refused move by the name of the rule that refuses it, other than the obvious ones.
    pub fn refused(&mut self, error: IllegalMove) {
        if matches!(error, IllegalMove::Occupied(_) | IllegalMove::GameOver) {
            return;
        }
        let debug = format!("{error:?}");
        let name = debug.split('(').next().unwrap_or_default();
        self.count(&format!("refused {name}"), 1);
    }

    pub fn add(&mut self, other: &Events) {
        self.positions += other.positions;
        for (name, times) in &other.counts {
            self.count(name, *times);
        }
    }

    pub fn assert_occurred(&self, names: &[&str]) {
        let missing: Vec<_> =
            names.iter().filter(|&&name| !self.counts.contains_key(name)).collect();
        assert!(missing.is_empty(), "never seen: {missing:?}; seen: {self}");
    }
}

impl std::fmt::Display for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} positions", self.positions)?;
        self.counts.iter().try_for_each(|(name, times)| write!(f, ", {name} {times}"))
    }
}
