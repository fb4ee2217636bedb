//! The tour of README.md: every command in it is run, in order, as a reader would.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::harness::{Database, Output, Server, bash, on_both_databases, repository};

const BEGIN: &str = "<!-- tour:begin -->";
const END: &str = "<!-- tour:end -->";

const DEADLINE: Duration = Duration::from_secs(150);

on_both_databases!(readme_tour);

async fn readme_tour(database: Database) {
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("there is a README.md");
    let blocks = blocks_of(&readme);
    assert!(!blocks.is_empty(), "README.md has blocks of sh between {BEGIN} and {END}");
    // The tour may call its own machine, as the examples do.
    let server = Server::start_with(&database, &[("TRUNKLINE_EGRESS__ALLOW", "127.0.0.0/8")]).await;
    copy_examples(server.directory());
    let numbered = |(number, block): (usize, &String)| format!("echo '--- block {}'\n{block}", number + 1);
    let script = blocks.iter().enumerate().map(numbered).collect::<Vec<_>>().join("\n");
    let printed = bash(&server, server.directory(), &script, &[], DEADLINE).await;
    assert!(printed.contains(&format!("--- block {}", blocks.len())), "{printed}");
}

/// The reader stands in a checkout.
fn copy_examples(directory: &Path) {
    for name in ["examples", "config"] {
        let mut copy = Command::new("cp");
        copy.arg("-r").arg(repository().join(name)).arg(directory);
        Output::of(&mut copy).exits(0);
    }
}

/// The fenced blocks of `sh` between the markers.
fn blocks_of(text: &str) -> Vec<String> {
    let tour = text.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END)).map_or("", |(tour, _)| tour);
    let mut blocks = Vec::new();
    let mut open: Option<Vec<&str>> = None;
    for line in tour.lines() {
        match (&mut open, line.trim_end()) {
            (None, "```sh") => open = Some(Vec::new()),
            (Some(lines), "```") => {
                blocks.push(lines.join("\n"));
                open = None;
            }
            (Some(lines), line) => lines.push(line),
            (None, _) => {}
        }
    }
    blocks
}

#[test]
fn blocks_between_the_markers_are_found() {
    let text =
        format!("```sh\nno\n```\n{BEGIN}\n```sh\na\nb\n```\n```json\n{{}}\n```\n```sh\nc\n```\n{END}\n");
    assert_eq!(blocks_of(&text), ["a\nb", "c"]);
}
