//! One run of the program: what it is given, and what its end means.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use crate::client::{Client, ClientError, api_path, search_path};
use crate::output::note;

/// `EX_TEMPFAIL`: the program asks for another try.
const TRY_AGAIN: i32 = 75;
/// The most output that is read as a result; what the server takes is less.
const OUTPUT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// How much of the end of standard error becomes the error's message.
const MESSAGE_BYTES_MAX: usize = 4 * 1024;
/// How long a program has to end after SIGTERM before it is killed.
const STOP_GRACE: Duration = Duration::from_secs(10);

/// Whether the program is there: a path as it is, a name in one of the directories of `PATH`.
pub(super) fn is_found(program: &OsStr) -> bool {
    if program.as_encoded_bytes().contains(&b'/') {
        return Path::new(program).is_file();
    }
    // Without the variable the system has a list of its own.
    search_path().is_none_or(|directories| {
        std::env::split_paths(&directories).any(|directory| directory.join(program).is_file())
    })
}

/// Runs the program for a job, and stops it when `stop` is set: there is nothing to report then.
pub(super) async fn run(program: &[OsString], job: &Value, stop: &CancellationToken) -> Option<Report> {
    let mut child = match spawn(program, job) {
        Ok(child) => child,
        Err(error) => {
            let name = program.first().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            return Some(Report::failed("program_missing", format!("cannot start {name}: {error}"), true));
        }
    };
    let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // Its own group, of which it is the first.
    let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    let data = format!("{}\n", job["data"]);
    let work = async {
        let write = async {
            if let Some(mut input) = input {
                // A program that does not read its input closes the pipe: that is its business.
                let _ = input.write_all(data.as_bytes()).await;
            }
        };
        let ((), output, message, status) = tokio::join!(write, read(output), tail(errors), child.wait());
        (output, message, status)
    };
    tokio::pin!(work);
    let (output, message, status) = tokio::select! {
        done = &mut work => done,
        () = stop.cancelled() => {
            signal(group, Signal::TERM);
            // Its output is read on meanwhile: a pipe that is closed would end it before it has cleaned up.
            if tokio::time::timeout(STOP_GRACE, &mut work).await.is_err() {
                signal(group, Signal::KILL);
                let _ = work.await;
            }
            return None;
        }
    };
    Some(match status {
        Ok(status) => report(status, &output, &message),
        Err(error) => {
            Report::failed("program_lost", format!("cannot read the program's exit status: {error}"), true)
        }
    })
}

fn spawn(program: &[OsString], job: &Value) -> std::io::Result<Child> {
    let (name, arguments) = program.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(name);
    command.args(arguments);
    for (variable, field) in [
        ("TRUNKLINE_JOB_ID", "id"),
        ("TRUNKLINE_JOB_TYPE", "jobType"),
        ("TRUNKLINE_JOB_ATTEMPT", "attempt"),
        ("TRUNKLINE_JOB_MAX_RETRIES", "maxRetries"),
        ("TRUNKLINE_JOB_DEADLINE", "deadline"),
        ("TRUNKLINE_JOB_PROGRESS", "progress"),
        ("TRUNKLINE_IDEMPOTENCY_KEY", "idempotencyKey"),
        ("TRACEPARENT", "traceparent"),
    ] {
        match &job[field] {
            Value::Null => command.env_remove(variable),
            Value::String(text) => command.env(variable, text),
            other => command.env(variable, other.to_string()),
        };
    }
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A group of its own: Ctrl-C in a terminal drains the worker, and SIGTERM reaches what the program started.
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
}

/// Sends a signal to the program and what it started.
fn signal(group: Option<Pid>, signal: Signal) {
    if let Some(group) = group {
        // It may have ended just now.
        let _ = kill_process_group(group, signal);
    }
}

/// All of the output, or nothing more than one byte beyond the limit; the rest is read and dropped.
async fn read(output: Option<impl AsyncRead + Unpin>) -> Vec<u8> {
    let mut kept = Vec::new();
    let Some(mut output) = output else {
        return kept;
    };
    let mut part = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = output.read(&mut part).await {
        let room = (OUTPUT_BYTES_MAX + 1).saturating_sub(kept.len());
        kept.extend_from_slice(&part[..count.min(room)]);
    }
    kept
}

/// Passes standard error on and keeps its end.
async fn tail(errors: Option<impl AsyncRead + Unpin>) -> String {
    let mut kept: Vec<u8> = Vec::new();
    let Some(mut errors) = errors else {
        return String::new();
    };
    let mut part = vec![0; 8 * 1024];
    while let Ok(count @ 1..) = errors.read(&mut part).await {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), &part[..count]);
        kept.extend_from_slice(&part[..count]);
        let surplus = kept.len().saturating_sub(MESSAGE_BYTES_MAX);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&kept).replace('\0', "").trim().to_owned()
}

/// What the end of the program means.
fn report(status: ExitStatus, output: &[u8], message: &str) -> Report {
    let or = |text: String| if message.is_empty() { text } else { message.to_owned() };
    match status.code() {
        Some(0) if output.len() > OUTPUT_BYTES_MAX => {
            let message = format!("the result is larger than {OUTPUT_BYTES_MAX} bytes");
            Report::failed("result_too_large", message, false)
        }
        Some(0) => Report::Done(result(output)),
        Some(TRY_AGAIN) => Report::failed("exit_75", or("the program requested a retry".into()), true),
        Some(code) => Report::failed(&format!("exit_{code}"), or(format!("exit code {code}")), false),
        // Killed from outside, for want of memory perhaps: nothing says that the job is at fault.
        None => Report::failed("killed", or(format!("the program was terminated by {status}")), true),
    }
}

