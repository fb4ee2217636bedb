//! Match a delivery against the triggers of its endpoint, and start what they want. Done by a job after the answer; may
//! be cut off anywhere and repeated, since the ids of executions follow from delivery and trigger.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use domain::access::TenantScope;
use domain::id::{DeliveryId, ExecutionId};
use domain::time::Timestamp;
use domain::webhook::{
    DeliveryEvent, DeliverySource, DeliveryStatus, EventSource, Keys, Trigger, TriggerError, put_off_line,
};
use domain::workflow::expression::Allowance;
use serde_json::{Value, json};
use store::webhooks::{DeliveryOutcome, DeliveryRecord, MATCHING_FAILED};

use super::classify::decoded;
use super::endpoint::Endpoint;
use crate::bounds::json_bytes;
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
/// How many bytes of inputs are decided on before what they are for is started: a tenant has many triggers, and each may start
/// its workflow with all of a large body.
const INPUTS_BYTES_MAX: usize = 4 * 1024 * 1024;
/// How many bytes of inputs all triggers make of one delivery: what is put off is stored once for each of them.
const DELIVERY_INPUTS_BYTES_MAX: usize = 64 * 1024 * 1024;
/// The word for a trigger that finds no room for its input in that.
const INPUTS_TOO_LARGE: &str = "inputs_too_large";
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

