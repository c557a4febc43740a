//! What can be played here.

use bot::{EvaluatorChoice, Level, Strength};
use engine::{Choice, MAX_SIZE, Part, PartChoices, Rules, Size, Variant};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::catalogue::{Catalogue, Knowledge};
use crate::language::Language;
use crate::refusal::{Refusal, rules_error};
use crate::requests::affordable;
use crate::view::title;

/// The default board on which rule sets are shown.
const USUAL_SIZE: u8 = 9;

/// What can be played here.
#[derive(Debug, Serialize, ToSchema)]
pub struct Offer {
    variants: Vec<VariantView>,
    levels: Vec<LevelView>,
    /// The sides of boards on which people can play each other.
    sizes: Vec<u8>,
    usual_size: u8,
    /// The parts of rule sets.
    parts: Vec<PartChoicesView>,
    /// Whether two people can play by a link, each on a machine of their own.
    links: bool,
}

/// A part of rule sets, with its possible values.
#[derive(Debug, Serialize, ToSchema)]
struct PartChoicesView {
    field: String,
    /// What it decides.
    about: String,
    /// Its values; empty for a number.
    values: Vec<ValueView>,
}

/// A value of a part.
#[derive(Debug, Serialize, ToSchema)]
struct ValueView {
    value: String,
    meaning: String,
}

/// A rule set.
#[derive(Debug, Serialize, ToSchema)]
struct VariantView {
    /// The rules, as a new game names them.
    rules: String,
    title: String,
    /// A description in one line.
    line: String,
    /// The rule, in a few sentences.
    rule: String,
    /// Its inventor.
    inventor: Option<String>,
    /// Where the inventor's text is.
    source: Option<String>,
    /// Whether komi applies.
    komi: bool,
    /// The programs that play it, those with a network first.
    models: Vec<ModelView>,
}

/// A program that plays a rule set.
#[derive(Debug, Serialize, ToSchema)]
struct ModelView {
    name: String,
    #[schema(value_type = Vec<u8>)]
    sizes: Vec<Size>,
    /// Those on which a network that has learnt little plays its weak levels.
    #[schema(value_type = Vec<u8>)]
    beginner_sizes: Vec<Size>,
    /// Whether it uses a network; if not, random playouts.
    network: bool,
}

/// A text that may be a rule set.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// A variant's name, and changes to it: `tile`, `incursion,komi=6.5`, `cushion,end=area`.
    rules: String,
    /// Side of the board, or width and height as `3x4`.
    size: String,
}

/// The result of parsing a rule set: either `variant`, or the `reason` why it is invalid.
#[derive(Debug, Serialize, ToSchema)]
pub struct RulesExamination {
    /// The rule set; its `rules` are the canonical text.
    variant: Option<VariantView>,
    /// Its parts.
    parts: Vec<PartView>,
    /// The default program for it on this size; null where only people play.
    player: Option<String>,
    /// What is wrong with the text.
    reason: Option<String>,
}

/// A part of a rule set.
#[derive(Debug, Serialize, ToSchema)]
struct PartView {
    field: String,
    value: String,
    meaning: String,
}

/// A strength.
#[derive(Debug, Serialize, ToSchema)]
struct LevelView {
    level: u8,
    /// How it finds its moves, in words.
    manner: String,
    /// The same where a network that has learnt little plays the weak levels: see the
    /// `beginner_sizes` of programs.
    manner_with_beginner: String,
}

impl Offer {
    /// What a catalogue offers. `links` says whether people can play each other through a link.
    pub fn of(catalogue: &Catalogue, links: bool, language: &Language) -> Offer {
        let named = Variant::ALL.into_iter().filter_map(|variant| variant.rules(USUAL_SIZE).ok());
        let mut variants: Vec<VariantView> =
            named.map(|rules| VariantView::of(&rules, catalogue, language)).collect();
        for model in catalogue.models() {
            let Knowledge::Learnt(supported) = &model.knowledge else { continue };
            let rules = supported.first();
            let listed = Variant::ALL
                .into_iter()
                .filter_map(|variant| variant.rules(rules.size).ok())
                .any(|named| named.is_same_kind(&rules));
            if !listed && !variants.iter().any(|variant| variant.rules == rules.to_string()) {
                variants.push(VariantView::of(&rules, catalogue, language));
            }
        }
        let level = |level: Level| {
            let size = Size::try_from(USUAL_SIZE).ok()?;
            let told = |has_beginner| manner(level.strength(size, has_beginner), language);
            Some(LevelView {
                level: level.number(),
                manner: told(false),
                manner_with_beginner: told(true),
            })
        };
        Offer {
            variants,
            levels: Level::all().filter_map(level).collect(),
            sizes: (2..=MAX_SIZE as u8).collect(),
            usual_size: USUAL_SIZE,
            parts: Rules::every_part()
                .into_iter()
                .map(|part| PartChoicesView::of(part, language))
                .collect(),
            links,
        }
    }
}

