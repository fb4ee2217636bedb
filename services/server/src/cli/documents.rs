//! Each command of the documents is one that this binary takes, with its flags and values; in a block it is whole.

use std::path::{Path, PathBuf};

use clap::Parser as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Cli;

/// So many are in the documents at least. With fewer, they are not found any more.
const COMMANDS_MIN: usize = 150;

/// Words behind which a command begins.
const BEFORE: [&str; 11] = ["|", "||", "&&", "until", "while", "if", "then", "do", "!", "sudo", "$"];

/// Words at which it ends.
const BEHIND: [&str; 5] = ["|", "||", "&&", "&", ";"];

/// A command without its first word.
struct Found {
    words: Vec<String>,
    /// Whether it is in a block, to be run as it is.
    is_whole: bool,
}

fn pages() -> Vec<PathBuf> {
    let repository =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the crate is in services/");
    let entries = std::fs::read_dir(repository.join("docs")).expect("there are documents");
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.push(repository.join("README.md"));
    pages.sort();
    pages
}

/// The commands of a page. Panics where a line that begins with one is not a line of a shell.
fn commands(page: &str) -> Vec<Found> {
    let (mut found, mut prose, mut is_shell) = (Vec::new(), String::new(), None);
    for line in page.replace("\\\n", " ").lines() {
        match (is_shell, line.trim().strip_prefix("```")) {
            (Some(_), Some(_)) => is_shell = None,
            (None, Some(language)) => is_shell = Some(["", "sh", "console"].contains(&language)),
            (Some(true), None) => found.extend(in_line(line).map(|words| Found { words, is_whole: true })),
            (Some(false), None) => {}
            (None, None) => {
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    let spans = prose.split('`').skip(1).step_by(2);
    let of_prose = spans.filter_map(|span| span.strip_prefix("trunkline "));
    found.extend(of_prose.filter_map(|text| {
        // What may be left out is in brackets.
        let words = shlex::split(&text.replace(['[', ']'], ""))?;
        Some(Found { words, is_whole: false })
    }));
    found
}

/// The command of a line of a shell, if there is one.
fn in_line(line: &str) -> Option<Vec<String>> {
    let Some(words) = shlex::split(line) else {
        assert!(!line.trim().starts_with("trunkline "), "no line of a shell: {line}");
        return None;
    };
    let begins = |place: usize, word: &str| {
        let before = place.checked_sub(1).map(|before| words[before].as_str());
        word.ends_with("(trunkline")
            || word == "trunkline"
                && before.is_none_or(|before| BEFORE.contains(&before) || before.contains('='))
    };
    let place = words.iter().enumerate().position(|(place, word)| begins(place, word))?;
    // One in parentheses ends with them.
    let ends: &[char] = if words[place].contains('(') { &[';', ')'] } else { &[';'] };
    let mut command = Vec::new();
    for word in &words[place + 1..] {
        if BEHIND.contains(&word.as_str()) || word.starts_with(['>', '<']) || word.starts_with("2>") {
            break;
        }
        let kept = word.trim_end_matches(ends);
        command.push(kept.to_owned());
        if kept != word {
            break;
        }
    }
    Some(command)
}

/// What the binary says to a command that it does not take.
fn fault(command: &Found) -> Option<String> {
    let words = std::iter::once("trunkline").chain(command.words.iter().map(String::as_str));
    let error = Cli::try_parse_from(words).err()?;
    let kinds = [ContextKind::InvalidValue, ContextKind::InvalidSubcommand];
    let value = kinds.into_iter().find_map(|kind| error.get(kind));
    let is_expected = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => true,
        ErrorKind::MissingRequiredArgument
        | ErrorKind::MissingSubcommand
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => !command.is_whole,
        _ => matches!(value, Some(ContextValue::String(text)) if stands_for_another(text)),
    };
    (!is_expected).then(|| error.to_string())
}

/// Whether a reader puts another word in its place.
fn stands_for_another(text: &str) -> bool {
    text.starts_with('$') || text.contains('…') || text.bytes().all(|byte| byte.is_ascii_uppercase())
}

#[test]
fn each_command_of_the_documents_is_one_of_the_binary() {
    let (mut count, mut faults) = (0, Vec::new());
    for path in pages() {
        let page = std::fs::read_to_string(&path).expect("it can be read");
        for command in commands(&page) {
            count += 1;
            if let Some(fault) = fault(&command) {
                let words = command.words.join(" ");
                faults.push(format!("{}: trunkline {words}\n{fault}", path.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(count >= COMMANDS_MIN, "only {count} commands were found");
}

#[test]
fn commands_are_found_and_faults_too() {
    let page = "As `trunkline queue list --colour` shows:\n```sh\nid=$(trunkline job list --limit 1 | head)\n\
        A=1 trunkline queue \\\n  pause; echo\n```\n```text\ntrunkline nothing\n```\n```console\n$ trunkline job show job_…\n```\n";
    let found = commands(page);
    let words: Vec<String> = found.iter().map(|command| command.words.join(" ")).collect();
    assert_eq!(words, ["job list --limit 1", "queue pause", "job show job_…", "queue list --colour"]);
    let faults: Vec<bool> = found.iter().map(|command| fault(command).is_some()).collect();
    assert_eq!(faults, [false, true, false, true], "a queue is missing, and a flag is unknown");
}
