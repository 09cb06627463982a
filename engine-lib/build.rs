//! Copies the C headers that the implementation crate configured to a place CMake knows.
use std::{env, fs, path::{Path, PathBuf}};

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("create the header folder");
    for entry in fs::read_dir(from).expect("read the header folder") {
        let entry = entry.expect("read a header entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("copy a header");
        }
    }
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=SEEDFALL_ENGINE_HEADERS");
    let headers = env::var("DEP_WASMTIME_C_API_INCLUDE").expect("wasmtime-c-api exports its headers");
    if let Ok(target) = env::var("SEEDFALL_ENGINE_HEADERS") {
        copy_tree(Path::new(&headers), &PathBuf::from(target));
    }
}
