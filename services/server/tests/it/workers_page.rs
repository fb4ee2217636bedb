//! The workers of docs/workers.md do what the page says, and so does `trunkline work`.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Client, Database, Server, bash, on_both_databases, repository, until};

const DEADLINE: Duration = Duration::from_mins(1);

on_both_databases!(
    the_worker_in_python_works,
    the_worker_in_node_works,
    cli_any_program_serves_a_job_type,
    cli_a_program_that_is_killed_fails_only_its_own_job,
    cli_a_cancelled_job_stops_its_program,
    cli_a_lease_that_cannot_be_renewed_stops_its_program,
    cli_a_worker_that_drains_gives_its_jobs_back,
    the_key_of_a_lost_worker_goes_on,
);

/// What the page has between two marks, without the fences.
fn snippet(name: &str) -> String {
    let page = std::fs::read_to_string(repository().join("docs/workers.md")).expect("the page is there");
    let (begin, end) = (format!("<!-- {name}:begin -->"), format!("<!-- {name}:end -->"));
    let marked = page.split(&begin).nth(1).and_then(|rest| rest.split(&end).next()).expect("it is marked");
    let lines = marked.lines().filter(|line| !line.starts_with("```"));
    lines.collect::<Vec<_>>().join("\n")
}

async fn enqueue(client: &Client, job_type: &str, data: &Value) -> String {
    let body =
        json!({ "jobType": job_type, "data": data, "backoff": { "initial": "100ms", "jitter": false } });
    client.post("/v1/jobs", &body).await["id"].as_str().expect("an id").to_owned()
}

async fn ended(client: &Client, id: &str) -> Value {
    client.get(&format!("/v1/jobs/{id}?wait=true&timeout=30s")).await
}

/// Runs a worker of the page: it greets, reports a failure, and ends by itself after SIGTERM.
async fn greets(database: &Database, worker: &str, program: &str) {
    let server = Server::start(database).await;
    let client = server.client();
    let (good, bad) = (
        enqueue(&client, "greet", &json!({ "name": "Ada" })).await,
        enqueue(&client, "greet", &json!({ "nome": "Ada" })).await,
    );
    std::fs::write(server.directory().join(worker), snippet(program.trim_end_matches('3')))
        .expect("can be written");
    // The worker ends with exit code 0 once it was asked to stop, which `wait` passes on.
    let script = format!(
        "{program} {worker} & worker=$!
         for id in {good} {bad}; do
             curl -sS -H \"authorization: Bearer $TRUNKLINE_API_KEY\" \"$TRUNKLINE_URL/v1/jobs/$id?wait=true&timeout=30s\"
         done
         kill -TERM $worker; wait $worker",
    );
    bash(&server, server.directory(), &script, &[], DEADLINE).await;
    let done = ended(&client, &good).await;
    assert_eq!((&done["status"], &done["result"]), (&json!("COMPLETED"), &json!({ "text": "Hello, Ada" })));
    let failed = client.get(&format!("/v1/jobs/{bad}")).await;
    assert_eq!((&failed["status"], &failed["retryCount"]), (&json!("DEAD_LETTER"), &json!(3)), "{failed}");
    assert!(failed["error"]["message"].is_string() && failed["error"]["code"].is_string(), "{failed}");
}

async fn the_worker_in_python_works(database: Database) {
    greets(&database, "worker.py", "python3").await;
}

async fn the_worker_in_node_works(database: Database) {
    greets(&database, "worker.mjs", "node").await;
}

