//! `webhook`: made, tested, looked at, rotated, replayed and removed.

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Database, Server, on_both_databases, trunkline};

on_both_databases!(cli_webhooks_are_made_and_tested);

const CANARY: &str = "canary-of-the-command-line-51";

fn file(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    std::fs::write(&path, text).expect("the directory can be written");
    path.to_str().expect("UTF-8").to_owned()
}

async fn cli_webhooks_are_made_and_tested(database: Database) {
    let server = Server::start(&database).await;
    let run = |arguments: &[&str]| trunkline(&server, arguments);
    let workflow = json!({"name": "build", "version": 1, "nodes": [
        {"id": "note", "type": "TRANSFORM", "output": "${input}"},
    ]});
    server.client().post("/v1/workflows", &workflow).await;
    let secret = file(server.directory(), "secret", &format!("{CANARY}\n"));

    let create = ["webhook", "create", "--name", "hub", "--provider", "github", "--workflow", "build"];
    let refused = run(&[&create[..], &["--filter", "body."]].concat()).exits(1);
    assert!(refused.stderr.contains("/triggers/0/filter"), "{}", refused.stderr);
    let options = [
        "--event",
        "push",
        "--filter",
        "body.ref == 'refs/heads/main'",
        "--input",
        r#"{"by": "${body.pusher.name}"}"#,
    ];
    let made =
        run(&[&create[..], &options, &["--secret-file", &secret, "--rate-limit", "100/1s", "--json"]]
            .concat())
        .json();
    let id = made["id"].as_str().expect("an id").to_owned();
    assert!(made.get("secret").is_none(), "a given secret is not shown: {made}");
    assert_eq!(made["triggers"][0]["events"], json!(["push"]));
    run(&["webhook", "list"]).prints(&["PROVIDER", "hub", "github", "build", &id]);
    run(&["webhook", "show", &id]).prints(&["/hooks/whk_", "signature secret sec_", "requests"]);

    run(&["webhook", "test", &id, "--wait"]).prints(&["matched", "push", "trigger build: started exe_"]);
    let updated = run(&["webhook", "update", &id, "--name", "hub-2", "--max-body", "2MiB", "--json"]).json();
    assert_eq!((&updated["name"], &updated["maxBody"]), (&json!("hub-2"), &json!(2_097_152)));
    assert_eq!(updated["triggers"], made["triggers"], "what is not given stays");
    run(&["webhook", "pause", &id]).prints(&["paused", "true"]);
    let refused = run(&["webhook", "test", &id]).exits(1);
    assert!(refused.stderr.contains("paused"), "{}", refused.stderr);
    run(&["webhook", "resume", &id]).prints(&["paused", "false"]);

    let rotated = run(&["webhook", "rotate-secret", &id, "--overlap", "1h", "--json"]).json();
    assert!(rotated["secret"].as_str().is_some_and(|text| text.len() >= 32), "{rotated}");
    let warned = run(&["webhook", "rotate-secret", &id, "--secret", "visible-to-all-processes"]).exits(0);
    assert!(warned.stderr.contains("--secret-stdin"), "{}", warned.stderr);
    run(&["webhook", "test", &id, "--wait"]).prints(&["matched"]);

    let listed = run(&["webhook", "deliveries", &id, "--status", "matched", "--json"]).json();
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(2), "{listed}");
    let delivery = listed["items"][0]["id"].as_str().expect("an id").to_owned();
    run(&["webhook", "deliveries"]).prints(&["STATUS", "matched", "push", &delivery]);
    let replayed = run(&["webhook", "replay", &delivery, "--json"]).json();
    let new = replayed["deliveryId"].as_str().expect("an id").to_owned();
    run(&["webhook", "delivery", &new, "--wait"]).prints(&["replay of", &delivery, "matched"]);
    let query = ["--q", "eventType:push -status:parked"];
    let list = ["webhook", "deliveries", "--order", "asc", "--count", "--json"];
    let listed = run(&[&list[..], &query].concat()).json();
    assert_eq!(listed["count"]["exact"], true, "{listed}");
    run(&["webhook", "replay", "--webhook-id", &id, "--dry-run"]).prints(&["count"]);
    let replay = ["webhook", "replay", "--rate-per-second", "100", "--reason", "mended"];
    run(&[&replay[..], &query].concat()).prints(&["completed"]);
    run(&["webhook", "replay"]).exits(1);
    let shown = run(&["webhook", "show", &id, "--json"]).json();
    assert!(!shown.to_string().contains(CANARY), "{shown}");

    unfit(&run);
    asymmetric(&server, &run);
    run(&["webhook", "delete", &id]).prints(&["deleted"]);
    run(&["webhook", "show", &id]).exits(5);
}

/// What keeps a sample from starting anything is reported.
fn unfit(run: &impl Fn(&[&str]) -> crate::harness::Output) {
    let filter = ["--filter", "body.nope > 1", "--json"];
    let create = ["webhook", "create", "--name", "parks", "--provider", "github", "--workflow", "build"];
    let parks = run(&[&create[..], &filter].concat()).json();
    let parked = run(&["webhook", "test", parks["id"].as_str().expect("an id"), "--wait"]).exits(3);
    for word in
        ["parked", "filter_failed", "trigger build: error the filter failed", "there is no field `nope`"]
    {
        assert!(parked.stdout.contains(word), "no {word} in {}", parked.stdout);
    }
    let create =
        ["webhook", "create", "--name", "later", "--provider", "stripe", "--workflow", "build", "--json"];
    let later = run(&create).json();
    let refused = run(&["webhook", "test", later["id"].as_str().expect("an id")]).exits(1);
    assert!(refused.stderr.contains("rotate-secret whk_"), "{}", refused.stderr);
}

/// A provider with a private key: the sample is signed here, once the other half is known.
fn asymmetric(server: &Server, run: &impl Fn(&[&str]) -> crate::harness::Output) {
    let key = file(server.directory(), "test.key", &format!("{}\n", "07".repeat(32)));
    let public = file(
        server.directory(),
        "provider.pub",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
    );
    let create =
        ["webhook", "create", "--name", "bot", "--provider", "discord", "--workflow", "build", "--json"];
    let made: Value = run(&[&create[..], &["--secret-file", &public]].concat()).json();
    let id = made["id"].as_str().expect("an id").to_owned();
    let refused = run(&["webhook", "test", &id]).exits(1);
    assert!(refused.stderr.contains("--provider-key"), "{}", refused.stderr);
    let refused = run(&["webhook", "test", &id, "--provider-key", &key]).exits(1);
    let expected = refused.stderr.split('\'').nth(1).expect("it says which key to register").to_owned();
    let other = file(server.directory(), "test.pub", &expected);
    run(&["webhook", "rotate-secret", &id, "--secret-file", &other]).exits(0);
    run(&["webhook", "test", &id, "--provider-key", &key, "--wait"]).prints(&["matched", "started exe_"]);
}
