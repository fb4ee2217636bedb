//! Checks for the people who build Trunkline: `cargo run -p xtask -- tidy`.
//!
//! Nothing here is part of the product. Each check is a file in `tidy/` and states one rule.

mod tidy;

use std::path::Path;
use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == ["tidy"] {
        return tidy::run(root());
    }
    eprintln!("usage: cargo run -p xtask -- tidy");
    Ok(ExitCode::from(2))
}

/// The root of the repository this binary was built in.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository")
}
