//! Finds out whether the console was built, so that a release build without it fails.

use std::path::Path;

/// Made by `scripts/build-console.sh`.
const INDEX: &str = "../../web/dist/index.html";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(console_built)");
    println!("cargo::rerun-if-changed={INDEX}");
    if Path::new(INDEX).exists() {
        println!("cargo::rustc-cfg=console_built");
    }
}
