//! Models embedded in the program: `models/released/<variant>-<size>` when it was built, and
//! `models/released/universal`, which plays what none of the others has learnt.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use engine::{Rules, Size, Variant};
use models::{Card, ModelError, StoredModel};

/// A released model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Released {
    /// Its variant and size, `tile-7`, or `universal`.
    pub name: &'static str,
    card: &'static [u8],
    weights: &'static [u8],
    /// The table of its run's kinds of games.
    #[cfg(feature = "train")]
    pub kinds: Option<&'static str>,
}

/// Every released model, in the order of their names. A constant would put its megabytes into the program wherever it is used.
pub static ALL: &[Released] = &include!(concat!(env!("OUT_DIR"), "/released.rs"));

impl Released {
    /// The model's card.
    pub fn card(&self) -> Result<Card, ModelError> {
        Card::read(&self.folder(), self.card)
    }

    /// The stored model.
    pub fn stored(&self) -> Result<StoredModel, ModelError> {
        StoredModel::built_in(self.folder(), self.card, self.weights)
    }

    /// Its place, for errors.
    fn folder(&self) -> PathBuf {
        PathBuf::from("released").join(self.name)
    }

    fn variant_and_size(&self) -> Option<(&'static str, Size)> {
        let (variant, size) = self.name.rsplit_once('-')?;
        Some((variant, size.parse().ok()?))
    }
}

/// The released model of this name.
pub fn named(name: &Path) -> Option<&'static Released> {
    ALL.iter().find(|released| Path::new(released.name) == name)
}

/// All names, for messages.
pub fn names() -> String {
    ALL.iter().map(|released| released.name).collect::<Vec<_>>().join(", ")
}

/// The released model of a variant, for a size or the largest there is.
pub fn of_variant(variant: &str, size: Option<Size>) -> Result<&'static Released> {
    choose(ALL, variant, size)
}

/// The released model that plays these rules on their size: one that has learnt nothing else, or the universal one.
pub fn playing(rules: &Rules) -> Option<&'static Released> {
    let plays =
        |released: &&Released| released.card().is_ok_and(|card| fits(&card, released, rules));
    ALL.iter().find(plays)
}

fn fits(card: &Card, released: &Released, rules: &Rules) -> bool {
    card.check(&released.folder(), Some(rules)).is_ok()
}

fn choose<'a>(models: &'a [Released], variant: &str, size: Option<Size>) -> Result<&'a Released> {
    let fitting = models.iter().filter_map(|model| {
        let (name, its_size) = model.variant_and_size()?;
        (name == variant && size.is_none_or(|size| size == its_size)).then_some((its_size, model))
    });
    if let Some((_, model)) = fitting.max_by_key(|(size, _)| *size) {
        return Ok(model);
    }
    let known = Variant::ALL.iter().any(|known| known.name() == variant);
    let there = match models {
        [] => "no model is released".to_owned(),
        models => {
            let names: Vec<&str> = models.iter().map(|model| model.name).collect();
            format!("released models are {}", names.join(", "))
        }
    };
    let board = size.map(|size| format!(" on {size:#}")).unwrap_or_default();
    if !known {
        bail!("unknown variant '{variant}': {there}");
    }
    let side = size.map_or("SIZE".to_owned(), |size| size.to_string());
    bail!(
        "no released model of '{variant}'{board}: {there}; without a model, play it with --rules {variant} \
         --size {side}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn empty(name: &'static str) -> Released {
        Released {
            name,
            card: b"",
            weights: b"",
            #[cfg(feature = "train")]
            kinds: None,
        }
    }

    #[test]
    fn the_universal_model_plays_what_no_other_has_learnt() {
        let player = |text: &str, size: u8| {
            playing(&Rules::parse(text, size).expect(text)).map(|released| released.name)
        };
        assert_eq!(player("tile", 7), Some("tile-7"));
        for text in ["tile,tile_limit=2", "stoical,tiles=cushion", "nogo", "go,stones_per_turn=2"] {
            assert_eq!(player(text, 6), Some("universal"), "{text}");
        }
        assert_eq!(player("tile", 9), Some("universal"));
        assert_eq!(player("tile", 10), None);
    }

    #[test]
    fn models_are_found_by_variant_and_size() {
        let models = ["draft-x", "minimal-incursion-7", "tile-11", "tile-5"].map(empty);
        let found = |variant, size| {
            let model = choose(&models, variant, size);
            model.map(|model| model.name).map_err(|error| error.to_string())
        };
        assert_eq!(found("tile", None), Ok("tile-11"), "the largest, not the last by name");
        let square = |side: u8| Size::try_from(side).ok();
        assert_eq!(found("tile", square(5)), Ok("tile-5"));
        assert_eq!(found("minimal-incursion", square(7)), Ok("minimal-incursion-7"));
        let problem = found("tile", square(7)).expect_err("there is none");
        assert!(
            problem.contains("'tile' on 7×7") && problem.contains("tile-11, tile-5"),
            "{problem}"
        );
        assert!(problem.contains("--rules tile --size 7"), "{problem}");
        assert!(found("tiles", None).expect_err("no variant").contains("unknown variant 'tiles'"));
    }

    #[test]
    fn every_variant_has_a_model_in_the_program_that_is_whole() {
        assert!(ALL.len() >= 10);
        for released in ALL {
            let Some((variant, _)) = released.variant_and_size() else { continue };
            let variant: Variant = variant.parse().expect("a variant");
            let card = released.card().expect("a card");
            let size = card.sizes.last().copied().expect("a size");
            let rules = variant.rules(size).expect("rules");
            assert!(playing(&rules).is_some_and(|found| found.name == released.name), "{variant}");
            assert!(released.stored().expect("stored").network(Some(&rules)).is_ok(), "{variant}");
            let larger = variant.rules(10).expect("rules");
            assert!(playing(&larger).is_none(), "{variant}");
        }
    }
}
