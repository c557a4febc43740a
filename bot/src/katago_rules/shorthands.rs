//! The names that KataGo knows, such as `chinese`.

use engine::KoRule;

/// What a name such as `chinese` stands for.
pub struct Shorthand {
    pub name: &'static str,
    pub ko: KoRule,
    pub suicide: bool,
    /// Whether the points are those of area scoring, with neither tax nor button.
    pub plain: bool,
}

const fn named(name: &'static str, ko: KoRule, suicide: bool, plain: bool) -> Shorthand {
    Shorthand { name, ko, suicide, plain }
}

/// The names that KataGo knows.
pub const SHORTHANDS: [Shorthand; 17] = [
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

/// The one of that name, however it is written: `Chinese_OGS`.
pub fn shorthand(name: &str) -> Option<&'static Shorthand> {
    let name = name.to_ascii_lowercase().replace(['_', ' '], "-");
    SHORTHANDS.iter().find(|shorthand| shorthand.name == name)
}
