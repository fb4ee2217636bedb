//! What the figures were taken on.

use std::fs::read_to_string;
use std::process::Command;

use anyhow::{Context, Result};

use crate::sizes::Sizes;

/// Lines that name the machine, the versions and the commit.
pub(crate) fn facts(server_version: &str, sizes: &Sizes) -> Vec<(&'static str, String)> {
    vec![
        ("date", command("date", &["-u", "+%Y-%m-%d %H:%M UTC"])),
        ("commit", commit()),
        ("processor", processor()),
        ("memory", memory()),
        ("kernel", command("uname", &["-sr"])),
        ("PostgreSQL", server_version.to_owned()),
        ("load average before the table was written", load_average()),
        ("size", sizes.to_string()),
        ("build", if cfg!(debug_assertions) { "development" } else { "release" }.to_owned()),
    ]
}

/// What a process has resident, by its id or `self`.
pub(crate) fn resident_mib(process: &str) -> Result<f64> {
    let text = read_to_string(format!("/proc/{process}/status"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: f64 = line.context("no VmRSS")?.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes / 1_024.0)
}

fn commit() -> String {
    let commit = command("git", &["rev-parse", "--short=12", "HEAD"]);
    // What a run writes itself is no change of what is measured.
    let changed =
        command("git", &["status", "--porcelain", "--untracked-files=no", "--", ".", ":!load-tests/results"]);
    if changed.is_empty() { commit } else { format!("{commit} with changes") }
}

fn processor() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let text = read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("unknown", |model| model.trim_start_matches([' ', '\t', ':']));
    format!("{cores} × {model}")
}

fn memory() -> String {
    let text = read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kilobytes: f64 =
        kilobytes.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default();
    format!("{:.0} GiB", kilobytes / 1_048_576.0)
}

fn load_average() -> String {
    let text = read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

fn command(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map_or_else(
        |_| "unknown".to_owned(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}
