//! Lets programs and tests find libtorch at the location it was built against without an
//! environment variable, if the models of this build use it. Used by every package whose programs
//! or tests link `models`.

use std::env;

/// The location of libtorch, as passed by `models` to packages that depend on it.
const LIBTORCH: &str = "DEP_HOTSTONE_MODELS_LIBTORCH_LIB";

fn main() {
    println!("cargo:rerun-if-env-changed={LIBTORCH}");
    let libtorch = env::var(LIBTORCH).ok();
    if let Some(folder) = libtorch.filter(|_| env::var_os("CARGO_CFG_UNIX").is_some()) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
