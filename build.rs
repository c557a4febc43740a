//! Lets programs and tests find libtorch where it was built, with no environment variable, if the models of this build
//! have it. For every package whose programs or tests link `models`.

use std::env;

/// Where libtorch is, as `models` says it to the packages that depend on it.
const LIBTORCH: &str = "DEP_HOTSTONE_MODELS_LIBTORCH_LIB";

fn main() {
    println!("cargo:rerun-if-env-changed={LIBTORCH}");
    let libtorch = env::var(LIBTORCH).ok();
    if let Some(folder) = libtorch.filter(|_| env::var_os("CARGO_CFG_UNIX").is_some()) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
