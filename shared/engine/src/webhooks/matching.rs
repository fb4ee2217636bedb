//! Match a delivery against the triggers of its endpoint, and start what they want. Done by a job after the answer; may
//! be cut off anywhere and repeated, since the ids of executions follow from delivery and trigger.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::id::{DeliveryId, ExecutionId};
use domain::time::Timestamp;
use domain::webhook::{DeliveryEvent, EventSource, Keys, Trigger, TriggerError, put_off_line};
use serde_json::{Value, json};
use store::webhooks::{DeliveryOutcome, DeliveryRecord, DeliverySource, DeliveryStatus, MATCHING_FAILED};

use super::classify::decoded;
use super::endpoint::Endpoint;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::fail_points;
use crate::metrics;
use crate::policy::BODY_BYTES_MAX;

/// Its endpoint is gone.
const WEBHOOK_DELETED: &str = "webhook_deleted";
/// Its body is gone, or does not decode.
const BODY_UNREADABLE: &str = "body_unreadable";
/// How many replays of replays are followed.
const REPLAYS_MAX: usize = 100;
/// A trigger made us fail.
const INTERNAL: &str = "internal";

/// What matching a delivery came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedDelivery {
    /// `Matched`, `Unmatched` or `Parked`; something else for one that is never matched.
    pub status: DeliveryStatus,
    /// The executions that it started.
    pub executions: Vec<ExecutionId>,
}

