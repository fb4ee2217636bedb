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
}

/// Reads the list.
pub(crate) fn read(file: &Path) -> Result<Vec<Peer>> {
    let text = read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    text.lines().map(parse).collect()
}

fn parse(line: &str) -> Result<Peer> {
    let mut parts = line.split('\t');
    let name = parts.next().filter(|name| !name.is_empty()).context("a peer without a name")?.to_owned();
    let command = parts.next().with_context(|| format!("{name} has no command"))?;
    let command = if command == "-" {
        Err(parts.next().unwrap_or("not installed").to_owned())
    } else {
        Ok(command.split(' ').map(str::to_owned).collect())
    };
    Ok(Peer { name, command })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_peer_has_a_command_or_a_reason() {
        let there = parse("x\tnode x.mjs").expect("a line");
        assert_eq!(there.command, Ok(vec!["node".to_owned(), "x.mjs".to_owned()]));
        let skipped = parse("y\t-\tno network").expect("a line");
        assert_eq!((skipped.name.as_str(), skipped.command), ("y", Err("no network".to_owned())));
        assert!(parse("z").is_err());
    }
}
