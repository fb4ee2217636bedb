//! Shell scripts as a reader of the documentation would run them, with `trunkline` on the PATH.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use crate::harness::server::{Server, TEST_KEY};

/// The repository.
pub(crate) fn repository() -> &'static Path {
    let crate_directory = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_directory.ancestors().nth(2).expect("the crate is in services/ of the repository")
}

/// The fenced blocks of `sh` of a page between two markers.
pub(crate) fn blocks_of_sh(text: &str, begin: &str, end: &str) -> Vec<String> {
    let part = text.split_once(begin).and_then(|(_, rest)| rest.split_once(end)).map_or("", |(part, _)| part);
    let mut blocks = Vec::new();
    let mut open: Option<Vec<&str>> = None;
    for line in part.lines() {
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

/// Runs a script of bash in `directory` to its end and answers all that it printed. Panics if it fails or takes too
/// long. What it leaves running in the background is ended with it.
pub(crate) async fn bash(
    server: &Server,
    directory: &Path,
    script: &str,
    variables: &[(&str, &str)],
    deadline: Duration,
) -> String {
    let own = tempfile::tempdir().expect("the temporary directory can be written");
    symlink(env!("CARGO_BIN_EXE_trunkline"), own.path().join("trunkline")).expect("a link can be made");
    let path = std::env::var("PATH").unwrap_or_default();
    // To a file, because a pipe stays open as long as anything in the background holds it.
    let log_path = own.path().join("output.log");
    let log = File::create(&log_path).expect("the temporary directory can be written");
    let mut child = Command::new("bash")
        .args(["-euo", "pipefail", "-c", script])
        .current_dir(directory)
        .env("PATH", format!("{}:{path}", own.path().display()))
        .env("TRUNKLINE_URL", server.url())
        .env("TRUNKLINE_API_KEY", TEST_KEY)
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(log.try_clone().expect("a file can be shared"))
        .stderr(log)
        .process_group(0)
        .spawn()
        .expect("there is bash");
    let group = child.id().expect("it was just started");
    let ended = tokio::time::timeout(deadline, child.wait()).await;
    // Its whole group, which is its own. There may be nobody left in it.
    let end_all = format!("kill -KILL -- -{group} 2>/dev/null || true");
    Command::new("sh").args(["-c", &end_all]).status().await.expect("there is sh");
    let output = std::fs::read(&log_path).expect("the log is there");
    let output = String::from_utf8_lossy(&output).into_owned();
    let Ok(status) = ended else {
        panic!(
            "the script takes longer than {deadline:?}:
{script}
--- it printed
{output}"
        )
    };
    let status = status.expect("the process is ours");
    assert!(
        status.success(),
        "the script failed ({status}):
{script}
--- it printed
{output}"
    );
    output
}
