//! I11: no key and no password is found where it does not belong: logs (at their most talkative), metrics, answers,
//! what the command line prints of the settings, and the kept answers of repeated calls.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use crate::harness::{Client, Database, Output, Server, TEST_KEY, on_both_databases, trunkline};

const DEADLINE: Duration = Duration::from_secs(30);

const PASSWORD: &str = "canary-password-81c2";

on_both_databases!(i11_secrets_appear_nowhere);

/// Secrets, and texts in which they must not be, each with its place.
#[derive(Debug, Default)]
struct Search {
    secrets: Vec<String>,
    texts: Vec<(String, String)>,
}

impl Search {
    fn secret(&mut self, secret: &str) {
        self.secrets.push(secret.to_owned());
    }

    fn text(&mut self, place: &str, text: String) {
        self.texts.push((place.to_owned(), text));
    }

    fn finds_nothing(&self) {
        for secret in &self.secrets {
            for (place, text) in &self.texts {
                assert!(!text.contains(secret), "{secret} is in {place}:\n{}", around(text, secret));
            }
        }
    }
}

async fn i11_secrets_appear_nowhere(database: Database) {
    let server = Server::start_with(&database, &[("TRUNKLINE_LOG__FILTER", "trace")]).await;
    let client = server.client();
    let mut search = Search::default();
    search.secret(TEST_KEY);
    if let Some(password) = password_of(&database.url) {
        search.secret(&password);
    }
    let key = make_a_key(&client, &mut search).await;
    be_refused(&client, &client.with_key(Some(&key)), &mut search).await;
    for path in ["/v1/api-keys", "/v1/audit", "/v1/workers", "/v1/jobs", "/openapi.json"] {
        search.text(path, client.try_get(path).await.text);
    }
    let metrics = Client::new(&server.metrics_url(), None);
    search.text("/metrics", metrics.try_get("/metrics").await.text);
    for arguments in
        [["key", "list"].as_slice(), &["config", "show"], &["doctor"], &["--json", "config", "show"]]
    {
        let output = trunkline(&server, arguments);
        search.text("the command line", format!("{}{}", output.stdout, output.stderr));
    }
    for arguments in [["config", "show"].as_slice(), &["doctor"]] {
        let output = tokio::task::block_in_place(|| Output::of(&mut server.verb(arguments)));
        search.text("the command line beside the server", format!("{}{}", output.stdout, output.stderr));
    }
    search.text("the log", server.log());
    search.finds_nothing();
}

/// A key is shown in the answer to its making, and not in the repeat of that answer.
async fn make_a_key(client: &Client, search: &mut Search) -> String {
    let body = json!({"name": "canary", "role": "worker"});
    let make = || client.call(Method::POST, "/v1/api-keys").idempotent("make-a-key").json(&body);
    let made = make().answer().await.success();
    let key = made["key"].as_str().expect("the key is shown once").to_owned();
    let repeat = make().answer().await;
    assert_eq!(repeat.header("idempotency-replayed"), Some("true"));
    assert_eq!(repeat.json()["id"], made["id"]);
    search.text("the repeat of a key's making", repeat.text);
    search.secret(&key);
    key
}

/// Refusals, with secrets in every place where a caller may put them by mistake. A lease token is one, too.
async fn be_refused(client: &Client, worker: &Client, search: &mut Search) {
    let job = client.post("/v1/jobs", &json!({"jobType": "leased", "data": {}})).await;
    let poll = json!({"workerId": "w", "jobTypes": ["leased"]});
    let polled = worker.post("/v1/jobs/poll", &poll).await;
    let token = polled["jobs"][0]["leaseToken"].as_str().expect("a token").to_owned();
    search.secret(&token);
    let path = format!("/v1/jobs/{}", job["id"].as_str().expect("an id"));
    search.text("a job", client.try_get(&path).await.text);

    let wrong = "tl_canary_of_a_wrong_key";
    search.secret(wrong);
    search.text("a 401", client.with_key(Some(wrong)).try_get("/v1/jobs").await.text);
    search.text("a 403", worker.try_post("/v1/api-keys", &json!({"name": "x", "role": "viewer"})).await.text);
    let forged = json!({"jobs": [{"id": "job_x", "leaseToken": token, "result": 1}]});
    search.text("a 422", worker.try_post("/v1/jobs/complete", &forged).await.text);
    let misplaced = json!({"jobs": [{"id": token, "leaseToken": token, "result": 1}]});
    search.text("a 422", worker.try_post("/v1/jobs/complete", &misplaced).await.text);
    search.text("a 404", client.try_get("/v1/executions/exe_0193456789ab7def8123456789abcdef").await.text);
}

fn password_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let (user, _) = rest.split_once('@')?;
    Some(user.split_once(':')?.1.to_owned())
}

fn around<'a>(text: &'a str, secret: &str) -> &'a str {
    let at = text.find(secret).unwrap_or(0);
    let (from, to) = (text.floor_char_boundary(at.saturating_sub(200)), text.ceil_char_boundary(at + 200));
    &text[from..to.min(text.len())]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i11_the_database_password_is_not_shown_when_it_is_wrong() {
    let database = Database::postgres().await;
    let right = password_of(&database.url).expect("the test server has a password");
    let wrong = Database::sqlite();
    let url = database.url.replace(&right, PASSWORD);
    let settings = [("DATABASE_URL", url.as_str()), ("TRUNKLINE_LOG__FILTER", "trace")];
    let mut server = Server::prepared(&wrong, &settings);
    server.spawn_doomed();
    assert_ne!(server.ended(DEADLINE).await.code(), Some(0));
    let log = server.log();
    assert!(!log.contains(PASSWORD), "{log}");
    assert!(log.contains("password authentication failed") || log.contains("refused"), "it says why: {log}");

    for arguments in [["config", "show"].as_slice(), &["doctor"], &["migrate"]] {
        let output = Output::of(&mut server.verb(arguments));
        let text = format!("{}{}", output.stdout, output.stderr);
        assert!(!text.contains(PASSWORD), "{arguments:?}: {text}");
        assert!(text.contains("postgres"), "{arguments:?} shows the rest of the address: {text}");
    }
}