async fn cli_any_program_serves_a_job_type(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let program = r#"
        read -r data
        case "$data" in
            *json*) echo "{\"attempt\": $TRUNKLINE_JOB_ATTEMPT, \"key\": \"$TRUNKLINE_IDEMPOTENCY_KEY\"}";;
            *text*) echo "just text";;
            *again*) [ "$TRUNKLINE_JOB_ATTEMPT" -gt 1 ] && echo '"at last"' && exit 0; echo "busy" >&2; exit 75;;
            *) echo "no such thing" >&2; exit 3;;
        esac
    "#;
    std::fs::write(server.directory().join("program.sh"), program).expect("can be written");
    let mut ids = Vec::new();
    for what in ["json", "text", "again", "wrong"] {
        ids.push(enqueue(&client, "shell", &json!({ "what": what })).await);
    }
    let script = "trunkline work shell --concurrency 2 --max-jobs 5 -- bash program.sh";
    let printed = bash(&server, server.directory(), script, &[], DEADLINE).await;
    assert!(printed.contains("no such thing"), "standard error is passed on: {printed}");

    let jobs = [ended(&client, &ids[0]).await, ended(&client, &ids[1]).await, ended(&client, &ids[2]).await];
    assert_eq!(jobs[0]["result"], json!({ "attempt": 1, "key": ids[0] }), "{}", jobs[0]);
    assert_eq!(jobs[1]["result"], "just text");
    assert_eq!((&jobs[2]["result"], &jobs[2]["retryCount"]), (&json!("at last"), &json!(1)), "{}", jobs[2]);
    assert_eq!(jobs[2]["attempts"][0]["error"], json!({ "message": "busy", "code": "exit_75" }));
    let dead = ended(&client, &ids[3]).await;
    assert_eq!(dead["status"], "DEAD_LETTER", "{dead}");
    assert_eq!(dead["error"], json!({ "message": "no such thing", "code": "exit_3" }));
}

/// A program that eats all memory is ended by the system, and not the worker: its job is tried again and becomes a dead
/// letter, and the jobs beside it are done.
async fn cli_a_program_that_is_killed_fails_only_its_own_job(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let ids = [
        enqueue(&client, "hungry", &json!("poison")).await,
        enqueue(&client, "hungry", &json!("harmless")).await,
    ];
    let program = r#"read -r data; case "$data" in *poison*) kill -KILL $$;; *) echo fine;; esac"#;
    std::fs::write(server.directory().join("program.sh"), program).expect("can be written");
    // Four attempts at the poison, one at the other.
    let script = "trunkline work hungry --concurrency 2 --max-jobs 5 -- bash program.sh";
    bash(&server, server.directory(), script, &[], DEADLINE).await;
    let (poison, harmless) = (ended(&client, &ids[0]).await, ended(&client, &ids[1]).await);
    assert_eq!((&poison["status"], &poison["error"]["code"]), (&json!("DEAD_LETTER"), &json!("killed")));
    assert_eq!((&harmless["status"], &harmless["result"]), (&json!("COMPLETED"), &json!("fine")));
}

async fn cli_a_cancelled_job_stops_its_program(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let id = enqueue(&client, "long", &json!(null)).await;
    let script = format!(
        "trunkline work long --lease 6s --max-jobs 1 -- bash -c 'trap \"touch stopped; exit\" TERM; touch started; while :; do sleep 0.1; done' &
         until [ -e started ]; do sleep 0.1; done
         trunkline job cancel {id}
         wait
         [ -e stopped ]"
    );
    let printed = bash(&server, server.directory(), &script, &[], DEADLINE).await;
    assert!(printed.contains("cancelled"), "{printed}");
    assert_eq!(client.get(&format!("/v1/jobs/{id}")).await["status"], "CANCELLED");
}

/// The server takes the heartbeats and says nothing: when the lease is over the program is stopped all the same.
async fn cli_a_lease_that_cannot_be_renewed_stops_its_program(database: Database) {
    let server = Server::start(&database).await;
    let id = enqueue(&server.client(), "long", &json!(null)).await;
    let script = "trunkline work long --lease 6s -- bash -c 'trap \"touch stopped; exit\" TERM; touch started; while :; do sleep 0.1; done' &
         until [ -e stopped ]; do sleep 0.1; done";
    let freeze = async {
        let started = server.directory().join("started");
        until("the program runs", DEADLINE, || async { started.exists().then_some(()) }).await;
        server.signal("STOP");
    };
    let (printed, ()) = tokio::join!(bash(&server, server.directory(), script, &[], DEADLINE), freeze);
    server.signal("CONT");
    assert!(printed.contains("could not be renewed"), "{printed}");
    let job = server.client().get(&format!("/v1/jobs/{id}")).await;
    assert_ne!(job["status"], "COMPLETED", "{job}");
}

