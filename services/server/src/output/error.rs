//! Errors on standard error, with their causes: lines for people, a JSON object for programs.

use serde_json::{Map, Value, json};

use crate::client::ClientError;
use crate::output::exit::Exit;
use crate::output::{note, shown, shown_json, terminal};

/// Prints an error and what caused it. A cause that an earlier line has said already is not repeated.
pub(crate) fn print(error: &anyhow::Error, as_json: bool) {
    if as_json {
        return note!("{}", shown_json(&format!("{:#}", document(error))));
    }
    for (number, line) in lines(error).iter().enumerate() {
        let lead = if number == 0 { terminal::red("error") } else { "  because".to_owned() };
        note!("{lead}: {}", shown(line));
    }
}

/// Prints what clap says of arguments that make no sense, as a JSON object.
pub(crate) fn print_usage(error: &clap::Error) {
    let text = error.render().to_string();
    let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
    note!("{:#}", json!({ "error": first, "usage": text.trim_end(), "exitCode": 2 }));
}

/// The error as programs read it: message, causes, the server's problem document, exit code.
fn document(error: &anyhow::Error) -> Value {
    let mut lines = lines(error).into_iter();
    let mut document = Map::new();
    document.insert("error".into(), lines.next().into());
    let causes: Vec<String> = lines.collect();
    if !causes.is_empty() {
        document.insert("causes".into(), causes.into());
    }
    if let Some(ClientError::Problem { problem, .. }) = error.chain().find_map(|cause| cause.downcast_ref()) {
        document.insert("problem".into(), problem.clone());
    }
    document.insert("exitCode".into(), (Exit::of(error) as u8).into());
    Value::Object(document)
}

fn lines(error: &anyhow::Error) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for cause in error.chain() {
        let text = cause.to_string();
        if !lines.iter().any(|line| line.contains(&text)) {
            lines.push(text);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn nothing_is_said_twice() {
        let error =
            anyhow!("the disk is full").context("cannot write: the disk is full").context("cannot start");
        assert_eq!(lines(&error), ["cannot start", "cannot write: the disk is full"]);
    }

    #[test]
    fn programs_get_the_problem_document_and_the_exit_code() {
        let problem = json!({ "detail": "there is no such job", "code": "not_found" });
        let error = anyhow::Error::new(ClientError::Problem { status: 404, problem: problem.clone() });
        let expected =
            json!({ "error": "there is no such job (not_found)", "problem": problem, "exitCode": 5 });
        assert_eq!(document(&error), expected);
        let local = anyhow!("no file").context("cannot read");
        assert_eq!(document(&local), json!({ "error": "cannot read", "causes": ["no file"], "exitCode": 1 }));
    }
}
