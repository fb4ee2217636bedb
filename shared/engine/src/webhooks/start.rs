//! Start what triggers of a delivery want, those that are decided together in one commit. What cannot start because of the workflow or the input
//! is a failure of that trigger; what cannot start now is an error, and the whole is tried again.

use std::collections::HashSet;

use domain::access::TenantScope;
use domain::error::Fault;
use domain::id::{DeliveryId, ExecutionId, Id, WebhookId};
use domain::names::{CallerKey, TenantName};
use domain::queue::Tier;
use domain::quota::QuotaKind;
use domain::webhook::{DeliverySource, Trigger};
use domain::workflow::unique::UniquePolicy;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::executions::NewExecution;
use store::jobs::Enqueued;
use store::webhooks::DeliveryRecord;

use super::matching::{Decided, Origin};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::{ExecutionRequest, Lookups, refuse_when_paused, unique_of};

/// How many faults of an input are listed.
const FAULTS_SHOWN: usize = 5;

/// An execution to start, with its unique key.
pub(super) type Start = (NewExecution, Option<(CallerKey, UniquePolicy)>);

/// The delivery that an execution names as what started it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TriggeredBy {
    delivery_id: DeliveryId,
    /// How it came in: the kind of the trigger.
    source: String,
    /// The endpoint; absent for an event.
    webhook_id: Option<WebhookId>,
    traceparent: Option<String>,
}

impl TriggeredBy {
    pub(super) fn of(delivery: &DeliveryRecord) -> Self {
        let source = delivery.source();
        Self {
            delivery_id: delivery.id,
            source: source.as_str().to_owned(),
            webhook_id: (source == DeliverySource::Webhook).then_some(delivery.webhook_id),
            traceparent: delivery.traceparent.clone(),
        }
    }
}

/// Why a trigger cannot start its workflow, and will not by trying again.
pub(super) struct Failure {
    pub(super) code: &'static str,
    pub(super) message: String,
}

impl From<Failure> for Decided {
    fn from(failure: Failure) -> Self {
        Self::Failed { code: failure.code, message: failure.message }
    }
}

impl Engine {
    /// Starts the executions that were decided on. They are named after their origin: those that are there already are not
    /// started again.
    pub(super) async fn start_for(
        &self,
        (delivery, of): (&DeliveryRecord, Origin),
        triggers: &[Trigger],
        decided: Vec<Decided>,
    ) -> Result<Vec<Decided>, EngineError> {
        let (mut lookups, mut executions) = (Lookups::new(), Vec::new());
        let mut of_others = HashSet::new();
        let mut results = Vec::with_capacity(decided.len());
        for (trigger, decided) in triggers.iter().zip(decided) {
            let Decided::Starts(input, keys) = decided else {
                results.push(decided);
                continue;
            };
            if let Some(keys) = keys {
                let origin = if of.starts_again { delivery.id } else { of.delivery };
                results.push(
                    self.put_off_start((delivery, origin), trigger, (input, keys), &mut lookups).await?,
                );
                continue;
            }
            let origin = self.named_after(delivery, of, trigger).await?;
            results.push(match self.execution_of((delivery, origin), trigger, &input, &mut lookups).await {
                Ok((execution, Some(unique))) => {
                    let (id, now) = (execution.id, self.now());
                    match self.start_within_quota(execution, unique, None, now).await {
                        Ok(created) if created.id != id => Decided::Joined(created.id),
                        Ok(created) if created.existing && origin != delivery.id => {
                            Decided::StartedBefore(id)
                        }
                        Ok(_) => Decided::Started(id),
                        Err(EngineError::ExecutionExists { existing }) => Decided::Exists(existing),
                        Err(error) => failure(error)?.into(),
                    }
                }
                Ok((execution, None)) => {
                    let id = execution.id;
                    if origin != delivery.id {
                        of_others.insert(id);
                    }
                    executions.push(execution);
                    Decided::Started(id)
                }
                Err(error) => failure(error)?.into(),
            });
        }
        if !executions.is_empty() {
            self.refuse_starts_over_quota(&executions).await?;
            let enqueued = self.store_executions(&executions, self.now()).await?;
            let is_before = |(execution, job): &(&NewExecution, &Enqueued)| {
                job.existing && of_others.contains(&execution.id)
            };
            let before = executions.iter().zip(&enqueued).filter(is_before);
            mark_started_before(&mut results, &before.map(|(execution, _)| execution.id).collect());
        }
        Ok(results)
    }

    /// The delivery that the execution of a trigger is named after. Where triggers start again, those that had not started yet
    /// start as they would have then, so that no other replay starts them once more.
    async fn named_after(
        &self,
        delivery: &DeliveryRecord,
        of: Origin,
        trigger: &Trigger,
    ) -> Result<DeliveryId, EngineError> {
        if !of.starts_again || of.delivery == delivery.id {
            return Ok(of.delivery);
        }
        let id = execution_id(of.delivery, trigger.id());
        let there = self.store().execution(&TenantScope::All, id).await?;
        // An earlier attempt at this delivery may have started it.
        let is_of_another = there.is_some_and(|there| !is_triggered_by(&there.trigger, delivery.id));
        Ok(if is_of_another { delivery.id } else { of.delivery })
    }

