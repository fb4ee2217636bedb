//! I11: no key and no password is found where it does not belong: logs (at their most talkative), metrics, answers,
//! what the command line prints of the settings, and the kept answers of repeated calls.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use crate::harness::{Client, Database, Output, Server, TEST_KEY, on_both_databases, trunkline};

const DEADLINE: Duration = Duration::from_secs(30);

const PASSWORD: &str = "canary-password-81c2";

on_both_databases!(i11_secrets_appear_nowhere);

async fn i11_secrets_appear_nowhere(database: Database) {
    let server = Server::start_with(&database, &[("TRUNKLINE_LOG__FILTER", "trace")]).await;
    let client = server.client();
    let mut secrets = vec![TEST_KEY.to_owned()];
    secrets.extend(password_of(&database.url));
    let mut texts = Vec::new();

    // A key is shown in the answer to its making, and not in the repeat of that answer.
    let body = json!({"name": "canary", "role": "worker"});
    let make = || {
        client
            .call(Method::POST, "/v1/api-keys")
            .idempotent("make-a-key")
            .json(&body)
    };
    let made = make().answer().await.success();
    let key = made["key"].as_str().expect("the key is shown once").to_owned();
    let repeat = make().answer().await;
    assert_eq!(repeat.header("idempotency-replayed"), Some("true"));
    assert_eq!(repeat.json()["id"], made["id"]);
    texts.push(("the repeat of a key's making", repeat.text));
    secrets.push(key.clone());

    // A lease token belongs to its worker only.
    let worker = client.with_key(Some(&key));
    let job = client
        .post("/v1/jobs", &json!({"jobType": "leased", "data": {}}))
        .await;
    let polled = worker
        .post("/v1/jobs/poll", &json!({"workerId": "w", "jobTypes": ["leased"]}))
        .await;
    let token = polled["jobs"][0]["leaseToken"]
        .as_str()
        .expect("a token")
        .to_owned();
    texts.push((
        "a job",
        client
            .try_get(&format!("/v1/jobs/{}", job["id"].as_str().expect("an id")))
            .await
            .text,
    ));
    secrets.push(token.clone());

    // Refusals, with secrets in every place where a caller may put them by mistake.
    let refused = client.with_key(Some("tl_canary_of_a_wrong_key"));
    secrets.push("tl_canary_of_a_wrong_key".to_owned());
    texts.push(("a 401", refused.try_get("/v1/jobs").await.text));
    texts.push(("a 403", worker.try_post("/v1/api-keys", &body).await.text));
    let forged = json!({"jobs": [{"id": "job_x", "leaseToken": token, "result": 1}]});
    texts.push(("a 422", worker.try_post("/v1/jobs/complete", &forged).await.text));
    texts.push((
        "a 404",
        client
            .try_get("/v1/executions/exe_0193456789ab7def8123456789abcdef")
            .await
            .text,
    ));

    for path in [
        "/v1/api-keys",
        "/v1/audit",
        "/v1/workers",
        "/v1/jobs",
        "/openapi.json",
    ] {
        texts.push((path, client.try_get(path).await.text));
    }
    let metrics = Client::new(&server.metrics_url(), None);
    texts.push(("/metrics", metrics.try_get("/metrics").await.text));
    for arguments in [
        &["key", "list"] as &[&str],
        &["config", "show"],
        &["doctor"],
        &["--json", "config", "show"],
    ] {
        let output = trunkline(&server, arguments);
        texts.push(("the command line", format!("{}{}", output.stdout, output.stderr)));
    }
    texts.push(("the log", server.log()));
    for secret in &secrets {
        for (place, text) in &texts {
            assert!(
                !text.contains(secret.as_str()),
                "{secret} is in {place}:\n{}",
                around(text, secret)
            );
        }
    }
}

fn password_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let (user, _) = rest.split_once('@')?;
    Some(user.split_once(':')?.1.to_owned())
}

fn around<'a>(text: &'a str, secret: &str) -> &'a str {
    let at = text.find(secret).unwrap_or(0);
    let (from, to) = (
        text.floor_char_boundary(at.saturating_sub(200)),
        text.ceil_char_boundary(at + 200),
    );
    &text[from..to.min(text.len())]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i11_the_database_password_is_not_told_when_it_is_wrong() {
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
    assert!(
        log.contains("password authentication failed") || log.contains("refused"),
        "it says why: {log}"
    );

    for arguments in [["config", "show"].as_slice(), &["doctor"], &["migrate"]] {
        let output = Output::of(&mut server.verb(arguments));
        let text = format!("{}{}", output.stdout, output.stderr);
        assert!(!text.contains(PASSWORD), "{arguments:?}: {text}");
        assert!(
            text.contains("postgres"),
            "{arguments:?} shows the rest of the address: {text}"
        );
    }
}
