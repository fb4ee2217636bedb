//! For the people who build Trunkline: `cargo run -p xtask -- tidy` checks the rules of the house, `sdk` writes the generated
//! files of the SDKs, or compares them with `--check`, `cost` writes the tables of `docs/cost.md` from the results of the load
//! tests, and `sbom` prints the bill of materials of the binary.
//!
//! Nothing here is part of the product. Each check is a file in `tidy/` and states one rule.

mod cost;
mod sbom;
mod sdk;
mod tidy;

use std::path::Path;
use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let python = given.iter().find_map(|argument| argument.strip_prefix("--python=")).unwrap_or("python3");
    let arguments = given.iter().map(String::as_str).filter(|argument| !argument.starts_with("--python="));
    let arguments: Vec<&str> = arguments.collect();
    match arguments[..] {
        ["tidy"] => return tidy::run(root()),
        ["sdk"] => return sdk::run(root(), python, false),
        ["sdk", "--check"] => return sdk::run(root(), python, true),
        ["cost", ref assumptions @ ..] => return cost::run(root(), assumptions),
        ["sbom", ref features @ ..] => {
            let features: Vec<String> = features.iter().map(|&feature| feature.to_owned()).collect();
            sbom::print(root(), &features)?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => eprintln!(
            "usage: cargo run -p xtask -- tidy | sdk [--check] [--python=PATH] | cost [NAME=VALUE…] | sbom [FEATURE…]"
        ),
    }
    Ok(ExitCode::from(2))
}

/// The root of the repository this binary was built in.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository")
}