    /// Fails where a tenant may not have so many more executions: what starts them is tried again, as whoever calls would. Those of
    /// an attempt that was cut off, or of the delivery that this one replays, are there already and count no second time.
    pub(super) async fn refuse_starts_over_quota(
        &self,
        executions: &[NewExecution],
    ) -> Result<(), EngineError> {
        match self.refuse_work(executions.iter()).await {
            Err(EngineError::QuotaExceeded { .. }) => {}
            decided => return decided,
        }
        let mut new = Vec::new();
        for execution in executions {
            if self.store().execution(&TenantScope::All, execution.id).await?.is_none() {
                new.push(execution);
            }
        }
        self.refuse_work(new.into_iter()).await
    }

    async fn refuse_work(
        &self,
        executions: impl Iterator<Item = &NewExecution> + Send,
    ) -> Result<(), EngineError> {
        let work = executions.map(|execution| (&execution.job.tenant, execution.input.len()));
        self.refuse_work_over_quota(QuotaKind::OpenExecutions, work).await
    }

    async fn execution_of(
        &self,
        (delivery, origin): (&DeliveryRecord, DeliveryId),
        trigger: &Trigger,
        input: &Value,
        lookups: &mut Lookups,
    ) -> Result<Start, EngineError> {
        let request = execution_request(&TriggeredBy::of(delivery), trigger, input);
        self.checked_start(execution_id(origin, trigger.id()), &delivery.tenant, request, lookups).await
    }

    /// An execution that a trigger asks for; an error where it cannot start.
    pub(super) async fn checked_start(
        &self,
        id: ExecutionId,
        tenant: &TenantName,
        request: ExecutionRequest,
        lookups: &mut Lookups,
    ) -> Result<Start, EngineError> {
        let resolved = self.resolve(tenant, &request, lookups).await?;
        let faults = self.faults_of(tenant, &request, &resolved.definition).await?;
        if !faults.is_empty() {
            return Err(EngineError::Invalid(faults));
        }
        refuse_when_paused(&resolved.version)?;
        let unique = unique_of(&resolved.definition, &request.input)?;
        let request = request.with_terms_of(&resolved.definition);
        let execution = self.new_execution(id, request, tenant.clone(), &resolved.version, self.now());
        Ok((execution, unique))
    }
}

/// The request for what a trigger starts for a delivery.
pub(super) fn execution_request(by: &TriggeredBy, trigger: &Trigger, input: &Value) -> ExecutionRequest {
    let mut detail = json!({ "deliveryId": by.delivery_id, "triggerId": trigger.id() });
    if let Some(webhook) = by.webhook_id {
        detail["webhookId"] = json!(webhook);
    }
    ExecutionRequest {
        version: trigger.config.version,
        tier: Some(trigger.config.priority.unwrap_or(Tier::High)),
        traceparent: by.traceparent.clone(),
        trigger: store::executions::Trigger { kind: by.source.clone(), detail: Some(detail.to_string()) },
        ..ExecutionRequest::new(trigger.config.workflow.clone(), input.to_string())
    }
}

/// Whether a delivery started an execution.
fn is_triggered_by(trigger: &store::executions::Trigger, delivery: DeliveryId) -> bool {
    let detail = trigger.detail.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
    detail.is_some_and(|detail| detail["deliveryId"] == json!(delivery))
}

/// Marks executions of an earlier delivery, as distinct from new ones.
fn mark_started_before(results: &mut [Decided], there: &HashSet<ExecutionId>) {
    for decided in results {
        if let Decided::Started(id) = decided
            && there.contains(id)
        {
            *decided = Decided::StartedBefore(*id);
        }
    }
}

/// Why a trigger cannot start; an error where trying again may help.
pub(super) fn failure(error: EngineError) -> Result<Failure, EngineError> {
    let code = match &error {
        EngineError::NotFound { .. } => "workflow_not_found",
        EngineError::Invalid(_) => "input_invalid",
        EngineError::Conflict { code, .. } => code.as_str(),
        _ => return Err(error),
    };
    let message = match &error {
        EngineError::Invalid(faults) => shown(faults),
        other => other.public_message(),
    };
    Ok(Failure { code, message })
}

/// The first faults. Messages of the schema may quote values of the body, which is stored beside them anyway.
fn shown(faults: &[Fault]) -> String {
    let shown: Vec<String> = faults.iter().take(FAULTS_SHOWN).map(ToString::to_string).collect();
    shown.join("; ")
}

/// The execution that a trigger starts for a delivery: the same however often it is matched.
pub(super) fn execution_id(delivery: DeliveryId, trigger: &str) -> ExecutionId {
    Id::derive(delivery.uuid(), &["trigger", trigger])
}