/// What a trigger came to.
pub(super) enum Decided {
    /// It does not want the delivery.
    No,
    /// It starts its workflow with this input; with keys, later.
    Starts(Value, Option<Keys>),
    /// Its start is put off, with the word for how, as things stand until then.
    PutOff(&'static str, Timestamp),
    /// It started this execution.
    Started(ExecutionId),
    /// It had started this execution before: the delivery is a replay.
    StartedBefore(ExecutionId),
    /// An execution with the unique key is open, and is the answer.
    Joined(ExecutionId),
    /// An execution with the unique key is open, and nothing starts.
    Exists(ExecutionId),
    /// Neither, and somebody has to look.
    Failed { code: &'static str, message: String },
}

impl Engine {
    /// Matches a delivery, for an attempt of its job with this trace context: what it starts is below it. A delivery that was
    /// matched already is left as it is; one whose job had died is not. In a replay triggers that had started their workflows
    /// do so again only where `starts_again`.
    pub async fn match_delivery(
        &self,
        id: DeliveryId,
        starts_again: bool,
        traceparent: Option<&str>,
    ) -> Result<MatchedDelivery, EngineError> {
        let Some(mut record) = self.store().delivery(&TenantScope::All, id).await? else {
            return Ok(MatchedDelivery { status: DeliveryStatus::Unmatched, executions: Vec::new() });
        };
        if let Some(traceparent) = traceparent {
            record.traceparent = Some(traceparent.to_owned());
        }
        if !is_open(&record) {
            // A process that died after it recorded the matching may have left this to do.
            self.store().show_ended_starts(id).await?;
            return Ok(MatchedDelivery { status: record.status, executions: record.executions });
        }
        let Some(triggers) = self.triggers_for(&record).await? else {
            return self.park(id, WEBHOOK_DELETED).await;
        };
        let Some(body) = self.store().delivery_body(&TenantScope::All, id).await? else {
            return self.park(id, BODY_UNREADABLE).await;
        };
        let (shared, shared_record) = (triggers.clone(), record.clone());
        let decided = tokio::task::spawn_blocking(move || decide_all(&shared, &shared_record, &body)).await;
        let (event, decided) = match decided {
            Ok(Some((event, decided))) => (Arc::new(event), decided),
            Ok(None) => return self.park(id, BODY_UNREADABLE).await,
            Err(error) if error.is_panic() => {
                tracing::error!(delivery.id = %id, "a trigger panicked");
                return self.park(id, INTERNAL).await;
            }
            Err(error) => return Err(EngineError::Fold { source: Box::new(error) }),
        };
        let origin = if starts_again { record.id } else { self.origin_of(&record).await? };
        // Nodes that wait do not depend on what triggers start.
        let has_woken = self.wake_waiting_nodes(&record, &event).await?;
        let decided = self.start_for((&record, origin), triggers.list(), decided).await?;
        fail_points::reach("match-started");
        let matched = self.finish_matching(outcome_of(id, triggers.list(), &decided, has_woken)).await?;
        if decided.iter().any(|decided| matches!(decided, Decided::PutOff(..))) {
            // A start that ended since its event was added found no line to show that in.
            self.store().show_ended_starts(id).await?;
        }
        Ok(matched)
    }

    /// What decides about a delivery; `None` where its endpoint is gone.
    async fn triggers_for(&self, record: &DeliveryRecord) -> Result<Option<Triggers>, EngineError> {
        if record.source() == DeliverySource::Event {
            return Ok(Some(Triggers::Event(self.event_triggers(&record.tenant).await?)));
        }
        Ok(self.endpoint(record.webhook_id).await?.map(Triggers::Webhook))
    }

    /// A delivery as expressions see it; `None` where its endpoint or its body is gone.
    pub(crate) async fn delivery_event(
        &self,
        record: &DeliveryRecord,
    ) -> Result<Option<DeliveryEvent>, EngineError> {
        let Some(triggers) = self.triggers_for(record).await? else {
            return Ok(None);
        };
        let Some(body) = self.store().delivery_body(&TenantScope::All, record.id).await? else {
            return Ok(None);
        };
        let record = record.clone();
        let read = tokio::task::spawn_blocking(move || event_of(&triggers, &record, &body)).await;
        read.map_err(|error| EngineError::Fold { source: Box::new(error) })
    }

    /// The delivery that this one replays in the end: executions are named after it, so that a trigger starts one, however
    /// often it is replayed.
    async fn origin_of(&self, record: &DeliveryRecord) -> Result<DeliveryId, EngineError> {
        let (mut origin, mut next) = (record.id, record.replay_of);
        for _ in 0..REPLAYS_MAX {
            let Some(id) = next else {
                break;
            };
            origin = id;
            next = self.store().delivery(&TenantScope::All, id).await?.and_then(|record| record.replay_of);
        }
        Ok(origin)
    }

    /// Parks a delivery about which nothing was decided.
    async fn park(&self, id: DeliveryId, reason: &str) -> Result<MatchedDelivery, EngineError> {
        let outcome = DeliveryOutcome {
            id,
            status: DeliveryStatus::Parked,
            reason: Some(reason.to_owned()),
            outcome: "[]".to_owned(),
            executions: Vec::new(),
        };
        self.finish_matching(outcome).await
    }

    async fn finish_matching(&self, outcome: DeliveryOutcome) -> Result<MatchedDelivery, EngineError> {
        self.store().finish_delivery(&outcome, self.now()).await?;
        metrics::matches(outcome.status.as_str(), 1);
        Ok(MatchedDelivery { status: outcome.status, executions: outcome.executions })
    }
}

/// Whether a delivery is still to be matched.
fn is_open(record: &DeliveryRecord) -> bool {
    record.status == DeliveryStatus::Accepted
        || (record.status == DeliveryStatus::Parked && record.reason.as_deref() == Some(MATCHING_FAILED))
}

/// The triggers of an endpoint, or those of events.
#[derive(Clone)]
enum Triggers {
    Webhook(Arc<Endpoint>),
    Event(Arc<Vec<Trigger>>),
}

impl Triggers {
    fn list(&self) -> &[Trigger] {
        match self {
            Self::Webhook(endpoint) => endpoint.triggers(),
            Self::Event(triggers) => triggers,
        }
    }
}

/// The delivery, and what each trigger wants; `None` if the body cannot be read.
fn decide_all(
    triggers: &Triggers,
    record: &DeliveryRecord,
    body: &[u8],
) -> Option<(DeliveryEvent, Vec<Decided>)> {
    let event = event_of(triggers, record, body)?;
    let decide = |trigger: &Trigger| -> Result<_, TriggerError> {
        let Some(input) = trigger.decide(&event)? else { return Ok(None) };
        let is_put_off = trigger.config.put_off_result().is_some();
        Ok(Some((input, is_put_off.then(|| trigger.keys(&event)).transpose()?)))
    };
    let decided = triggers.list().iter().map(|trigger| match decide(trigger) {
        Ok(None) => Decided::No,
        Ok(Some((input, keys))) => Decided::Starts(input, keys),
        Err(error) => Decided::Failed { code: error.code(), message: error.to_string() },
    });
    let decided = decided.collect();
    Some((event, decided))
}

fn event_of(triggers: &Triggers, record: &DeliveryRecord, body: &[u8]) -> Option<DeliveryEvent> {
    let headers: Vec<(String, String)> = serde_json::from_str(&record.headers).ok()?;
    let encodings: Vec<&[u8]> = headers
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("content-encoding"))
        .map(|(_, value)| value.as_bytes())
        .collect();
    let body = decoded(&encodings, body, BODY_BYTES_MAX as usize).ok()?;
    let webhook = match triggers {
        Triggers::Webhook(endpoint) => Some(endpoint.record.name.as_str()),
        Triggers::Event(_) => None,
    };
    Some(DeliveryEvent::new(&EventSource {
        id: record.id,
        webhook,
        received_at: record.received_at,
        event_type: record.event_type.as_deref(),
        query: record.target.split_once('?').map(|(_, query)| query),
        headers: &headers,
        body: &body,
    }))
}

fn outcome_of(id: DeliveryId, triggers: &[Trigger], decided: &[Decided], has_woken: bool) -> DeliveryOutcome {
    // A node that it woke, and a start that is to come, count as an execution that it started before.
    let (mut executions, mut reason, mut is_started_before) = (Vec::new(), None, has_woken);
    let lines = triggers.iter().zip(decided).map(|(trigger, decided)| {
        let mut line = json!({ "triggerId": trigger.id(), "workflow": trigger.config.workflow });
        match decided {
            Decided::No | Decided::Starts(..) => line["result"] = json!("no_match"),
            Decided::PutOff(result, until) => {
                is_started_before = true;
                put_off_line(&mut line, result, *until);
            }
            Decided::Started(execution) => {
                executions.push(*execution);
                line["result"] = json!("started");
                line["executionId"] = json!(execution);
            }
            Decided::StartedBefore(execution) => {
                is_started_before = true;
                line["result"] = json!("started_before");
                line["executionId"] = json!(execution);
            }
            Decided::Joined(execution) | Decided::Exists(execution) => {
                is_started_before = true;
                let is_joined = matches!(decided, Decided::Joined(_));
                line["result"] = json!(if is_joined { "joined" } else { "exists" });
                line["executionId"] = json!(execution);
            }
            Decided::Failed { code, message } => {
                reason.get_or_insert(*code);
                line["result"] = json!("error");
                line["error"] = json!({ "code": code, "message": message });
            }
        }
        line
    });
    let outcome = Value::Array(lines.collect()).to_string();
    let status = match (reason, executions.is_empty() && !is_started_before) {
        (Some(_), _) => DeliveryStatus::Parked,
        (None, false) => DeliveryStatus::Matched,
        (None, true) => DeliveryStatus::Unmatched,
    };
    DeliveryOutcome { id, status, reason: reason.map(str::to_owned), outcome, executions }
}
