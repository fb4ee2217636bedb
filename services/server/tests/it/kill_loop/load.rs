//! Clients that enqueue without pause: jobs, batches and executions, each request under an `Idempotency-Key` and
//! repeated until it is answered.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;

use super::accounts::{Accounts, Made};
use crate::harness::{Client, Draw, until, within};

pub(super) const SINGLE: &str = "single";
pub(super) const BATCHED: &str = "batched";
pub(super) const STEP: &str = "step";

const CLIENTS: u64 = 3;

/// Requests of one client that are under way at once.
const TURNS: usize = 2;

/// Jobs of one batch.
const BATCH: usize = 5;

/// How long one request is repeated before the test fails.
const REQUEST_DEADLINE: Duration = Duration::from_secs(90);

/// The running clients.
pub(super) struct Load {
    stop: watch::Sender<bool>,
    clients: JoinSet<()>,
    accounts: Accounts,
}

impl Load {
    /// Starts the clients.
    pub(super) fn start(client: &Client, seed: u64) -> Self {
        let (stop, stopped) = watch::channel(false);
        let (mut clients, accounts) = (JoinSet::new(), Accounts::default());
        for number in 0..CLIENTS {
            let draw = Draw::new(seed + 1000 * (number + 1));
            clients.spawn(enqueue(client.clone(), number, draw, accounts.clone(), stopped.clone()));
        }
        Self { stop, clients, accounts }
    }

    /// How many requests were acknowledged so far.
    pub(super) fn acknowledged(&self) -> usize {
        self.accounts.requests()
    }

    /// Lets every client get an answer for its last requests, then answers what was promised.
    pub(super) async fn finish(mut self, deadline: Duration) -> Accounts {
        self.stop.send_replace(true);
        within("the last requests are answered", deadline, async {
            while let Some(ended) = self.clients.join_next().await {
                ended.expect("clients do not panic");
            }
        })
        .await;
        self.accounts
    }
}

/// A request that can be repeated.
#[derive(Debug)]
struct Request {
    key: String,
    made: Made,
    marks: Vec<String>,
    body: Value,
}

impl Request {
    fn new(client: u64, number: u64, kind: u64) -> Self {
        let key = format!("c{client}-{number}");
        match kind {
            0..=4 => {
                let body = job(SINGLE, &key);
                Self { made: Made::Job, marks: vec![key.clone()], body, key }
            }
            5..=6 => {
                let marks: Vec<String> = (0..BATCH).map(|item| format!("{key}.{item}")).collect();
                let jobs: Vec<Value> = marks.iter().map(|mark| job(BATCHED, mark)).collect();
                Self { made: Made::BatchedJob, marks, body: json!({ "jobs": jobs }), key }
            }
            _ => {
                let body = json!({ "workflow": "three-steps", "input": { "mark": key } });
                Self { made: Made::Execution, marks: vec![key.clone()], body, key }
            }
        }
    }

    const fn path(&self) -> &'static str {
        match self.made {
            Made::Job => "/v1/jobs",
            Made::BatchedJob => "/v1/jobs/batch",
            Made::Execution => "/v1/executions",
        }
    }
}

async fn enqueue(
    client: Client,
    client_number: u64,
    mut draw: Draw,
    accounts: Accounts,
    stopped: watch::Receiver<bool>,
) {
    let turns = Arc::new(Semaphore::new(TURNS));
    let mut requests = JoinSet::new();
    for number in 0.. {
        let turn = Arc::clone(&turns).acquire_owned().await.expect("nobody closes it");
        if *stopped.borrow() {
            break;
        }
        let request = Request::new(client_number, number, draw.below(10));
        let (client, accounts) = (client.clone(), accounts.clone());
        requests.spawn(async move { send(&client, &request, &accounts, turn).await });
    }
    while let Some(ended) = requests.join_next().await {
        ended.expect("a request does not panic");
    }
}

/// Sends a request until it is acknowledged. Gives its turn to another while the server still holds its key for the
/// call that died with the server before.
async fn send(client: &Client, request: &Request, accounts: &Accounts, turn: OwnedSemaphorePermit) {
    let turn = Mutex::new(Some(turn));
    let what = format!("an answer for {}", request.key);
    let answer = until(&what, REQUEST_DEADLINE, || async {
        let call = client.call(Method::POST, request.path()).idempotent(&request.key).json(&request.body);
        // No answer and 503: the server is dead or coming up.
        let answer = call.send().await.ok().filter(|answer| answer.status != 503)?;
        if answer.status == 409 {
            assert_eq!(answer.json()["code"], "idempotency_in_flight", "{}", answer.text);
            turn.lock().await.take();
            return None;
        }
        Some(answer)
    })
    .await;
    assert_eq!(answer.status, 202, "{}: {}", request.key, answer.text);
    accounts.record(request.made, &request.marks, &answer.json());
}

fn job(job_type: &str, mark: &str) -> Value {
    json!({
        "jobType": job_type, "data": { "mark": mark }, "maxRetries": 50,
        "backoff": { "initial": "100ms", "factor": 1.0, "max": "100ms", "jitter": false },
    })
}

/// A step of a worker, a built-in one, a step of a worker.
pub(super) fn workflow() -> Value {
    json!({
        "name": "three-steps", "version": 1,
        "retry": { "maxRetries": 50, "initial": "100ms", "factor": 1, "max": "100ms", "jitter": false },
        "nodes": [
            { "id": "first", "type": "SERVICE_TASK", "jobType": STEP, "input": { "mark": "${input.mark}" } },
            { "id": "middle", "type": "TRANSFORM", "dependsOn": ["first"],
              "output": { "mark": "${nodes.first.output.mark}" } },
            { "id": "last", "type": "SERVICE_TASK", "jobType": STEP, "dependsOn": ["middle"],
              "input": { "mark": "${nodes.middle.output.mark}" } },
        ],
        "output": { "mark": "${nodes.last.output.mark}" },
    })
}
