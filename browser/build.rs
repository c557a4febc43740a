//! Lets tests find libtorch where it was built, if the models of this build have it.

fn main() {
    let libtorch = std::env::var("DEP_HOTSTONE_MODELS_LIBTORCH_LIB").ok();
    if let Some(folder) = libtorch.filter(|_| std::env::var_os("CARGO_CFG_UNIX").is_some()) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
