//! Lets the program find libtorch where it was built, with no environment variable.

use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let libtorch = env::var("DEP_HOTSTONE_MODELS_LIBTORCH_LIB").ok();
    if let Some(folder) = libtorch.filter(|_| env::var_os("CARGO_CFG_UNIX").is_some()) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
