//! A trigger as it is sent, and described in the OpenAPI document. Answers show what is stored.

use domain::names::WorkflowName;
use domain::queue::Tier;
use domain::webhook::TriggerConfig;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::json::{RawJson, present};
use crate::shapes::PrioritySchema;
use crate::shapes::needed::RequiredFields;

/// What a delivery may start.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = WebhookTrigger)]
pub(super) struct TriggerBody {
    /// Its name within the endpoint; made of the workflow's name where absent.
    #[schema(max_length = 100)]
    id: Option<String>,
    /// What it starts.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = String, required = true)]
    workflow: Option<WorkflowName>,
    /// Which version; the latest where absent.
    version: Option<u32>,
    /// Event types, such as `push` or `issue.*`, any of which is enough; none is all.
    #[serde(default)]
    #[schema(required = false)]
    events: Vec<String>,
    /// A CEL condition over `body`, `headers`, `event`, `query` and `delivery`.
    #[schema(example = "body.ref == 'refs/heads/main'")]
    filter: Option<String>,
    /// The input, with `${…}` in its strings; the body where absent.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = RawJson, required = false)]
    input: Option<Value>,
    /// Priority (default `high`).
    #[schema(value_type = Option<PrioritySchema>)]
    priority: Option<Tier>,
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
        })
    }
}
