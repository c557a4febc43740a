//! Every configuration in the repository.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use engine::Variant;
use train::{Arms, RunConfig, standard_names};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs")
}

/// A standard configuration, under the rules of a variant.
fn standard(name: &str, variant: Variant) -> RunConfig {
    let config = RunConfig::find(Path::new(name), &[format!("rules={variant}")]);
    config.unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_file_is_a_standard_configuration() {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<String> = files
        .filter(|path| path.is_file())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let mut names: Vec<&str> = standard_names().collect();
    files.sort();
    names.sort_unstable();
    assert_eq!(files, names);
}

#[test]
fn every_standard_configuration_teaches_every_variant() {
    for (name, variant) in
        standard_names().flat_map(|name| Variant::ALL.map(|variant| (name, variant)))
    {
        let config = standard(name, variant);
        assert_eq!(config.rules, variant.to_string(), "{name}");
        assert_eq!(config.overlap, name.starts_with("gpu-"), "on a GPU play and learning overlap");
        let sizes: Vec<String> =
            config.tables().unwrap().iter().map(|(rules, _)| rules.size.to_string()).collect();
        let size = name.rsplit('-').next().unwrap_or_default();
        if size.parse::<u8>().is_ok() {
            assert_eq!(sizes, [size], "{name}");
        }
    }
}

#[test]
fn a_variant_with_a_configuration_of_its_own_has_that() {
    let find = |rules: &str| {
        let config = RunConfig::find(Path::new("5"), &[format!("rules={rules}")]).unwrap();
        (config.self_play.komi_share, config.budget.minutes)
    };
    let general = find("tile");
    assert_eq!(find("go"), (0.7, Some(30.0)));
    assert_eq!(find("\"go,suicide=false\""), (0.7, Some(30.0)));
    assert_eq!(find("incursion"), (general.0, Some(20.0)));
    let own = RunConfig::find(Path::new("go-5"), &[]).unwrap();
    assert_eq!(own, standard("5", "go".parse().unwrap()));
    let file = folder().join("5.toml");
    let file = RunConfig::find(&file, &["rules=go".to_owned()]).unwrap();
    assert_eq!(file.self_play.komi_share, general.0, "a file is taken as it stands");
}

#[test]
fn unknown_names_and_missing_rules_are_refused() {
    let error = |name: &str| RunConfig::find(Path::new(name), &[]).unwrap_err().to_string();
    assert!(error("tile-9").contains("expected 5, go-5, "), "{}", error("tile-9"));
    assert_eq!(error("9"), "the configuration leaves the rules open: none were given");
    assert!(error("nowhere/9.toml").starts_with("cannot read nowhere/9.toml"));
}

#[test]
fn every_arm_of_an_ablation_is_a_configuration() {
    let config = standard("9", Variant::ALL[0]);
    for entry in std::fs::read_dir(folder().join("ablation")).unwrap() {
        let arms = Arms::load(&entry.unwrap().path()).unwrap_or_else(|error| panic!("{error}"));
        assert!(arms.configurations(&config).unwrap().len() > 10);
    }
}

#[test]
fn what_a_released_model_knows_of_fair_games_reads() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/released/universal");
    let starting_model =
        train::StartingModel::read(&model).unwrap_or_else(|error| panic!("{error}"));
    assert_ne!(*starting_model.kinds(), train::Kinds::default());
}