/// What executions of a delivery are named after.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    /// The delivery itself, or the one that it replays in the end.
    pub(super) delivery: DeliveryId,
    /// Whether triggers that had started their workflows for it do so again.
    pub(super) starts_again: bool,
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
        let allowance = Allowance::metered(self.policy().evaluation);
        let read = move || {
            let event = event_of(&shared, &shared_record, &body)?.within(allowance);
            let part = decide_some(shared.list(), &event, 0);
            Some((Arc::new(event), part))
        };
        let (event, part) = match self.apart(&record, read).await? {
            Some(Some(read)) => read,
            Some(None) => return self.park(id, BODY_UNREADABLE).await,
            None => return self.park(id, INTERNAL).await,
        };
        let origin = Origin { delivery: self.origin_of(&record).await?, starts_again };
        // Nodes that wait do not depend on what triggers start.
        let has_woken = self.wake_waiting_nodes(&record, &event).await?;
        let decided = self.start_by_parts((&record, origin), &triggers, &event, part).await?;
        fail_points::reach("match-started");
        let matched = self.finish_matching(outcome_of(id, triggers.list(), &decided, has_woken)).await?;
        if decided.iter().any(|decided| matches!(decided, Decided::PutOff(..))) {
            // A start that ended since its event was added found no line to show that in.
            self.store().show_ended_starts(id).await?;
        }
        Ok(matched)
    }

    /// Starts what was decided on, decides on the next triggers, and so on to the last. Where a trigger panics, it and those after it
    /// fail: what was started before is shown beside that.
    async fn start_by_parts(
        &self,
        of: (&DeliveryRecord, Origin),
        triggers: &Triggers,
        event: &Arc<DeliveryEvent>,
        mut part: Part,
    ) -> Result<Vec<Decided>, EngineError> {
        let list = triggers.list();
        let mut started = Vec::with_capacity(list.len());
        loop {
            let (from, bytes) = (started.len(), part.bytes);
            let decided_on = &list[from..from + part.decided.len()];
            started.extend(self.start_for(of, decided_on, part.decided).await?);
            let (from, shared, event) = (started.len(), triggers.clone(), Arc::clone(event));
            if from == list.len() {
                return Ok(started);
            }
            let next = move || decide_some(&shared.list()[from..], &event, bytes);
            let Some(decided) = self.apart(of.0, next).await? else {
                let message = "A trigger could not be evaluated.";
                let failed = |_: &_| Decided::Failed { code: INTERNAL, message: message.to_owned() };
                started.extend(list[from..].iter().map(failed));
                return Ok(started);
            };
            part = decided;
        }
    }

    /// Does what takes the processor for long, in the tenant's share of the threads for that. `None` where it panicked.
    async fn apart<T: Send + 'static>(
        &self,
        record: &DeliveryRecord,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>, EngineError> {
        // Nothing of it is seen again after a panic.
        let caught = move || catch_unwind(AssertUnwindSafe(work)).ok();
        let done = self.workbench().wait(&record.tenant, caught).await?;
        if done.is_none() {
            tracing::error!(
                delivery.id = %record.id,
                "a delivery could not be matched: its body or a trigger made the matching panic"
            );
        }
        Ok(done)
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
        let (tenant, record) = (record.tenant.clone(), record.clone());
        self.workbench().wait(&tenant, move || event_of(&triggers, &record, &body)).await
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

/// What some triggers want, and the bytes of the inputs of all triggers up to them.
struct Part {
    decided: Vec<Decided>,
    bytes: usize,
}

/// What the first of these triggers want: as many of them as have so many bytes of inputs. Those before them have `before` already.
fn decide_some(triggers: &[Trigger], event: &DeliveryEvent, before: usize) -> Part {
    let decide = |trigger: &Trigger| -> Result<_, TriggerError> {
        let Some(input) = trigger.decide(event)? else { return Ok(None) };
        let is_put_off = trigger.config.put_off_result().is_some();
        Ok(Some((input, is_put_off.then(|| trigger.keys(event)).transpose()?)))
    };
    let mut part = Part { decided: Vec::new(), bytes: before };
    for trigger in triggers {
        if part.bytes - before >= INPUTS_BYTES_MAX {
            break;
        }
        part.decided.push(match decide(trigger) {
            Ok(None) => Decided::No,
            Ok(Some((input, keys))) => match part.bytes + json_bytes(&input) {
                bytes if bytes <= DELIVERY_INPUTS_BYTES_MAX => {
                    part.bytes = bytes;
                    Decided::Starts(input, keys)
                }
                _ => Decided::Failed { code: INPUTS_TOO_LARGE, message: inputs_too_large() },
            },
            Err(error) => Decided::Failed { code: error.code(), message: error.to_string() },
        });
    }
    part
}

fn inputs_too_large() -> String {
    format!("All triggers together make at most {DELIVERY_INPUTS_BYTES_MAX} bytes of inputs of one delivery.")
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

#[cfg(test)]
mod tests {
    use domain::id::Id;
    use domain::names::WorkflowName;
    use domain::webhook::TriggerConfig;

    use super::*;

    fn trigger(number: usize) -> Trigger {
        let config = TriggerConfig {
            id: Some(format!("t{number}")),
            workflow: WorkflowName::trusted("w"),
            version: None,
            events: Vec::new(),
            filter: None,
            input: None,
            priority: None,
            debounce: None,
            throttle: None,
            batch: None,
        };
        Trigger::compile(&config).expect("valid")
    }

    fn event(body: &Value) -> DeliveryEvent {
        DeliveryEvent::new(&EventSource {
            id: Id::from_uuid(uuid::Uuid::from_u128(1)),
            webhook: None,
            received_at: Timestamp(0),
            event_type: Some("a"),
            query: None,
            headers: &[],
            body: body.to_string().as_bytes(),
        })
    }

    #[test]
    fn triggers_are_decided_on_up_to_so_many_bytes_of_inputs() {
        let triggers: Vec<Trigger> = (0..100).map(trigger).collect();
        let body = json!({"text": "x".repeat(INPUTS_BYTES_MAX / 5)});
        assert_eq!(json_bytes(&body), body.to_string().len());
        let large = event(&body);
        let part = decide_some(&triggers, &large, 0);
        assert_eq!((part.decided.len(), part.bytes), (5, 5 * json_bytes(&body)));
        assert_eq!(decide_some(&triggers[98..], &large, part.bytes).decided.len(), 2);
        assert_eq!(decide_some(&triggers, &event(&json!({"a": "ü\n"})), part.bytes).decided.len(), 100);
        // Beyond what all of them may have, a small input fits still.
        let full = DELIVERY_INPUTS_BYTES_MAX - 100;
        let failed = decide_some(&triggers[..1], &large, full);
        assert!(matches!(failed.decided[0], Decided::Failed { code: INPUTS_TOO_LARGE, .. }));
        let small = decide_some(&triggers[..1], &event(&json!({})), failed.bytes);
        assert!(matches!(small.decided[0], Decided::Starts(..)));
    }
}
