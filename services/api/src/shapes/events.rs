//! Events that are sent, and triggers of events.

use domain::id::{DeliveryId, TriggerId};
use domain::names::{CallerKey, EventName, TenantName, TriggerName, WorkflowName};
use domain::queue::Tier;
use domain::time::Timestamp;
use domain::webhook::{BatchConfig, DebounceConfig, ThrottleConfig};
use engine::{EventRequest, SentEvent, TriggerRequest, TriggerView};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::extract::is_traceparent;
use crate::json::{Item, RawJson, list, present};
use crate::problem::{ApiResult, Problem};
use crate::shapes::PrioritySchema;
use crate::shapes::list::RequiredFields;
use crate::shapes::webhooks::{BatchDocument, DebounceDocument, ThrottleDocument};

/// An event to send.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventRequest)]
pub(crate) struct EventBody {
    /// Event name: a letter or digit, then up to 127 letters, digits, `.`, `_`, `/` or `-`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true, example = "order.paid")]
    name: Option<EventName>,
    /// Any JSON value, up to 1 MiB (default: null).
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    data: Option<RawJson>,
    /// ID chosen by the sender. A second event with the same name and ID within 24 hours is a duplicate.
    #[schema(value_type = Option<String>)]
    id: Option<CallerKey>,
    /// Tenant (default: the key's tenant, or `default`).
    #[schema(value_type = Option<String>)]
    tenant: Option<TenantName>,
    /// W3C trace context passed to executions. Overrides the `traceparent` header.
    traceparent: Option<String>,
}

impl Item for EventBody {}

impl EventBody {
    /// The request, with the trace context of the header where the body has none.
    pub(crate) fn into_request(self, header: Option<&str>) -> ApiResult<EventRequest> {
        let mut needed = RequiredFields::default();
        let name = needed.field("name", self.name);
        if self.traceparent.as_deref().is_some_and(|text| !is_traceparent(text)) {
            needed.add("/traceparent", "expected a W3C trace context");
        }
        let (Some(name), false) = (name, needed.any()) else {
            return Err(needed.problem());
        };
        Ok(EventRequest {
            name,
            id: self.id,
            data: self.data.map_or_else(|| "null".to_owned(), RawJson::into_text),
            tenant: self.tenant,
            traceparent: self.traceparent.or_else(|| header.map(str::to_owned)),
        })
    }
}

/// Events to send in one commit.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventBatch)]
pub(crate) struct EventBatchBody {
    /// The events, at most 1,000.
    #[serde(default, deserialize_with = "list")]
    #[schema(value_type = Vec<EventBody>, required = true)]
    pub(crate) events: Option<Vec<RawJson>>,
}

/// An event that was sent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SentEvent)]
pub(crate) struct SentResponse {
    /// The delivery that stores the event; for a duplicate, the first one.
    #[schema(value_type = String, example = "dlv_0193456789ab7def8123456789abcdef")]
    delivery_id: DeliveryId,
    /// True for a duplicate; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    deduplicated: Option<bool>,
}

impl From<SentEvent> for SentResponse {
    fn from(sent: SentEvent) -> Self {
        Self { delivery_id: sent.delivery_id, deduplicated: sent.is_deduplicated.then_some(true) }
    }
}

/// Events that were sent, in order.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SentEvents)]
pub(crate) struct SentBatchResponse {
    /// One result for each event, in order.
    pub(crate) results: Vec<SentResponse>,
}

