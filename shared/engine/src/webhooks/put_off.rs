//! Starts of triggers that do not follow at once: debounced, batched or throttled. The job that matches a delivery adds its
//! event to a row; upkeep starts what is due.

use std::sync::Arc;

use domain::id::DeliveryId;
use domain::quota::{QuotaKind, WAITING_START_ROW_BYTES};
use domain::webhook::{Gathering, Keys, StartEnd, Trigger, TriggerConfig};
use domain::workflow::expression::Allowance;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::StoreError;
use store::starts::{DueStart, PutOff, PutOffState, StartsOf};
use store::webhooks::DeliveryRecord;

use super::matching::Decided;
use super::start::{Failure, Start, TriggeredBy, execution_id, execution_request, failure};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::Lookups;

/// What is left of the largest payload for what stands around the entries of a batch, in bytes: `{"batch":[…]}` and
/// the commas of a thousand entries.
const AROUND_BATCH_BYTES: usize = 1_024;

/// What a start that is put off starts, as it is stored.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    /// The trigger as it was when the event came.
    trigger: TriggerConfig,
    by: TriggeredBy,
    /// The input; null for a batch, whose entries are kept one by one.
    input: Value,
}

impl Engine {
    /// Puts the start of a trigger off. One that was put off before, by this delivery or the one that it replays, is left
    /// as it is.
    pub(super) async fn put_off_start(
        &self,
        (delivery, origin): (&DeliveryRecord, DeliveryId),
        trigger: &Trigger,
        (input, keys): (Value, Keys),
        lookups: &mut Lookups,
    ) -> Result<Decided, EngineError> {
        let (config, by) = (&trigger.config, TriggeredBy::of(delivery));
        let id = execution_id(origin, trigger.id());
        let is_batch = config.batch.is_some();
        // What cannot start now is said now. Of a batch only its size is known.
        let checked = if is_batch {
            self.check_entry(&input)
        } else {
            let request = execution_request(&by, trigger, &input);
            self.checked_start(id, &delivery.tenant, request, lookups).await.map(drop)
        };
        if let Err(error) = checked {
            return failure(error).map(Into::into);
        }
        let entry = is_batch.then(|| input.to_string());
        let request =
            Request { trigger: config.clone(), by, input: if is_batch { Value::Null } else { input } };
        let event = PutOff {
            delivery_id: origin,
            shown_on: delivery.id,
            tenant: delivery.tenant.clone(),
            of: StartsOf { owner: delivery.webhook_id.uuid(), trigger_id: trigger.id().to_owned() },
            gathering: self.gathering_of(config).map(|gathering| (gathering, keys.gather)),
            throttle: config.throttle.as_ref().map(|throttle| (throttle.rate, keys.throttle)),
            id,
            request: serde_json::to_string(&request).map_err(encoding)?,
            entry,
        };
        self.refuse_waiting_over_quota(&event).await?;
        let result = config.put_off_result().unwrap_or("throttled");
        Ok(match self.store().put_off(&event, self.now()).await? {
            PutOffState::Waits(until) => Decided::PutOff(result, until),
            PutOffState::Ended(StartEnd::Started(id)) if origin == delivery.id => Decided::Started(id),
            PutOffState::Ended(StartEnd::Started(id)) => Decided::StartedBefore(id),
            PutOffState::Ended(StartEnd::Joined(id)) => Decided::Joined(id),
            PutOffState::Ended(StartEnd::Exists(id)) => Decided::Exists(id),
            // The line changes to the failure as soon as it is stored.
            PutOffState::Ended(StartEnd::Failed { .. }) => Decided::PutOff(result, self.now()),
        })
    }

    /// Fails where a tenant may not have so much more that waits to start: what starts it is tried again, as for executions. What
    /// waits already, of an attempt that was cut off or of the delivery that this one replays, counts no second time.
    async fn refuse_waiting_over_quota(&self, event: &PutOff) -> Result<(), EngineError> {
        let input = event.request.len() + event.entry.as_ref().map_or(0, String::len);
        let more = [(QuotaKind::WaitingStartBytes, input as u64 + WAITING_START_ROW_BYTES)];
        match self.refuse_over_quota(&event.tenant, &more).await {
            Err(EngineError::QuotaExceeded { .. })
                if self.store().is_put_off(event.delivery_id, &event.of.trigger_id).await? =>
            {
                Ok(())
            }
            decided => decided,
        }
    }

