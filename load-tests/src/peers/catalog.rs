//! The list that `load-tests/peers/install.sh` writes.

use std::fs::read_to_string;
use std::path::Path;

use anyhow::{Context, Result};

/// A queue that can be measured, or why it cannot.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) name: String,
    /// The program and its first arguments; `Err` holds the reason.
    pub(crate) command: Result<Vec<String>, String>,
    /// Whether it runs workflows, too.
    pub(crate) runs_steps: bool,
}

/// What stands behind the command of a peer that runs workflows.
const STEPS: &str = "steps";

/// Reads the list.
pub(crate) fn read(file: &Path) -> Result<Vec<Peer>> {
    let text = read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    text.lines().map(parse).collect()
}

fn parse(line: &str) -> Result<Peer> {
    let mut parts = line.split('\t');
    let name = parts.next().filter(|name| !name.is_empty()).context("a peer without a name")?.to_owned();
    let command = parts.next().with_context(|| format!("{name} has no command"))?;
    let more = parts.next();
    if command == "-" {
        let reason = more.unwrap_or("not installed").to_owned();
        return Ok(Peer { name, command: Err(reason), runs_steps: false });
    }
    let command = command.split(' ').map(str::to_owned).collect();
    Ok(Peer { name, command: Ok(command), runs_steps: more == Some(STEPS) })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_peer_has_a_command_or_a_reason() {
        let there = parse("x\tnode x.mjs").expect("a line");
        assert_eq!(there.command, Ok(vec!["node".to_owned(), "x.mjs".to_owned()]));
        assert!(!there.runs_steps);
        assert!(parse("w\tengine\tsteps").expect("a line").runs_steps);
        let skipped = parse("y\t-\tno network").expect("a line");
        assert_eq!((skipped.name.as_str(), skipped.command), ("y", Err("no network".to_owned())));
        assert!(parse("z").is_err());
    }
}
