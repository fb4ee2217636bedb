//! The examples do what their pages say, on both databases.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::harness::{Database, Server, bash, free_port, on_both_databases, repository};

const DEADLINE: Duration = Duration::from_mins(2);

/// How long one download may take.
const DOWNLOAD_DEADLINE: Duration = Duration::from_mins(1);

const DOWNLOAD_TRIES: u32 = 3;

on_both_databases!(
    the_video_pipeline_does_its_work,
    the_triage_of_a_genuine_event_files_a_ticket,
    a_signed_payload_becomes_a_finished_execution
);

async fn the_video_pipeline_does_its_work(database: Database) {
    let server = Server::start(&database).await;
    let script = format!(
        r#"
        here={}/examples/video-pipeline
        python3 "$here/make_sample.py" sample.y4m
        trunkline workflow push "$here"
        python3 "$here/worker.py" &
        trunkline run video-pipeline --input '{{"file": "sample.y4m"}}' --wait > output.json
        trunkline execution list --workflow video-pipeline --json > executions.json
        id=$(python3 -c 'import json; print(json.load(open("executions.json"))["items"][0]["id"])')
        trunkline execution show "$id"
        "#,
        repository().display(),
    );
    let directory = server.directory();
    let printed = bash(&server, directory, &script, &[("VIDEO_OUT", "video")], DEADLINE).await;
    for node in ["validate", "metadata", "thumbnail", "encode", "publish"] {
        assert!(printed.contains(node), "the timeline shows {node}: {printed}");
    }
    let output: Value = read_json(&directory.join("output.json"));
    assert_eq!(output["title"].as_str().map(|title| title.starts_with("160x120")), Some(true), "{output}");
    let manifest = read_json(&directory.join(output["published"].as_str().expect("a path")));
    assert!(manifest["video"].is_string() && manifest["thumbnail"].is_string(), "{manifest}");
    assert_eq!(
        std::fs::read_dir(directory.join("video")).expect("made").count(),
        3,
        "thumbnail, video, manifest"
    );
}

async fn the_triage_of_a_genuine_event_files_a_ticket(database: Database) {
    let port = free_port().to_string();
    let allow = format!("127.0.0.1:{port}");
    let server = Server::start_with(&database, &[("TRUNKLINE_EGRESS__ALLOW", &allow)]).await;
    let package = webhook_examples().await;
    let script = format!("{}/examples/github-triage/run.sh", repository().display());
    let variables =
        [("TRACKER_PORT", port.as_str()), ("WEBHOOKS_EXAMPLES", package.to_str().expect("UTF-8"))];
    bash(&server, server.directory(), &script, &variables, DEADLINE).await;
    let client = server.client();
    let executions = client.all("/v1/executions?workflow=github-triage").await;
    assert_eq!(executions.len(), 1, "{executions:?}");
    let execution =
        client.get(&format!("/v1/executions/{}", executions[0]["id"].as_str().expect("an id"))).await;
    assert_eq!(execution["status"], "COMPLETED", "{execution}");
    assert_eq!(execution["output"]["ticket"]["number"], 1, "{execution}");
    assert_eq!(execution["output"]["ignored"], json!(null), "{execution}");
}

async fn a_signed_payload_becomes_a_finished_execution(database: Database) {
    let server = Server::start(&database).await;
    let directory = server.directory();
    std::os::unix::fs::symlink(repository().join("examples"), directory.join("examples")).expect("a link");
    let page =
        std::fs::read_to_string(repository().join("examples/github-webhook/README.md")).expect("it is there");
    let commands = page
        .split("<!-- commands:begin -->")
        .nth(1)
        .and_then(|rest| rest.split("<!-- commands:end -->").next());
    let commands = commands.expect("the page marks its commands").replace("```sh", "").replace("```", "");
    let printed = bash(&server, directory, &commands, &[], DEADLINE).await;
    assert!(printed.contains("COMPLETED"), "{printed}");
    assert!(
        printed.contains("ada pushed 2 commits to lovelace/engine (refs/heads/main), 1 of them fixes"),
        "{printed}"
    );
    let client = server.client();
    assert_eq!(
        client.all("/v1/executions?workflow=push-summary").await.len(),
        1,
        "a repetition starts nothing"
    );
    assert_eq!(client.all("/v1/deliveries?status=duplicate").await.len(), 1);
}

fn read_json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}: {text}", path.display()))
}

/// The npm package with genuine events, downloaded once and kept for later runs of the tests.
async fn webhook_examples() -> &'static PathBuf {
    static PACKAGE: OnceCell<PathBuf> = OnceCell::const_new();
    PACKAGE
        .get_or_init(|| async {
            let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("webhooks-examples");
            std::fs::create_dir_all(&directory).expect("the target directory can be written");
            for _ in 0..DOWNLOAD_TRIES {
                if let Some(package) = downloaded(&directory) {
                    return package;
                }
                download(&directory).await;
            }
            downloaded(&directory).expect("`npm pack @octokit/webhooks-examples` works on this machine")
        })
        .await
}

fn downloaded(directory: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("the directory is there");
    entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "tgz"))
}

async fn download(directory: &Path) {
    // In a directory of its own, so that a download that was cut off is not taken for a whole one.
    let part = tempfile::tempdir_in(directory).expect("the directory can be written");
    let child = tokio::process::Command::new("npm")
        .args(["pack", "--silent", "@octokit/webhooks-examples"])
        .current_dir(part.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .status();
    let ended = tokio::time::timeout(DOWNLOAD_DEADLINE, child).await;
    if let Ok(status) = ended {
        let status = status.expect("npm is installed (apt-get install npm; scripts/test.sh does it)");
        if let (true, Some(package)) = (status.success(), downloaded(part.path())) {
            let name = package.file_name().expect("a file has a name");
            std::fs::rename(&package, directory.join(name)).expect("the directory can be written");
        }
    }
}