    fn check_entry(&self, entry: &Value) -> Result<(), EngineError> {
        let bytes_max = self.batch_bytes_max();
        if entry.to_string().len() as u64 > bytes_max {
            return Err(EngineError::invalid(
                "/input",
                format!("an event of a batch has at most {bytes_max} bytes"),
            ));
        }
        Ok(())
    }

    fn batch_bytes_max(&self) -> u64 {
        self.policy().payload_bytes_max.saturating_sub(AROUND_BATCH_BYTES) as u64
    }

    fn gathering_of(&self, config: &TriggerConfig) -> Option<Gathering> {
        if let Some(debounce) = &config.debounce {
            return Some(Gathering::Debounce { period: debounce.period, timeout: debounce.timeout() });
        }
        let batch = config.batch.as_ref()?;
        let bytes_max = self.batch_bytes_max();
        Some(Gathering::Batch { size_max: batch.max_size, bytes_max, timeout: batch.timeout })
    }

    /// One bounded step over starts whose turn it is. Answers whether there may be more.
    pub async fn put_off_starts_tick(&self) -> Result<bool, EngineError> {
        let limit = self.policy().upkeep_batch;
        let due = self.store().due_starts(self.now(), limit).await?;
        let is_full = due.len() >= limit as usize;
        let mut lookups = Lookups::new();
        for start in due {
            let id = start.id;
            let ended = match self.start_due(start, &mut lookups).await {
                Ok(end) => self.store().end_start(id, &end).await.map_err(EngineError::from),
                Err(error) => Err(error),
            };
            match ended {
                Ok(()) => {}
                // Nor can the others be started now.
                Err(error @ EngineError::Store(StoreError::Unavailable { .. })) => return Err(error),
                // It comes again in half a minute, and keeps no other back.
                Err(error) => {
                    let error = &error as &dyn std::error::Error;
                    tracing::warn!(execution.id = %id, error, "a delayed start failed and will be retried");
                }
            }
        }
        Ok(is_full)
    }

    /// Starts what is due. What cannot start, and will not by trying again, is its end as well.
    async fn start_due(&self, start: DueStart, lookups: &mut Lookups) -> Result<StartEnd, EngineError> {
        let (execution, unique) = match self.execution_of_start(&start, lookups).await {
            Ok(made) => made,
            Err(error) => return failure(error).map(failed),
        };
        let id = execution.id;
        let Some(unique) = unique else {
            self.refuse_starts_over_quota(std::slice::from_ref(&execution)).await?;
            self.store_executions(&[execution], self.now()).await?;
            return Ok(StartEnd::Started(id));
        };
        match self.start_within_quota(execution, unique, None, self.now()).await {
            Ok(created) if created.id != id => Ok(StartEnd::Joined(created.id)),
            Ok(_) => Ok(StartEnd::Started(id)),
            Err(EngineError::ExecutionExists { existing }) => Ok(StartEnd::Exists(existing)),
            Err(error) => failure(error).map(failed),
        }
    }

    async fn execution_of_start(
        &self,
        start: &DueStart,
        lookups: &mut Lookups,
    ) -> Result<Start, EngineError> {
        let request: Request = serde_json::from_str(&start.request).map_err(encoding)?;
        let trigger = Arc::new(Trigger::compile(&request.trigger).map_err(EngineError::Invalid)?);
        let input = if trigger.config.batch.is_some() {
            let entries = start.entries.iter().map(|entry| serde_json::from_str(entry));
            let entries = entries.collect::<Result<Vec<Value>, _>>().map_err(encoding)?;
            let (shared, allowance) = (Arc::clone(&trigger), Allowance::metered(self.policy().evaluation));
            let made = move || shared.batch_input(&entries, allowance);
            let made = self.workbench().wait(&start.tenant, made).await?;
            made.map_err(|error| EngineError::invalid("/input", error.to_string()))?
        } else {
            request.input
        };
        let asked = execution_request(&request.by, &trigger, &input);
        self.checked_start(start.id, &start.tenant, asked, lookups).await
    }
}

fn encoding(source: serde_json::Error) -> EngineError {
    EngineError::Encoding { what: "a start", source: Box::new(source) }
}

fn failed(failure: Failure) -> StartEnd {
    StartEnd::Failed { code: failure.code.to_owned(), message: failure.message }
}
