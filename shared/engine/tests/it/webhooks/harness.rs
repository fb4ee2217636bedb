//! The sender's side, and the webhook pool, by hand.

use domain::id::{DeliveryId, WebhookId};
use domain::names::{WorkerId, WorkflowName};
use domain::queue::QueueName;
use domain::time::Timestamp;
use domain::webhook::{Provider, RequestParts, SchemeConfig, Signer, TriggerConfig, sign};
use engine::{
    Admission, Incoming, JOB_TYPE_DELIVERY, MatchedDelivery, PoolClaim, Received, SavedWebhook,
    WebhookRequest,
};
use serde_json::{Value, json};
use store::executions::ExecutionRecord;
use testkit::EngineHarness;

/// A sender that knows the secret.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    pub(super) id: WebhookId,
    pub(super) provider: Provider,
    pub(super) secret: String,
}

/// A workflow with one job.
pub(super) async fn register(harness: &EngineHarness, name: &str) {
    let definition = json!({
        "name": name, "version": 1,
        "nodes": [{"id": "work", "type": "SERVICE_TASK", "jobType": "work", "input": "${input}"}]
    });
    harness.register(&definition).await.unwrap();
}

pub(super) fn trigger(workflow: &str) -> TriggerConfig {
    TriggerConfig {
        id: None,
        workflow: WorkflowName::trusted(workflow),
        version: None,
        events: Vec::new(),
        filter: None,
        input: None,
        priority: None,
        debounce: None,
        throttle: None,
        batch: None,
    }
}

/// A GitHub endpoint with a secret that was made for it.
pub(super) async fn github(harness: &EngineHarness, name: &str, triggers: Vec<TriggerConfig>) -> Sender {
    let request = WebhookRequest { triggers, ..WebhookRequest::new(name, Provider::GitHub) };
    let saved = harness.engine.create_webhook(&harness.admin(), request).await.unwrap();
    sender(&saved)
}

pub(super) fn sender(saved: &SavedWebhook) -> Sender {
    Sender {
        id: saved.view.id,
        provider: saved.view.config.provider,
        secret: saved.made[0].text.reveal().to_owned(),
    }
}

impl Sender {
    /// A push of GitHub.
    pub(super) fn push(&self, delivery: &str, body: &Value) -> Incoming {
        let headers = [("X-GitHub-Event", "push"), ("X-GitHub-Delivery", delivery)];
        self.signed(&headers, body.to_string().as_bytes(), Timestamp(0))
    }

    /// A request that is signed at `now`.
    pub(super) fn signed(&self, headers: &[(&str, &str)], body: &[u8], now: Timestamp) -> Incoming {
        let mut all: Vec<(String, Vec<u8>)> = vec![("Content-Type".to_owned(), b"application/json".to_vec())];
        all.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())));
        let path = format!("/hooks/{}", self.id);
        let borrowed: Vec<(&str, &[u8])> =
            all.iter().map(|(name, value)| (name.as_str(), value.as_slice())).collect();
        let parts = RequestParts::new("POST", &path, &borrowed, body);
        let config = SchemeConfig::preset(self.provider);
        let signature = sign(&config, Signer::Secret(&self.secret), "msg", &parts, now).unwrap();
        all.extend(signature.into_iter().map(|(name, value)| (name, value.into_bytes())));
        Incoming {
            method: "POST".to_owned(),
            path,
            query: None,
            headers: all,
            body: body.to_vec(),
            remote_address: Some("192.0.2.7".parse().unwrap()),
            traceparent: None,
        }
    }
}

/// Sends a request to an endpoint.
pub(super) async fn send(harness: &EngineHarness, id: WebhookId, incoming: Incoming) -> Received {
    match harness.engine.admit_delivery(Some(id), incoming.remote_address).await.unwrap() {
        Admission::Refused(refused) => Received::Refused(refused),
        Admission::Admitted(admitted) => harness.engine.receive_delivery(admitted, incoming).await.unwrap(),
    }
}

/// Sends a request that has to be accepted.
pub(super) async fn accepted(harness: &EngineHarness, id: WebhookId, incoming: Incoming) -> DeliveryId {
    match send(harness, id, incoming).await {
        Received::Accepted { delivery_id, .. } => delivery_id,
        other => panic!("not accepted: {other:?}"),
    }
}

/// The status and the word of a refusal.
pub(super) fn refusal(received: &Received) -> (u16, &'static str) {
    match received {
        Received::Refused(refused) => (refused.status, refused.error),
        other => panic!("not refused: {other:?}"),
    }
}

/// Does all jobs of `workflow-webhook`, as the pool does, and answers what they came to, oldest first.
pub(super) async fn work(harness: &EngineHarness) -> Vec<MatchedDelivery> {
    let claim = PoolClaim {
        queue: QueueName::Webhook,
        jobs_max: 100,
        worker_id: WorkerId::trusted("webhook-pool"),
        job_types: None,
    };
    let mut matched = Vec::new();
    for job in harness.engine.claim(claim).await.unwrap() {
        assert_eq!(job.job_type.as_str(), JOB_TYPE_DELIVERY);
        let data: Value = serde_json::from_str(&job.data).unwrap();
        let id = DeliveryId::parse(data["deliveryId"].as_str().unwrap()).unwrap();
        let is_anew = data["allTriggers"] == true;
        matched.push(harness.engine.match_delivery(id, is_anew, None).await.unwrap());
        harness.settle(&job, domain::job::Outcome::Completed(None)).await.unwrap();
    }
    matched
}

pub(super) async fn executions(harness: &EngineHarness) -> Vec<ExecutionRecord> {
    harness.executions("").await
}

/// Replays the deliveries of an endpoint that have one of these statuses.
pub(super) fn replay_of(
    webhook: domain::id::WebhookId,
    statuses: &[&str],
    limit: Option<u64>,
) -> engine::BulkRequest {
    use domain::search::{Search, SearchList, Term, TermValue, Test};
    let text = |status: &&str| Test::Is(TermValue::Text((*status).to_owned()));
    let of_status =
        Term { key: "status".to_owned(), is_negated: false, tests: statuses.iter().map(text).collect() };
    let terms = vec![Term::is("webhookId", TermValue::Id(webhook.uuid())), of_status];
    engine::BulkRequest {
        action: engine::BulkAction::ReplayDeliveries { all_triggers: true },
        target: engine::BulkTarget::Filter(Search { terms, ..Search::all(SearchList::Deliveries) }),
        all: false,
        has_filter: true,
        dry_run: false,
        pace: domain::bulk::BulkPace { limit, ..domain::bulk::BulkPace::default() },
        reason: None,
    }
}
