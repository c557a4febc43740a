//! A model folder loads unchanged, or fails with one line.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::Path;

use common::{SMALL, network, positions, rules, server_settings};
use engine::Variant;
use models::{CARD, Card, ModelError, Network, Server, StoredModel, WEIGHTS, load, save};
use safetensors::SafeTensors;
use safetensors::tensor::TensorView;
use search::Evaluator;
use sha2::{Digest, Sha256};

fn saved(folder: &Path) -> Network {
    let network = network(1);
    save(folder, &network, &Card::new(&rules(5), &SMALL, 17)).unwrap();
    network
}

fn error(folder: &Path) -> ModelError {
    let error = load(folder, Some(&rules(5))).unwrap_err();
    assert_eq!(error.to_string().lines().count(), 1, "{error}");
    error
}

fn edit_card(folder: &Path, edit: impl Fn(&str) -> String) {
    let path = folder.join(CARD);
    let text = fs::read_to_string(&path).unwrap();
    let edited = edit(&text);
    assert_ne!(text, edited);
    fs::write(path, edited).unwrap();
}

#[test]
fn a_network_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let network = saved(folder.path());
    let again = load(folder.path(), Some(&rules(5))).unwrap();
    let positions = positions(5, 8);
    let positions: Vec<_> = positions.iter().collect();
    let evaluate = |network| {
        let server = Server::start(network, server_settings(1)).unwrap();
        server.client().evaluate(&positions).unwrap()
    };
    assert_eq!(evaluate(network), evaluate(again));
    let card = Card::load(folder.path()).unwrap();
    assert_eq!((card.training_step, card.sizes), (17, vec![rules(5).size]));
    let files: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(files.len(), 2, "temporary files are gone");
}

#[test]
fn a_halved_model_computes_nearly_the_same() {
    let (folder, halved) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let network = saved(folder.path());
    let stored = || StoredModel::read(folder.path()).unwrap();
    stored().save_halved(halved.path()).unwrap();
    let size = |folder: &Path| fs::metadata(folder.join(WEIGHTS)).unwrap().len();
    assert!(size(halved.path()) < size(folder.path()) * 6 / 10);
    let again = load(halved.path(), Some(&rules(5))).unwrap();
    let pairs = network.parameters().iter().zip(again.parameters());
    let apart = pairs.map(|(a, b)| (a - b).abs() / a.abs().max(1e-3));
    let furthest = apart.max_by(f32::total_cmp).unwrap();
    assert!(furthest > 0.0 && furthest < 1e-3, "{furthest}");
    assert_eq!(Card::load(halved.path()).unwrap().training_step, 17);
    // What is in 16 bits already stays as it is.
    let twice = tempfile::tempdir().unwrap();
    StoredModel::read(halved.path()).unwrap().save_halved(twice.path()).unwrap();
    let bytes = |folder: &Path| fs::read(folder.join(WEIGHTS)).unwrap();
    assert!(bytes(twice.path()) == bytes(halved.path()));
    let whole = fs::read(folder.path().join(WEIGHTS)).unwrap();
    fs::write(folder.path().join(WEIGHTS), &whole[1..]).unwrap();
    assert!(stored().save_halved(twice.path()).is_err());
    assert!(load(twice.path(), None).is_ok(), "nothing is written over it");
}

#[test]
fn missing_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(error(&folder.path().join("nowhere")), ModelError::Missing(_)));
    saved(folder.path());
    fs::remove_file(folder.path().join(WEIGHTS)).unwrap();
    assert!(matches!(error(folder.path()), ModelError::Missing(path) if path.ends_with(WEIGHTS)));
    let card = folder.path().join("card.toml");
    assert!(matches!(error(&card), ModelError::Missing(_)), "a file is no folder");
}

#[test]
fn every_truncation_and_bit_flip_is_found() {
    let folder = tempfile::tempdir().unwrap();
    saved(folder.path());
    let path = folder.path().join(WEIGHTS);
    let whole = fs::read(&path).unwrap();
    for length in [0, 1, 7, 8, 100, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(matches!(error(folder.path()), ModelError::Truncated { .. }));
    }
    for place in [0, 3, 9, 200, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (place % 8);
        fs::write(&path, &bytes).unwrap();
        assert!(matches!(error(folder.path()), ModelError::Damaged(_)));
    }
}

#[test]
fn other_games_and_sizes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    saved(folder.path());
    for variant in &Variant::ALL[1..] {
        let Ok(rules) = variant.rules(5) else { continue };
        let result = load(folder.path(), Some(&rules));
        assert!(matches!(result, Err(ModelError::OtherRules { .. })), "{}", variant.name());
    }
    let result = load(folder.path(), Some(&rules(7)));
    assert!(matches!(result, Err(ModelError::UnknownSize { .. })));
    assert!(load(folder.path(), None).is_ok());
}

#[test]
fn inputs_are_known_by_name() {
    let folder = tempfile::tempdir().unwrap();
    saved(folder.path());
    edit_card(folder.path(), |text| text.replace("own hot stones", "own lukewarm stones"));
    assert!(matches!(
        error(folder.path()),
        ModelError::UnknownInput { input, .. } if input == "own lukewarm stones"
    ));
}

