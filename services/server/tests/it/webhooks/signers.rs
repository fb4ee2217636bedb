//! The signers: scripts that sign with the providers' own libraries, one process for each language.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use super::sender::{Delivery, bytes_of};
use crate::harness::{repository, within};

const DEADLINE: Duration = Duration::from_mins(1);

/// Runs of the signers so far, for secrets and events of their own.
static RUNS: AtomicU32 = AtomicU32::new(0);

const INSTALL: &str = "services/server/tests/webhook-providers/install.sh";

/// How one provider signs: an endpoint for it, and requests to that endpoint.
#[derive(Debug, Deserialize)]
pub(super) struct Case {
    pub(super) name: String,
    /// Whose code signed or verified.
    pub(super) by: String,
    /// What the endpoint is created with.
    pub(super) endpoint: Value,
    /// The query of every request.
    pub(super) query: Option<String>,
    /// The header with the signature.
    pub(super) signature: String,
    /// The headers without which nothing is accepted.
    pub(super) needed: Vec<String>,
    /// What separates several signatures.
    pub(super) separator: Option<String>,
    /// The event's type.
    pub(super) event: String,
    /// The input of the execution that `accepted` starts.
    pub(super) input: Value,
    pub(super) accepted: Signed,
    /// The same delivery, signed anew.
    pub(super) again: Option<Signed>,
    /// Other deliveries that are accepted.
    pub(super) also: Vec<Signed>,
    pub(super) refused: Vec<Signed>,
    pub(super) handshakes: Vec<Signed>,
}

/// A request, and how it is answered where that is not obvious.
#[derive(Debug, Deserialize)]
pub(super) struct Signed {
    pub(super) why: String,
    headers: Vec<(String, String)>,
    body: String,
    pub(super) status: Option<u16>,
    #[serde(rename = "type")]
    pub(super) content_type: Option<String>,
    pub(super) text: Option<String>,
}

impl Case {
    /// The request as it is sent.
    pub(super) fn delivery(&self, signed: &Signed) -> Delivery {
        let delivery = Delivery::of(bytes_of(&signed.body));
        Delivery { headers: signed.headers.clone(), query: self.query.clone(), ..delivery }
    }
}

/// What all signers signed just now. Node's come first, among them Linear's, which are good for a minute only.
pub(super) async fn cases() -> Vec<Case> {
    let home = home();
    let nonce = format!("{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
    let scripts = repository().join(INSTALL).parent().expect("it is in a directory").to_owned();
    let mut node = Command::new(home.join("node/run"));
    node.args(["--input-type=module", "-", &nonce]).current_dir(home.join("node"));
    let mut python = Command::new(home.join("python/bin/python"));
    python.arg(scripts.join("sign.py")).arg(&nonce);
    let script = scripts.join("sign.mjs");
    let (node, python) = tokio::join!(lines(node, Some(&script)), lines(python, None));
    node.into_iter().chain(python).collect()
}

/// Whether the library of Standard Webhooks takes a request with this secret.
pub(crate) async fn standard_accepts(secret: &str, headers: &[(&str, &str)], body: &str) -> bool {
    let script = repository().join(INSTALL).with_file_name("verify.py");
    let headers: serde_json::Map<String, Value> =
        headers.iter().map(|&(name, value)| (name.to_owned(), Value::from(value))).collect();
    let request = json!({"secret": secret, "headers": headers, "body": body}).to_string();
    let mut command = Command::new(home().join("python/bin/python"));
    command.arg(script).stdin(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let verify = async {
        let mut process = command.spawn()?;
        let mut stdin = process.stdin.take().expect("it is a pipe");
        stdin.write_all(request.as_bytes()).await?;
        drop(stdin);
        process.wait().await
    };
    within("the library", DEADLINE, verify).await.expect("it can be started").success()
}

/// Where the libraries are.
fn home() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it is in the target directory");
    let home = target.join("webhook-providers");
    assert!(
        home.join("node.installed").exists() && home.join("python.installed").exists(),
        "the providers' libraries are not installed in {}: run {INSTALL}",
        home.display()
    );
    home
}

async fn lines(mut command: Command, stdin: Option<&Path>) -> Vec<Case> {
    let stdin = stdin.map_or_else(Stdio::null, |path| std::fs::File::open(path).expect("it is there").into());
    // Logged-in proxies and test switches of the shell are none of the libraries' business.
    command.stdin(stdin).env_remove("TEST_MODE").kill_on_drop(true);
    let output = within("the signers", DEADLINE, command.output()).await.expect("it can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(ExitStatus::success(&output.status), "the signers failed: {errors}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let cases: Vec<Case> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    assert!(!cases.is_empty(), "the signers signed nothing: {errors}");
    cases
}