/// A trigger to save.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = EventTriggerRequest)]
pub(crate) struct TriggerBody {
    /// Unique within the tenant.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true, max_length = 200)]
    name: Option<TriggerName>,
    /// Event names to match, such as `order.paid` or `order.*`.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Vec<String>, required = true)]
    events: Option<Vec<String>>,
    /// Workflow to start.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    workflow: Option<WorkflowName>,
    /// Workflow version (default: the latest).
    version: Option<u32>,
    /// CEL condition over `event`, `body` and `delivery`.
    #[schema(example = "body.total > 100")]
    filter: Option<String>,
    /// Execution input, with `${…}` expressions in strings (default: the body).
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    input: Option<Value>,
    /// Priority (default `high`).
    #[schema(value_type = Option<PrioritySchema>)]
    priority: Option<Tier>,
    /// Starts one execution with the input of the last event, after a period without events.
    #[schema(value_type = Option<DebounceDocument>)]
    debounce: Option<DebounceConfig>,
    /// Limits the number of starts in any period. Further starts are delayed.
    #[schema(value_type = Option<ThrottleDocument>)]
    throttle: Option<ThrottleConfig>,
    /// Starts one execution for several events. In `input`, only `batch` is in scope:
    /// a list of `{event, body, delivery}`.
    #[schema(value_type = Option<BatchDocument>)]
    batch: Option<BatchConfig>,
    /// Whether the trigger is paused (default: false for a new one, unchanged for an existing one).
    paused: Option<bool>,
    /// Tenant (default: the key's tenant, or `default`). It cannot change later.
    #[schema(value_type = Option<String>)]
    tenant: Option<TenantName>,
    /// Expected current revision of the trigger; the update is rejected if it differs. Not allowed for a new trigger.
    revision: Option<i64>,
}

impl TriggerBody {
    /// The request for a new trigger.
    pub(crate) fn into_new(self) -> ApiResult<TriggerRequest> {
        if self.revision.is_some() {
            return Err(Problem::fault("/revision", "must be absent for a new trigger"));
        }
        Ok(self.into_replacement()?.0)
    }

    /// The request to replace a trigger, and the revision that it has to have.
    pub(crate) fn into_replacement(self) -> ApiResult<(TriggerRequest, Option<i64>)> {
        let mut needed = RequiredFields::default();
        let name = needed.field("name", self.name);
        let events = needed.field("events", self.events);
        let workflow = needed.field("workflow", self.workflow);
        let (Some(name), Some(events), Some(workflow), false) = (name, events, workflow, needed.any()) else {
            return Err(needed.problem());
        };
        let request = TriggerRequest {
            name,
            tenant: self.tenant,
            events,
            workflow,
            version: self.version,
            filter: self.filter,
            input: self.input,
            priority: self.priority,
            debounce: self.debounce,
            throttle: self.throttle,
            batch: self.batch,
            is_paused: self.paused,
        };
        Ok((request, self.revision))
    }
}

/// A trigger that starts a workflow for each event it matches.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EventTrigger)]
pub(crate) struct TriggerResponse {
    #[schema(value_type = String, example = "trg_0193456789ab7def8123456789abcdef")]
    id: TriggerId,
    name: String,
    tenant: String,
    /// Event names that it matches.
    events: Vec<String>,
    /// Workflow that it starts.
    workflow: String,
    /// Workflow version; absent for the latest.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RawJson>)]
    input: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<PrioritySchema>)]
    priority: Option<Tier>,
    /// Starts one execution with the input of the last event, after a period without events.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<DebounceDocument>)]
    debounce: Option<DebounceConfig>,
    /// Limits the number of starts in any period. Further starts are delayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<ThrottleDocument>)]
    throttle: Option<ThrottleConfig>,
    /// Starts one execution for several events. In `input`, only `batch` is in scope:
    /// a list of `{event, body, delivery}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BatchDocument>)]
    batch: Option<BatchConfig>,
    paused: bool,
    /// Revision, incremented by each change.
    revision: i64,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<TriggerView> for TriggerResponse {
    fn from(trigger: TriggerView) -> Self {
        let config = trigger.config;
        Self {
            id: trigger.id,
            name: trigger.name.to_string(),
            tenant: trigger.tenant.to_string(),
            events: config.events,
            workflow: config.workflow.to_string(),
            version: config.version,
            filter: config.filter,
            input: config.input,
            priority: config.priority,
            debounce: config.debounce,
            throttle: config.throttle,
            batch: config.batch,
            paused: trigger.is_paused,
            revision: trigger.version,
            created_at: trigger.created_at,
            updated_at: trigger.updated_at,
        }
    }
}