impl Text {
    /// The meaning of a text as a rule set.
    pub fn examine(&self, catalogue: &Catalogue, language: &Language) -> RulesExamination {
        let parsed = self.size.parse::<Size>().and_then(|size| Rules::parse(&self.rules, size));
        let told = |problem| rules_error(&problem, language);
        let beyond = |refusal: Refusal| refusal.in_language(language);
        let rules = match parsed.map_err(told).and_then(|rules| affordable(rules).map_err(beyond)) {
            Ok(rules) => rules,
            Err(reason) => {
                let reason = Some(reason);
                return RulesExamination { variant: None, parts: Vec::new(), player: None, reason };
            }
        };
        let part = |Part { field, value, meaning, is_plain: _ }| PartView {
            field: field.to_owned(),
            value,
            meaning: language.translate(&meaning),
        };
        let player = catalogue.model_for(&rules).map(|index| catalogue.model(index).name.clone());
        RulesExamination {
            variant: Some(VariantView::of(&rules, catalogue, language)),
            parts: rules.parts().into_iter().map(part).collect(),
            player,
            reason: None,
        }
    }
}

impl PartChoicesView {
    fn of(part: PartChoices, language: &Language) -> PartChoicesView {
        let value = |choice: &Choice| ValueView {
            value: choice.word.to_owned(),
            meaning: language.translate(choice.meaning),
        };
        PartChoicesView {
            field: part.field.to_owned(),
            about: language.translate(part.about),
            values: part.values.iter().map(value).collect(),
        }
    }
}

impl VariantView {
    fn of(rules: &Rules, catalogue: &Catalogue, language: &Language) -> VariantView {
        let about = rules.variant().map(|variant| variant.about());
        let mut models: Vec<ModelView> = catalogue
            .models()
            .iter()
            .enumerate()
            .map(|(index, model)| ModelView {
                name: model.name.clone(),
                sizes: model.sizes(rules),
                beginner_sizes: catalogue.beginner_sizes(index, rules),
                network: model.has_network(),
            })
            .filter(|model| !model.sizes.is_empty())
            .collect();
        models.sort_by_key(|model| !model.network);
        VariantView {
            rules: rules.to_string(),
            title: title(rules, language),
            line: language.say(about.map_or("A rule set made of parts", |about| about.line), &[]),
            rule: about
                .map_or_else(|| in_words(rules, language), |about| language.translate(about.rule)),
            inventor: about.map(|about| language.say(about.inventor, &[])),
            source: about.map(|about| about.source.to_owned()),
            komi: rules.has_komi(),
            models,
        }
    }
}

/// How moves are found at a given strength, in words.
fn manner(strength: Strength, language: &Language) -> String {
    let Strength { evaluator, simulations, temperature } = strength;
    let words = match (evaluator, simulations) {
        (EvaluatorChoice::Beginner, _) if temperature > 0.7 => "plays like a beginner",
        (EvaluatorChoice::Beginner, _) => "plays like a beginner who takes care",
        (EvaluatorChoice::Model, 0) => "plays at a glance",
        (EvaluatorChoice::Model, _) => "looks at {count} positions a move",
    };
    language.say(words, &[("count", &simulations)])
}

/// The parts, with one sentence each.
fn in_words(rules: &Rules, language: &Language) -> String {
    let parts: Vec<String> = rules
        .parts()
        .into_iter()
        .map(|part| {
            format!("{} = {}: {}.", part.field, part.value, language.translate(&part.meaning))
        })
        .collect();
    parts.join(" ")
}
