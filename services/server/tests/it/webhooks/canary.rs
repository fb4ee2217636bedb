//! I11 for webhooks: the secrets of endpoints are found nowhere: not in logs at their most talkative, not in what is
//! stored, not in any answer but the one that shows a made secret once.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::endpoint::{Endpoint, create, finished, register_workflow, text};
use super::sender::{Delivery, Sender};
use crate::harness::{Client, Database, Server, on_both_databases, trunkline};

const DEADLINE: Duration = Duration::from_secs(30);

const GIVEN: &str = "canary-given-secret-c41f9d";
const ROTATED: &str = "canary-rotated-secret-77d0a2";
const VERIFY_TOKEN: &str = "canary-verify-token-19be03";
const GITLAB_TOKEN: &str = "canary-gitlab-token-5a6610";
/// The 32 bytes of a sealing key.
const SEALING_KEY: &[u8; 32] = b"canary-sealing-key-of-32-bytes-x";

on_both_databases!(i11_secrets_of_webhooks_appear_nowhere);

/// Places and what is found there.
#[derive(Debug, Default)]
struct Places(Vec<(String, Vec<u8>)>);

impl Places {
    fn add(&mut self, place: &str, bytes: impl Into<Vec<u8>>) {
        self.0.push((place.to_owned(), bytes.into()));
    }

    /// Panics if any form of the secret is anywhere.
    fn hold_no(&self, secret: &str) {
        let forms = [
            secret.to_owned(),
            hex::encode(secret),
            hex::encode_upper(secret),
            // Without the end, which depends on what follows.
            STANDARD.encode(secret)[..secret.len() / 3 * 4].to_owned(),
            secret.strip_prefix("whsec_").unwrap_or(secret).to_owned(),
        ];
        for form in forms {
            for (place, bytes) in &self.0 {
                let found = bytes.windows(form.len()).position(|window| window == form.as_bytes());
                let around = found.map(|at| {
                    String::from_utf8_lossy(&bytes[at.saturating_sub(200)..(at + 200).min(bytes.len())])
                        .into_owned()
                });
                assert!(found.is_none(), "{secret} is in {place}:\n{}", around.unwrap_or_default());
            }
        }
    }
}

async fn i11_secrets_of_webhooks_appear_nowhere(database: Database) {
    let key = format!("canary:{}", STANDARD.encode(SEALING_KEY));
    let settings = [("TRUNKLINE_LOG__FILTER", "trace"), ("TRUNKLINE_SECRETS__KEYS", key.as_str())];
    let mut server = Server::start_with(&database, &settings).await;
    let (client, sender) = (server.client(), Sender::to(&server));
    register_workflow(&client).await;
    let mut places = Places::default();
    let made = make_endpoints(&client, &sender, &mut places).await;
    ask_everything(&client, &mut places).await;
    let metrics = Client::new(&server.metrics_url(), None);
    places.add("/metrics", metrics.try_get("/metrics").await.text);
    for arguments in [["config", "show"].as_slice(), &["doctor"], &["webhook", "list"]] {
        let output = trunkline(&server, arguments);
        places.add("the command line", format!("{}{}", output.stdout, output.stderr));
    }
    assert_eq!(server.terminate(DEADLINE).await.code(), Some(0));
    places.add("the log", server.log());
    add_stored(&database, &mut places);
    for secret in
        [GIVEN, ROTATED, VERIFY_TOKEN, GITLAB_TOKEN, std::str::from_utf8(SEALING_KEY).expect("text"), &made]
    {
        places.hold_no(secret);
    }
}

