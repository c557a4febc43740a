//! Lets the program find libtorch where it was built, with no environment variable.

fn main() {
    if let Ok(folder) = std::env::var("DEP_HOTSTONE_MODELS_LIBTORCH_LIB") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
