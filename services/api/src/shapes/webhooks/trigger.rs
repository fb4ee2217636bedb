//! A trigger as it is sent, and described in the OpenAPI document. Answers show what is stored.

use domain::names::WorkflowName;
use domain::queue::Tier;
use domain::webhook::{BatchConfig, DebounceConfig, ThrottleConfig, TriggerConfig};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::gather::{BatchDocument, DebounceDocument, ThrottleDocument};
use crate::json::{RawJson, present};
use crate::shapes::PrioritySchema;
use crate::shapes::needed::RequiredFields;

/// A trigger that starts a workflow.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = WebhookTrigger)]
pub(super) struct TriggerBody {
    /// Trigger ID, unique within the endpoint (default: derived from the workflow name).
    #[schema(max_length = 100)]
    id: Option<String>,
    /// Workflow to start.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    workflow: Option<WorkflowName>,
    /// Workflow version (default: the latest).
    version: Option<u32>,
    /// Event types to match, such as `push` or `issue.*` (default: all).
    #[serde(default)]
    #[schema(required = false)]
    events: Vec<String>,
    /// CEL condition over `body`, `headers`, `event`, `query` and `delivery`.
    #[schema(example = "body.ref == 'refs/heads/main'")]
    filter: Option<String>,
    /// Execution input, with `${…}` expressions in strings (default: the body).
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    input: Option<Value>,
    /// Priority (default `high`).
    #[schema(value_type = Option<PrioritySchema>)]
    priority: Option<Tier>,
    /// Start one execution with the input of the last event, once no event came for a period.
    #[schema(value_type = Option<DebounceDocument>)]
    debounce: Option<DebounceConfig>,
    /// Limit the starts in any period. Further starts wait their turn.
    #[schema(value_type = Option<ThrottleDocument>)]
    throttle: Option<ThrottleConfig>,
    /// Start one execution for several events. In `input`, only `batch` is in scope: a list of `{event, body, delivery}`.
    #[schema(value_type = Option<BatchDocument>)]
    batch: Option<BatchConfig>,
}

impl TriggerBody {
    /// The trigger, or faults at its place in the list.
    pub(super) fn into_config(self, index: usize, needed: &mut RequiredFields) -> Option<TriggerConfig> {
        let workflow = needed.field(&format!("triggers/{index}/workflow"), self.workflow)?;
        Some(TriggerConfig {
            id: self.id,
            workflow,
            version: self.version,
            events: self.events,
            filter: self.filter,
            input: self.input,
            priority: self.priority,
            debounce: self.debounce,
            throttle: self.throttle,
            batch: self.batch,
        })
    }
}
