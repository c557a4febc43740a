//! Copies a model with its weights rounded to 16 bits, as the released ones are: `halve FROM TO`.

use std::path::Path;

use models::{StoredModel, model_folder};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [from, to] = arguments.as_slice() else {
        return Err("expected two folders: a model or a run, and where to write".into());
    };
    std::fs::create_dir_all(to)?;
    StoredModel::read(&model_folder(Path::new(from))?)?.save_halved(Path::new(to))?;
    Ok(())
}
