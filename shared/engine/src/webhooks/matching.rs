//! Match a delivery against the triggers of its endpoint, and start what they want. Done by a job after the answer; may
//! be cut off anywhere and repeated, since the ids of executions follow from delivery and trigger.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::id::{DeliveryId, ExecutionId};
use domain::webhook::{DeliveryEvent, EventSource, Trigger};
use serde_json::{Value, json};
use store::webhooks::{DeliveryOutcome, DeliveryRecord, DeliveryStatus, MATCHING_FAILED};

use super::encoding::decoded;
use super::endpoint::Endpoint;
use super::policy::BODY_BYTES_MAX;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::fail_points;
use crate::metrics;

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
    /// It starts its workflow with this input.
    Starts(Value),
    /// It started this execution.
    Started(ExecutionId),
    /// It had started this execution before: the delivery is a replay.
    StartedBefore(ExecutionId),
    /// Neither, and somebody has to look.
    Failed { code: &'static str, message: String },
}

impl Engine {
    /// Matches a delivery. One that was matched already is left as it is; one whose job had died is not. In a replay a
    /// trigger that had started its workflow does so no more.
    pub async fn match_delivery(&self, id: DeliveryId) -> Result<MatchedDelivery, EngineError> {
        self.match_triggers(id, false).await
    }

    /// The same; triggers that had started their workflows for the delivery that this one replays do so again.
    pub async fn match_all_triggers(&self, id: DeliveryId) -> Result<MatchedDelivery, EngineError> {
        self.match_triggers(id, true).await
    }

    async fn match_triggers(
        &self,
        id: DeliveryId,
        starts_again: bool,
    ) -> Result<MatchedDelivery, EngineError> {
        let Some(record) = self.store().delivery(&TenantScope::All, id).await? else {
            return Ok(MatchedDelivery { status: DeliveryStatus::Unmatched, executions: Vec::new() });
        };
        if !is_open(&record) {
            return Ok(MatchedDelivery { status: record.status, executions: record.executions });
        }
        let Some(endpoint) = self.endpoint(record.webhook_id).await? else {
            return self.park(id, WEBHOOK_DELETED).await;
        };
        let Some(body) = self.store().delivery_body(&TenantScope::All, id).await? else {
            return self.park(id, BODY_UNREADABLE).await;
        };
        let (shared, shared_record) = (Arc::clone(&endpoint), record.clone());
        let decided = tokio::task::spawn_blocking(move || decide_all(&shared, &shared_record, &body)).await;
        let decided = match decided {
            Ok(Some(decided)) => decided,
            Ok(None) => return self.park(id, BODY_UNREADABLE).await,
            Err(error) if error.is_panic() => {
                tracing::error!(delivery.id = %id, "a trigger panicked");
                return self.park(id, INTERNAL).await;
            }
            Err(error) => return Err(EngineError::Fold { source: Box::new(error) }),
        };
        let origin = if starts_again { record.id } else { self.origin_of(&record).await? };
        let decided = self.start_for((&record, origin), endpoint.triggers(), decided).await?;
        fail_points::reach("match-started");
        self.finish_matching(outcome_of(id, endpoint.triggers(), &decided)).await
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

/// What each trigger wants; `None` if the body cannot be read.
fn decide_all(endpoint: &Endpoint, record: &DeliveryRecord, body: &[u8]) -> Option<Vec<Decided>> {
    let headers: Vec<(String, String)> = serde_json::from_str(&record.headers).ok()?;
    let encodings: Vec<&[u8]> = headers
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("content-encoding"))
        .map(|(_, value)| value.as_bytes())
        .collect();
    let body = decoded(&encodings, body, BODY_BYTES_MAX as usize).ok()?;
    let event = DeliveryEvent::new(&EventSource {
        id: record.id,
        webhook: &endpoint.record.name,
        received_at: record.received_at,
        event_type: record.event_type.as_deref(),
        query: record.target.split_once('?').map(|(_, query)| query),
        headers: &headers,
        body: &body,
    });
    let decided = endpoint.triggers().iter().map(|trigger| match trigger.decide(&event) {
        Ok(None) => Decided::No,
        Ok(Some(input)) => Decided::Starts(input),
        Err(error) => Decided::Failed { code: error.code(), message: error.to_string() },
    });
    Some(decided.collect())
}

fn outcome_of(id: DeliveryId, triggers: &[Trigger], decided: &[Decided]) -> DeliveryOutcome {
    let (mut executions, mut reason, mut is_started_before) = (Vec::new(), None, false);
    let lines = triggers.iter().zip(decided).map(|(trigger, decided)| {
        let mut line = json!({ "triggerId": trigger.id(), "workflow": trigger.config.workflow });
        match decided {
            Decided::No | Decided::Starts(_) => line["result"] = json!("no_match"),
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
