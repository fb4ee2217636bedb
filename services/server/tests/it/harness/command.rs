//! Commands that a person would type, with their output and exit code.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::harness::server::{Server, TEST_KEY, bare_command};

/// What a command left behind.
#[derive(Debug)]
pub(crate) struct Output {
    line: String,
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Output {
    /// Runs a command to its end. Blocks: call it where nothing else has to go on, or in `spawn_blocking`.
    pub(crate) fn of(command: &mut Command) -> Self {
        let line = format!("{command:?}");
        let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{line}: {error}"));
        Self {
            line,
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Panics unless the exit code is this one.
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}{}", self.line, self.stdout, self.stderr);
        self
    }

    /// Panics unless it succeeded and printed each of these words.
    pub(crate) fn prints(self, words: &[&str]) -> Self {
        let output = self.exits(0);
        for word in words {
            assert!(output.stdout.contains(word), "{}: no {word:?} in\n{}", output.line, output.stdout);
        }
        output
    }

    /// The JSON that it printed. Panics unless it succeeded.
    pub(crate) fn json(self) -> Value {
        let output = self.exits(0);
        serde_json::from_str(&output.stdout)
            .unwrap_or_else(|_| panic!("{}: no JSON:\n{}", output.line, output.stdout))
    }
}

/// `trunkline` as the admin of a server, in the server's directory.
pub(crate) fn trunkline(server: &Server, arguments: &[&str]) -> Output {
    let mut command = bare_command();
    command
        .args(arguments)
        .current_dir(server.directory())
        .env("TRUNKLINE_URL", server.url())
        .env("TRUNKLINE_API_KEY", TEST_KEY);
    // The clients are other processes: nothing that this blocks is needed for the server to answer.
    tokio::task::block_in_place(|| Output::of(&mut command))
}
