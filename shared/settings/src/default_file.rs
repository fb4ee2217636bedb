//! Settings as TOML text, in the order of the catalog.

use std::fmt::Write as _;

use crate::catalog::{self, Key};
use crate::settings::Settings;

const PREAMBLE: &str = "\
# All settings of Trunkline with their defaults. This file is generated: change the defaults in shared/settings, then
# run `make config`. The server does not read it; copy what you want to change into a file of your own and start with
# `trunkline serve --config FILE` (or TRUNKLINE_CONFIG=FILE).
#
# A flag wins over the environment, the environment over the file, the file over the defaults. Every setting has an
# environment variable: TRUNKLINE_ and its name in capitals, with __ between the parts, such as
# TRUNKLINE_QUEUES__WORKFLOW_NODE__LEASE=2s. Lists are comma-separated there. An empty variable counts as not set.
# Settings that may hold a secret can be read from a file: the variable with _FILE at its end names it, such as
# DATABASE_URL_FILE=/run/secrets/database-url.
";

impl Settings {
    /// The settings that are set, as TOML and nothing else. Keys are `[redacted]`, and so are passwords in addresses.
    pub fn redacted(&self) -> String {
        render(self, false)
    }

    /// The text of `config/default.toml`: every setting with its default, and what it is for as a comment before it. What is
    /// not set is commented out.
    pub fn default_toml() -> String {
        render(&Self::default(), true)
    }
}

fn render(settings: &Settings, with_comments: bool) -> String {
    let values = toml::Value::try_from(settings).expect("settings are tables of plain values");
    let mut text = if with_comments { PREAMBLE.to_owned() } else { String::new() };
    let mut table = String::new();
    for (path, key) in catalog::paths() {
        let value = lookup(&values, &path);
        if value.is_none() && !with_comments {
            continue;
        }
        let (header, name) = split(&path);
        if header != table {
            let blank = if text.is_empty() { "" } else { "\n" };
            writeln!(text, "{blank}[{header}]").expect("a string takes all text");
            header.clone_into(&mut table);
        } else if header.is_empty() && with_comments {
            text.push('\n');
        }
        if with_comments {
            text.extend(key.about.lines().map(|line| format!("# {line}\n")));
        }
        text.push_str(&line(name, value, key));
    }
    text
}

fn line(name: &str, value: Option<&toml::Value>, key: &Key) -> String {
    match value {
        Some(value) => format!("{name} = {value}\n"),
        None => format!("# {name} = \"…\" # {}\n", key.expected),
    }
}

/// The header of the table that a path is written under, and the rest: each queue is a table of its own.
fn split(path: &str) -> (&str, &str) {
    let depth = match path {
        _ if path.starts_with("retention.queues.") => 3,
        _ if path.starts_with("queues.") => 2,
        _ => 1,
    };
    match path.match_indices('.').nth(depth - 1) {
        Some((at, _)) => (&path[..at], &path[at + 1..]),
        None => ("", path),
    }
}

fn lookup<'a>(values: &'a toml::Value, path: &str) -> Option<&'a toml::Value> {
    path.split('.').try_fold(values, |value, part| value.get(part))
}
