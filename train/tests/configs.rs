//! Every configuration in the repository.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use train::RunConfig;

#[test]
fn every_configuration_reads_and_says_what_its_name_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../configs");
    let mut read = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let config = RunConfig::load(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
        let name = path.file_stem().unwrap().to_str().unwrap();
        if let Some((variant, size)) = name.rsplit_once('-') {
            assert_eq!(config.rules, variant, "{name}");
            assert_eq!(config.size.to_string(), size, "{name}");
        }
        read += 1;
    }
    assert!(read > 1);
}