async fn cli_a_worker_that_drains_gives_its_jobs_back(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let id = enqueue(&client, "long", &json!(null)).await;
    let script = "trunkline work long --drain-secs 0 -- bash -c 'touch started; while :; do sleep 0.1; done' & worker=$!
         until [ -e started ]; do sleep 0.1; done
         kill -TERM $worker; wait $worker";
    bash(&server, server.directory(), script, &[], DEADLINE).await;
    let job = client.get(&format!("/v1/jobs/{id}")).await;
    assert_eq!((&job["status"], &job["attempts"]), (&json!("QUEUED"), &json!([])), "{job}");
}

/// The worker that holds a concurrency key dies without a report: the next job of the key starts when the lease has
/// ended, and not before.
async fn the_key_of_a_lost_worker_goes_on(database: Database) {
    let server = Server::start(&database).await;
    let client = server.client();
    let job = json!({ "jobType": "keyed", "concurrencyKey": "one", "maxRetries": 0 });
    client.post("/v1/jobs", &job).await;
    let second = client.post("/v1/jobs", &job).await["id"].as_str().expect("an id").to_owned();
    let poll = |wait: &str| json!({ "workerId": "w", "jobTypes": ["keyed"], "maxJobs": 2, "lease": "6s", "wait": wait });
    let lost = client.post("/v1/jobs/poll", &poll("10s")).await["jobs"][0].clone();
    assert_ne!(lost["id"], second.as_str(), "the first goes first");
    assert_eq!(client.post("/v1/jobs/poll", &poll("0s")).await["jobs"], json!([]), "its key is taken");
    let next = client.post("/v1/jobs/poll", &poll("30s")).await["jobs"].clone();
    assert_eq!((next[0]["id"].as_str(), next.as_array().map(Vec::len)), (Some(&*second), Some(1)));
    let ended = ended(&client, lost["id"].as_str().expect("an id")).await;
    assert_eq!((&ended["status"], &ended["error"]["code"]), (&json!("DEAD_LETTER"), &json!("worker_lost")));
    let late = json!({ "jobs": [{ "id": lost["id"], "leaseToken": lost["leaseToken"] }] });
    let outcome = client.post("/v1/jobs/complete", &late).await["results"][0]["outcome"].clone();
    assert_eq!(outcome, "lease_lost");
}

#[test]
fn the_pages_of_reliability_and_security_name_tests_that_are_there() {
    let mut code = String::new();
    for folder in ["shared", "services"] {
        collect(&repository().join(folder), &mut code);
    }
    for (name, begin, least) in
        [("reliability.md", "# ", 80), ("security.md", "\n## Threats and their tests", 120)]
    {
        let page = std::fs::read_to_string(repository().join("docs").join(name)).expect("the page is there");
        let (_, page) = page.split_once(begin).expect("it has this heading");
        let page = page.split("\n## Out of scope").next().unwrap_or_default();
        let named: BTreeSet<&str> = page
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|word| {
                word.matches('_').count() >= 2
                    && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            })
            .collect();
        assert!(named.len() > least, "{name}: {}", named.len());
        let missing: Vec<&&str> =
            named.iter().filter(|name| !code.contains(&format!("fn {name}("))).collect();
        assert!(missing.is_empty(), "{name}: no test is called {missing:?}");
    }
}

/// Appends the Rust files below a folder.
fn collect(folder: &Path, code: &mut String) {
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, code);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            code.push_str(&std::fs::read_to_string(&path).expect("code is text"));
        }
    }
}