/// Endpoints with secrets that were given, made and rotated, and deliveries that show them where they may be shown.
/// Answers the one that was made.
async fn make_endpoints(client: &Client, sender: &Sender, places: &mut Places) -> String {
    let github = json!({"provider": "github", "secrets": [GIVEN]});
    let github = create(client, "given", &github).await;
    let rotate = format!("/v1/webhooks/{}/rotate-secret", github.id);
    let answer = client.try_post(&rotate, &json!({"secret": ROTATED, "overlap": "1h"})).await;
    places.add("a rotation", answer.text);
    let meta = json!({"provider": "meta", "secrets": [GIVEN], "verifyToken": VERIFY_TOKEN});
    create(client, "with a token", &meta).await;
    let gitlab = json!({"provider": "gitlab", "secrets": [GITLAB_TOKEN]});
    let gitlab = create(client, "plain", &gitlab).await;
    // Repeated with one key: the secret is in the first answer only.
    let body = json!({"name": "made", "provider": "standard", "triggers": []});
    let make = || client.call(reqwest::Method::POST, "/v1/webhooks").idempotent("make-one").json(&body);
    let first = make().answer().await.success();
    let made = text(&first["secret"]);
    assert!(made.starts_with("whsec_"), "{first}");
    places.add("the repeat of a making", make().answer().await.text);
    let faulty = json!({"name": "x", "provider": "standard", "secrets": [GIVEN], "triggers": []});
    let answer = client.try_post("/v1/webhooks", &faulty).await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    places.add("a 422", answer.text);
    deliver(client, sender, &github, &gitlab, places).await;
    made
}

async fn deliver(
    client: &Client,
    sender: &Sender,
    github: &Endpoint,
    gitlab: &Endpoint,
    places: &mut Places,
) {
    let signed = |secret: &str, id: &str| Delivery::signed(secret, id, id.as_bytes());
    for (secret, id) in [(GIVEN, "old"), (ROTATED, "new")] {
        let id = sender.accepted(&github.path, &signed(secret, id)).await;
        finished(client, &id).await;
    }
    let token =
        Delivery::of(b"{}".to_vec()).with("X-Gitlab-Token", GITLAB_TOKEN).with("X-Gitlab-Event", "Push Hook");
    let id = sender.accepted(&gitlab.path, &token).await;
    let (_, execution) = finished(client, &id).await;
    places.add("an execution", execution.to_string());
    // Secrets where a sender may put them by mistake, at an endpoint that refuses them.
    let mut misplaced = signed("wrong", "misplaced")
        .with("Authorization", &format!("Bearer {GIVEN}"))
        .with("X-Gitlab-Token", GITLAB_TOKEN)
        .with("X-Api-Key", ROTATED);
    misplaced.query = Some(format!("token={GIVEN}&secret={ROTATED}&verify_token={VERIFY_TOKEN}"));
    for path in [&github.path, "/hooks/whk_0193456789ab7def8123456789abcdef"] {
        let answer = sender.send(path, &misplaced).await;
        assert!(answer.status == 401 || answer.status == 404, "{}", answer.text);
        places.add("a refusal", answer.text);
    }
}

async fn ask_everything(client: &Client, places: &mut Places) {
    for path in ["/v1/webhooks", "/v1/deliveries", "/v1/audit", "/v1/jobs", "/v1/executions", "/openapi.json"]
    {
        places.add(path, client.try_get(path).await.text);
    }
    for list in ["/v1/webhooks", "/v1/deliveries"] {
        for item in client.all(list).await {
            let path = format!("{list}/{}", text(&item["id"]));
            let shown: Value = client.get(&path).await;
            places.add(&path, shown.to_string());
        }
    }
}

/// What a thief of the database would have.
fn add_stored(database: &Database, places: &mut Places) {
    if database.is_postgres() {
        let output = Command::new("pg_dump").arg(&database.url).output().expect("PostgreSQL brings pg_dump");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.stdout.windows(6).any(|window| window == b"canary"), "the dump names the key");
        places.add("the dump", output.stdout);
        return;
    }
    for suffix in ["", "-wal", "-shm"] {
        let file = format!("{}{suffix}", database.file());
        if Path::new(&file).exists() {
            places.add(&file, std::fs::read(&file).expect("it can be read"));
        }
    }
}
