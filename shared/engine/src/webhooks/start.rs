//! Start what the triggers of a delivery want, in one commit. What cannot start because of the workflow or the input
//! is a failure of that trigger; what cannot start now is an error, and the whole is tried again.

use std::collections::HashSet;

use domain::error::Fault;
use domain::id::{DeliveryId, ExecutionId, Id};
use domain::names::CallerKey;
use domain::queue::{QueueName, Tier};
use domain::webhook::Trigger;
use domain::workflow::unique::UniquePolicy;
use serde_json::{Value, json};
use store::executions::NewExecution;
use store::webhooks::{DeliveryRecord, DeliverySource};

use super::matching::Decided;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::{ExecutionRequest, Lookups, refuse_when_paused, unique_of};
use crate::jobs::enqueue_hint;
use crate::metrics;
use crate::traces::Sends;

/// How many faults of an input are listed.
const FAULTS_SHOWN: usize = 5;

impl Engine {
    /// Starts the executions that were decided on. They are named after `origin`, which is the delivery itself or the
    /// one that it replays: those that are there already are not started again.
    pub(super) async fn start_for(
        &self,
        (delivery, origin): (&DeliveryRecord, DeliveryId),
        triggers: &[Trigger],
        decided: Vec<Decided>,
    ) -> Result<Vec<Decided>, EngineError> {
        let (mut lookups, mut executions) = (Lookups::new(), Vec::new());
        let mut results = Vec::with_capacity(decided.len());
        for (trigger, decided) in triggers.iter().zip(decided) {
            let Decided::Starts(input) = decided else {
                results.push(decided);
                continue;
            };
            results.push(match self.execution_of((delivery, origin), trigger, &input, &mut lookups).await {
                Ok((execution, Some(unique))) => {
                    let (id, now) = (execution.id, self.now());
                    match self.start_with_key(execution, unique, None, now).await {
                        Ok(created) if created.id != id => Decided::Joined(created.id),
                        Ok(created) if created.existing && origin != delivery.id => {
                            Decided::StartedBefore(id)
                        }
                        Ok(_) => Decided::Started(id),
                        Err(EngineError::ExecutionExists { existing }) => Decided::Exists(existing),
                        Err(error) => failure(error)?,
                    }
                }
                Ok((execution, None)) => {
                    let id = execution.id;
                    executions.push(execution);
                    Decided::Started(id)
                }
                Err(error) => failure(error)?,
            });
        }
        if !executions.is_empty() {
            let now = self.now();
            let sends = Sends::of_executions(&executions, now);
            let enqueued = self.store().create_executions(&executions, now).await?;
            metrics::created(executions.iter(), &enqueued);
            self.memory().stats.created(executions.iter(), &enqueued, now);
            sends.durable(&enqueued, self.now());
            self.wake(enqueue_hint(QueueName::Execution, &enqueued).as_slice());
            if origin != delivery.id {
                let there = executions.iter().zip(&enqueued).filter(|(_, job)| job.existing);
                mark_started_before(&mut results, &there.map(|(execution, _)| execution.id).collect());
            }
        }
        Ok(results)
    }

    async fn execution_of(
        &self,
        (delivery, origin): (&DeliveryRecord, DeliveryId),
        trigger: &Trigger,
        input: &Value,
        lookups: &mut Lookups,
    ) -> Result<(NewExecution, Option<(CallerKey, UniquePolicy)>), EngineError> {
        let source = delivery.source();
        let mut detail = json!({ "deliveryId": delivery.id, "triggerId": trigger.id() });
        if source == DeliverySource::Webhook {
            detail["webhookId"] = json!(delivery.webhook_id);
        }
        let request = ExecutionRequest {
            version: trigger.config.version,
            tier: Some(trigger.config.priority.unwrap_or(Tier::High)),
            traceparent: delivery.traceparent.clone(),
            trigger: store::executions::Trigger {
                kind: source.as_str().to_owned(),
                detail: Some(detail.to_string()),
            },
            ..ExecutionRequest::new(trigger.config.workflow.clone(), input.to_string())
        };
        let resolved = self.resolve(&delivery.tenant, &request, lookups).await?;
        let faults = self.faults_of(&delivery.tenant, &request, &resolved.definition).await?;
        if !faults.is_empty() {
            return Err(EngineError::Invalid(faults));
        }
        refuse_when_paused(&resolved.version)?;
        let id = execution_id(origin, trigger.id());
        let unique = unique_of(&resolved.definition, &request.input)?;
        let request = request.with_terms_of(&resolved.definition);
        let execution =
            self.new_execution(id, request, delivery.tenant.clone(), &resolved.version, self.now());
        Ok((execution, unique))
    }
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

/// What a trigger came to that cannot start; an error where trying again may help.
fn failure(error: EngineError) -> Result<Decided, EngineError> {
    let code = match &error {
        EngineError::NotFound { .. } => "workflow_not_found",
        EngineError::Invalid(_) => "input_invalid",
        EngineError::Conflict { code, .. } => code,
        _ => return Err(error),
    };
    let message = match &error {
        EngineError::Invalid(faults) => shown(faults),
        other => other.public_message(),
    };
    Ok(Decided::Failed { code, message })
}

/// The first faults. Messages of the schema may quote values of the body, which is stored beside them anyway.
fn shown(faults: &[Fault]) -> String {
    let shown: Vec<String> = faults.iter().take(FAULTS_SHOWN).map(ToString::to_string).collect();
    shown.join("; ")
}

/// The execution that a trigger starts for a delivery: the same however often it is matched.
fn execution_id(delivery: DeliveryId, trigger: &str) -> ExecutionId {
    Id::derive(delivery.uuid(), &["trigger", trigger])
}
