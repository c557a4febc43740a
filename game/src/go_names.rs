//! The names by which players and programs know rules of Go, such as `Japanese`.

use engine::{KoRule, Rules, Size};

/// The rules that a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoName {
    /// The name, in lower case with hyphens.
    pub name: &'static str,
    /// How the rules forbid repetition.
    pub ko: KoRule,
    /// Whether suicide is legal.
    pub suicide: bool,
    /// Whether points are counted by area, with neither tax nor button.
    pub counts_area: bool,
}

const fn named(name: &'static str, ko: KoRule, suicide: bool, counts_area: bool) -> GoName {
    GoName { name, ko, suicide, counts_area }
}

/// The names that KataGo knows.
pub const GO_NAMES: [GoName; 17] = [
    named("tromp-taylor", KoRule::Positional, true, true),
    named("chinese", KoRule::Simple, false, true),
    named("chinese-ogs", KoRule::Positional, false, true),
    named("chinese-kgs", KoRule::Positional, false, true),
    named("japanese", KoRule::Simple, false, false),
    named("korean", KoRule::Simple, false, false),
    named("stone-scoring", KoRule::Simple, false, false),
    named("ancient-territory", KoRule::Simple, false, false),
    named("ancient-area", KoRule::Simple, false, false),
    named("aga", KoRule::Situational, false, true),
    named("bga", KoRule::Situational, false, true),
    named("french", KoRule::Situational, false, true),
    named("aga-button", KoRule::Situational, false, false),
    named("new-zealand", KoRule::Situational, true, true),
    named("nz", KoRule::Situational, true, true),
    named("goe", KoRule::Positional, true, true),
    named("ing", KoRule::Positional, true, true),
];

impl GoName {
    /// Looks a name up regardless of case and separators: `Chinese_OGS`.
    pub fn find(text: &str) -> Option<&'static GoName> {
        let name = text.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        GO_NAMES.iter().find(|known| known.name == name)
    }

    /// The nearest rules with area scoring, without komi.
    pub fn rules(&self, size: Size) -> Rules {
        Rules::plain_go(size, self.ko, self.suicide)
    }

    /// How these rules differ from what users mean by the name; `None` if they do not.
    pub fn remark(&self) -> Option<String> {
        let name = self.name;
        (!self.counts_area)
            .then(|| format!("the counting of '{name}' is not played here, but area in its place"))
    }
}
