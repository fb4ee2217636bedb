//! The tour of README.md: every command in it is run, in order, as a reader would.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::harness::{Database, Output, Server, bash, blocks_of_sh, on_both_databases, repository};

const BEGIN: &str = "<!-- tour:begin -->";
const END: &str = "<!-- tour:end -->";

const DEADLINE: Duration = Duration::from_secs(150);

on_both_databases!(readme_tour);

async fn readme_tour(database: Database) {
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("there is a README.md");
    let blocks = blocks_of_sh(&readme, BEGIN, END);
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

#[test]
fn blocks_between_the_markers_are_found() {
    let text =
        format!("```sh\nno\n```\n{BEGIN}\n```sh\na\nb\n```\n```json\n{{}}\n```\n```sh\nc\n```\n{END}\n");
    assert_eq!(blocks_of_sh(&text, BEGIN, END), ["a\nb", "c"]);
}