/// Makes saved weights ones of the named planes, each of which has the weights of a plane before, or none.
fn replace_planes(folder: &Path, planes: &[&str], before: impl Fn(usize) -> Option<usize>) {
    let bytes = fs::read(folder.join(WEIGHTS)).unwrap();
    let tensors = SafeTensors::deserialize(&bytes).unwrap();
    let stem = tensors.tensor("stem.weight").unwrap();
    let (outputs, each) = (stem.shape()[0], stem.data().len() / stem.shape()[0] / stem.shape()[1]);
    let weights = |output: usize, plane: usize| {
        let nothing = vec![0; each];
        let place = |plane: usize| (output * stem.shape()[1] + plane) * each;
        before(plane).map_or(nothing, |it| stem.data()[place(it)..place(it) + each].to_vec())
    };
    let new: Vec<u8> = (0..outputs)
        .flat_map(|output| (0..planes.len()).flat_map(move |plane| weights(output, plane)))
        .collect();
    let shape = vec![outputs, planes.len(), stem.shape()[2], stem.shape()[3]];
    let replaced = TensorView::new(stem.dtype(), shape, &new).unwrap();
    let all = tensors.tensors().into_iter().map(|(name, tensor)| {
        let tensor = if name == "stem.weight" { replaced.clone() } else { tensor };
        (name, tensor)
    });
    let written = safetensors::serialize(all, None).unwrap();
    fs::write(folder.join(WEIGHTS), &written).unwrap();
    let mut card: toml::Table = fs::read_to_string(folder.join(CARD)).unwrap().parse().unwrap();
    card["inputs"]["planes"] = planes.to_vec().into();
    card["weights_bytes"] = (written.len() as i64).into();
    let digest: String =
        Sha256::digest(&written).iter().map(|byte| format!("{byte:02x}")).collect();
    card["weights_sha256"] = digest.into();
    fs::write(folder.join(CARD), card.to_string()).unwrap();
}

/// Weights made for some of the inputs, in another order, play as if the others did not exist.
#[test]
fn weights_for_other_inputs_play_as_before() {
    let saved_with = |planes: &[&str], before: &dyn Fn(usize) -> Option<usize>| {
        let folder = tempfile::tempdir().unwrap();
        saved(folder.path());
        replace_planes(folder.path(), planes, before);
        let inputs = Card::load(folder.path()).unwrap().inputs;
        assert_eq!(inputs.planes, planes);
        (folder.path().to_owned(), load(folder.path(), Some(&rules(5))).unwrap(), folder)
    };
    let last = engine::PLANES - 1;
    let (_, deaf, _folder) =
        saved_with(engine::PLANE_NAMES, &|plane| (plane != last).then_some(plane));
    let fewer: Vec<&str> = engine::PLANE_NAMES[..last].iter().rev().copied().collect();
    let (folder, older, _older) = saved_with(&fewer, &|plane| Some(last - 1 - plane));
    let positions = positions(5, 8);
    let positions: Vec<_> = positions.iter().collect();
    let evaluate = |network| {
        let server = Server::start(network, server_settings(1)).unwrap();
        server.client().evaluate(&positions).unwrap()
    };
    let expected = evaluate(deaf);
    let before = Card::load(&folder).unwrap();
    save(&folder, &older, &before).unwrap();
    assert_eq!(Card::load(&folder).unwrap().inputs, models::Inputs::all());
    assert_eq!(evaluate(older), expected);
    assert_eq!(evaluate(load(&folder, None).unwrap()), expected);
}

#[test]
fn bad_cards_are_errors() {
    let edits: [fn(&str) -> String; 8] = [
        |_| String::new(),
        |text| text.replace("sizes", "seizes"),
        |text| text.replace("sizes = [5]", "sizes = []"),
        |text| text.replacen("rules = \"", "rules = \"tlie,", 1),
        |text| text.replace("blocks = 2", "blocks = 2000000"),
        |text| text.replace("channels = 16", "channels = -16"),
        |text| text[..text.len() / 2].to_owned(),
        |text| text.replace("training_step = 17", "training_step = \"many\""),
    ];
    for edit in edits {
        let folder = tempfile::tempdir().unwrap();
        saved(folder.path());
        edit_card(folder.path(), edit);
        assert!(matches!(error(folder.path()), ModelError::BadCard { .. }));
    }
    let folder = tempfile::tempdir().unwrap();
    saved(folder.path());
    fs::write(folder.path().join(CARD), [0xff, 0xfe, 0]).unwrap();
    assert!(matches!(error(folder.path()), ModelError::BadCard { .. }));
    // A later version may describe what this one does not know.
    saved(folder.path());
    edit_card(folder.path(), |text| format!("weather = \"fine\"\n{text}"));
    let told = error(folder.path()).to_string();
    assert!(
        told.contains("`weather`") && told.contains("the program version that made it"),
        "{told}"
    );
}

#[test]
fn a_card_of_another_architecture_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    saved(folder.path());
    edit_card(folder.path(), |text| text.replace("channels = 16", "channels = 24"));
    assert!(matches!(error(folder.path()), ModelError::BadWeights { .. }));
}
