//! Every configuration in the repository.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use engine::Variant;
use train::{Arms, RunConfig};

#[test]
fn every_configuration_reads_and_says_what_its_name_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let mut read = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        let config = RunConfig::load(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
        let name = path.file_stem().unwrap().to_str().unwrap();
        let name = name.strip_prefix("gpu-").unwrap_or(name);
        if name.starts_with("sizes-") {
            assert!(config.tables().unwrap().len() > 1, "{name}");
        } else if let Some((variant, size)) = name.rsplit_once('-') {
            let sizes: Vec<String> =
                config.tables().unwrap().iter().map(|(rules, _)| rules.size.to_string()).collect();
            assert_eq!(config.rules, variant, "{name}");
            assert_eq!(sizes, [size], "{name}");
        }
        read += 1;
    }
    assert!(read > 1);
}

#[test]
fn every_arm_of_an_ablation_is_a_configuration() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let config = RunConfig::load(&folder.join("go-9.toml"), &[]).unwrap();
    for entry in std::fs::read_dir(folder.join("ablation")).unwrap() {
        let arms = Arms::load(&entry.unwrap().path()).unwrap_or_else(|error| panic!("{error}"));
        assert!(arms.configurations(&config).unwrap().len() > 10);
    }
}

#[test]
fn every_variant_has_its_configurations() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    for variant in Variant::ALL {
        for size in [5, 7, 9] {
            let path = folder.join(format!("{variant}-{size}.toml"));
            assert!(path.exists(), "{} is missing", path.display());
        }
        let gpu = RunConfig::load(&folder.join(format!("gpu-{variant}-9.toml")), &[]).unwrap();
        assert!(gpu.overlap, "on a GPU self-play and learning go on at the same time");
    }
    for name in ["go-13", "go-19", "incursion-13", "incursion-19"] {
        assert!(folder.join(format!("{name}.toml")).exists(), "{name} is missing");
    }
}

#[test]
fn what_a_released_model_knows_of_fair_games_reads() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/released/universal");
    let beginning = train::Beginning::read(&model).unwrap_or_else(|error| panic!("{error}"));
    assert_ne!(*beginning.kinds(), train::Kinds::default());
}
