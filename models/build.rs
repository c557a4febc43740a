//! With the feature `libtorch`, compiles the C++ shim and passes on the location of libtorch: to
//! this package's own tests and examples as an rpath, and to packages that depend on `models` as
//! `DEP_HOTSTONE_MODELS_LIBTORCH_LIB`.

fn main() {
    #[cfg(feature = "libtorch")]
    shim();
}

#[cfg(feature = "libtorch")]
fn shim() {
    use std::env;
    use std::path::PathBuf;

    const SOURCES: [&str; 3] = ["shim.cpp", "fused.cpp", "convolution.cpp"];
    let sources = SOURCES.map(|name| format!("src/libtorch/{name}"));
    for file in sources.iter().map(String::as_str).chain(["src/libtorch/operators.h"]) {
        println!("cargo:rerun-if-changed={file}");
    }
    println!("cargo:rerun-if-env-changed=LIBTORCH_INCLUDE");
    println!("cargo:rerun-if-env-changed=LIBTORCH_CXX11_ABI");

    let lib = PathBuf::from(
        env::var_os("DEP_TCH_LIBTORCH_LIB").expect("torch-sys publishes its libtorch folder"),
    );
    println!("cargo:libtorch_lib={}", lib.display());
    if env::var_os("CARGO_CFG_UNIX").is_some() {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", lib.display());
    }

    let include = env::var_os("LIBTORCH_INCLUDE")
        .map(PathBuf::from)
        .unwrap_or_else(|| lib.parent().expect("libtorch/lib has a parent").to_path_buf())
        .join("include");
    let abi = env::var("LIBTORCH_CXX11_ABI").unwrap_or_else(|_| "1".to_owned());
    cc::Build::new()
        .cpp(true)
        .warnings(false)
        .include(&include)
        .include(include.join("torch/csrc/api/include"))
        .std("c++17")
        .define("_GLIBCXX_USE_CXX11_ABI", abi.as_str())
        .flag_if_supported("-fopenmp-simd")
        .opt_level(3)
        .files(&sources)
        .compile("hotstone_shim");
    println!("cargo:rustc-link-lib=dylib=torch_cpu");
    println!("cargo:rustc-link-lib=dylib=c10");
}
