//! The models embedded in the program: one that plays all variants and most combinations of their
//! parts, its predecessor, and a small one for the weak levels.

use std::path::{Path, PathBuf};

use anyhow::Result;
use bot::SupportedRules;
use engine::Rules;
use models::{Card, ModelError, StoredModel};

/// A released model.
#[derive(PartialEq, Eq)]
pub struct Released {
    /// Its name, usable wherever a model is named.
    pub name: &'static str,
    card: &'static [u8],
    weights: &'static [u8],
    /// The table of its run's kinds of games.
    #[cfg(feature = "train")]
    pub kinds: Option<&'static str>,
}

/// The strongest model; it has learnt all named variants and combinations of their parts.
pub static UNIVERSAL: Released = Released {
    name: "universal",
    card: include_bytes!("../models/released/universal/card.toml"),
    weights: include_bytes!("../models/released/universal/weights.safetensors"),
    #[cfg(feature = "train")]
    kinds: Some(include_str!("../models/released/universal/kinds.toml")),
};

/// The previous universal model: the laboratory's second opinion.
pub static EARLIER: Released = Released {
    name: "earlier",
    card: include_bytes!("../models/released/earlier/card.toml"),
    weights: include_bytes!("../models/released/earlier/weights.safetensors"),
    #[cfg(feature = "train")]
    kinds: None,
};

/// A small model that has learnt the same rules for a few minutes: see
/// [`bot::EvaluatorChoice::Beginner`].
pub static BEGINNER: Released = Released {
    name: "beginner",
    card: include_bytes!("../models/released/beginner/card.toml"),
    weights: include_bytes!("../models/released/beginner/weights.safetensors"),
    #[cfg(feature = "train")]
    kinds: None,
};

impl Released {
    /// The model's card.
    pub fn card(&self) -> Result<Card, ModelError> {
        Card::read(&self.folder(), self.card)
    }

    /// The stored model.
    pub fn stored(&self) -> Result<StoredModel, ModelError> {
        StoredModel::built_in(self.folder(), self.card, self.weights)
    }

    /// The rules that it has learnt.
    pub fn learnt(&self) -> Result<SupportedRules> {
        let card = self.card()?;
        Ok(SupportedRules::learnt(&card.rules, &card.sizes, card.scope)?)
    }

    /// Whether it plays these rules on their size.
    pub fn plays(&self, rules: &Rules) -> bool {
        self.card().is_ok_and(|card| card.check(&self.folder(), Some(rules)).is_ok())
    }

    /// Its location in error messages.
    fn folder(&self) -> PathBuf {
        PathBuf::from("released").join(self.name)
    }
}

static ALL: [&Released; 3] = [&UNIVERSAL, &EARLIER, &BEGINNER];

/// The released model of this name.
pub fn named(name: &Path) -> Option<&'static Released> {
    ALL.into_iter().find(|released| Path::new(released.name) == name)
}

/// All names, for messages.
pub fn names() -> String {
    ALL.map(|released| released.name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Variant;

    #[test]
    fn both_have_learnt_every_variant_and_its_parts_on_small_boards() {
        for released in [&UNIVERSAL, &EARLIER, &BEGINNER] {
            for variant in Variant::ALL {
                for size in 3..=9 {
                    let rules = variant.rules(size).expect("a variant");
                    assert!(released.plays(&rules), "{} {variant} {size}", released.name);
                }
                let large = variant.rules(10).expect("a variant");
                assert!(!released.plays(&large), "{} {variant}", released.name);
            }
            for text in
                ["tile,tile_limit=2", "stoical,tiles=cushion", "nogo", "go,stones_per_turn=2"]
            {
                let rules = Rules::parse(text, 6).expect(text);
                assert!(released.plays(&rules), "{} {text}", released.name);
            }
        }
    }
}