/// The output as JSON; text that is none is a string, and nothing is no result.
fn result(output: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(output);
    let text = text.trim();
    (!text.is_empty()).then(|| serde_json::from_str(text).unwrap_or_else(|_| json!(text)))
}

// What is reported to the server about a job.

/// How long a report is sent again and again while the server cannot be reached.
const PATIENCE: Duration = Duration::from_mins(1);
/// How long one try may take: a connection that went silent is left for another one.
const ANSWER_WITHIN: Duration = Duration::from_secs(15);
/// The wait before it is sent again.
const PAUSE: Duration = Duration::from_millis(500);

/// How a program ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Report {
    /// With a result.
    Done(Option<Value>),
    /// Otherwise.
    Failed {
        /// For programs.
        code: String,
        /// For people.
        message: String,
        /// Whether another try could help.
        is_retryable: bool,
    },
}

impl Report {
    pub(super) fn failed(code: &str, message: String, is_retryable: bool) -> Self {
        Self::Failed { code: code.to_owned(), message, is_retryable }
    }

    /// The call and what it says beside the lease.
    fn call(&self) -> (&'static str, Value) {
        match self {
            Self::Done(None) => ("complete", json!({})),
            Self::Done(Some(result)) => ("complete", json!({ "result": result })),
            Self::Failed { code, message, is_retryable } => {
                let error = json!({ "code": code, "message": message });
                ("fail", json!({ "error": error, "retryable": is_retryable }))
            }
        }
    }
}

/// Reports; a result that the server rejects fails the job, which would run again otherwise for as long as it is retried.
pub(super) async fn send(client: &Client, job: &Value, report: &Report) {
    let (call, more) = report.call();
    let outcome = send_one(client, call, job, more).await;
    if let Some(("rejected", reason)) = outcome.as_ref().map(|(word, reason)| (word.as_str(), reason)) {
        let failed = Report::failed("result_rejected", reason.clone(), false);
        let (call, more) = failed.call();
        send_one(client, call, job, more).await;
    }
}

/// Gives a job back.
pub(super) async fn release(client: &Client, job: &Value) {
    send_one(client, "release", job, json!({})).await;
}

/// Sends one report until it is answered; the outcome and its reason.
async fn send_one(client: &Client, call: &str, job: &Value, mut more: Value) -> Option<(String, String)> {
    more["id"] = job["id"].clone();
    more["leaseToken"] = job["leaseToken"].clone();
    let body = json!({ "jobs": [more] });
    let until = tokio::time::Instant::now() + PATIENCE;
    loop {
        let answer = tokio::time::timeout(ANSWER_WITHIN, client.post(&api_path!("jobs", call), &body)).await;
        let is_late = tokio::time::Instant::now() >= until;
        match answer {
            Ok(Ok(answer)) => {
                let result = &answer["results"][0];
                let text = |field: &str| result[field].as_str().unwrap_or_default().to_owned();
                let (outcome, id) = (text("outcome"), job["id"].as_str().unwrap_or_default());
                if !matches!(outcome.as_str(), "ok" | "already_done") {
                    note!("{id}: {outcome} {}", crate::output::shown(&text("reason")));
                }
                return Some((outcome, text("reason")));
            }
            Ok(Err(error)) if is_late || !may_pass(&error) => {
                note!("the server rejected a report: {}", crate::output::shown(&error.to_string()));
                return None;
            }
            Err(_) if is_late => {
                note!("the server did not answer a report");
                return None;
            }
            Ok(Err(_)) => tokio::time::sleep(PAUSE).await,
            Err(_) => {}
        }
    }
}

/// Whether the same call may be answered later.
pub(super) fn may_pass(error: &ClientError) -> bool {
    match error {
        ClientError::Unreachable { .. } => true,
        ClientError::Problem { status, .. } | ClientError::NotJson { status, .. } => {
            *status == 429 || *status >= 500
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn a_program_is_looked_for_as_the_system_does() {
        assert!(is_found(OsStr::new("/bin/sh")) && is_found(OsStr::new("sh")));
        for absent in ["/no/such/program", "./no-such-program", "no-such-program", "/bin"] {
            assert!(!is_found(OsStr::new(absent)), "{absent}");
        }
    }

    #[test]
    fn ends_are_reports() {
        let exit = |code: i32| ExitStatus::from_raw(code << 8);
        let cases = [
            (exit(0), super::Report::Done(Some(json!({"a": 1})))),
            (exit(75), super::Report::failed("exit_75", "disk\nfull".into(), true)),
            (exit(1), super::Report::failed("exit_1", "disk\nfull".into(), false)),
            (ExitStatus::from_raw(9), super::Report::failed("killed", "disk\nfull".into(), true)),
        ];
        for (status, expected) in cases {
            assert_eq!(report(status, b"{\"a\": 1}\n", "disk\nfull"), expected, "{status}");
        }
        assert_eq!(report(exit(2), b"", ""), super::Report::failed("exit_2", "exit code 2".into(), false));
        let large = report(exit(0), &vec![b'1'; OUTPUT_BYTES_MAX + 1], "");
        assert!(matches!(large, super::Report::Failed { is_retryable: false, .. }));
    }

    #[test]
    fn results_are_json_or_text() {
        assert_eq!(result(b" 7\n"), Some(json!(7)));
        assert_eq!(result(b"Hello, Ada\n"), Some(json!("Hello, Ada")));
        assert_eq!(result(b"\n"), None);
    }
}
