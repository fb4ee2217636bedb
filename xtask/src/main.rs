//! For the people who build Trunkline: `cargo run -p xtask -- tidy` checks the rules of the house, and `sdk` writes the generated
//! files of the SDKs, or compares them with `--check`.
//!
//! Nothing here is part of the product. Each check is a file in `tidy/` and states one rule.

mod sdk;
mod tidy;

use std::path::Path;
use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["tidy"] => return tidy::run(root()),
        ["sdk"] => return sdk::run(root(), false),
        ["sdk", "--check"] => return sdk::run(root(), true),
        _ => eprintln!("usage: cargo run -p xtask -- tidy | sdk [--check]"),
    }
    Ok(ExitCode::from(2))
}

/// The root of the repository this binary was built in.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository")
}
