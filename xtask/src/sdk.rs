//! Writes what the SDKs have from the OpenAPI document and the contract of gRPC, or compares it.
//!
//! The generators are scripts beside the SDKs, so that people who work on one need no Rust. This runs all of them.

use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::Context;

/// The scripts, and what they need besides Python.
const GENERATORS: [(&str, Option<&str>); 5] = [
    ("sdks/codegen/generate.py", None),
    ("sdks/python/tools/generate.py", None),
    ("sdks/python/tools/reference.py", None),
    ("sdks/codegen/contract.py", Some("grpc_tools")),
    ("sdks/codegen/stubs.py", None),
];

/// Runs them; fails where one does, or where `check` finds a file that is not what it would be.
pub(crate) fn run(root: &Path, python: &str, check: bool) -> anyhow::Result<ExitCode> {
    let mut failed = false;
    for (script, needs) in GENERATORS {
        if let Some(module) = needs
            && !succeeds(Command::new(python).arg("-c").arg(format!("import {module}")))?
        {
            eprintln!(
                "SKIPPED {script}: {python} has no module {module}; name another Python with --python=PATH"
            );
            continue;
        }
        let mut command = Command::new(python);
        command.arg(root.join(script)).current_dir(root);
        if check {
            command.arg("--check");
        }
        let status = command.status().with_context(|| format!("cannot run {python} for {script}"))?;
        failed |= !status.success();
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn succeeds(command: &mut Command) -> anyhow::Result<bool> {
    Ok(command.output().context("cannot run Python")?.status.success())
}
