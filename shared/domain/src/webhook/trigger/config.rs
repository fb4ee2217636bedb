//! A trigger as a user writes it and as it is stored.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::names::WorkflowName;
use crate::queue::Tier;

use super::gather::{BatchConfig, DebounceConfig, ThrottleConfig};

/// The longest id of a trigger, in bytes.
pub const TRIGGER_ID_BYTES_MAX: usize = 100;

/// One of the `triggers` of an endpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TriggerConfig {
    /// Its name in the endpoint, by which an execution is known as started; [`fill_ids`] makes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What it starts.
    pub workflow: WorkflowName,
    /// Which version; the latest where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Patterns over event types, any of which is enough; none is all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// A CEL condition over the delivery.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// The input, with `${…}` in its strings; by default the body.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// The tier of its executions; `high` where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Tier>,
    /// One execution for events that come close to each other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debounce: Option<DebounceConfig>,
    /// So many starts in any period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<ThrottleConfig>,
    /// One execution for several events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchConfig>,
}

/// An input of null is an input.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Gives an id to each trigger that has none: its workflow's name, numbered from the second on. Other triggers may be
/// added and removed without a change of it, as long as each workflow has one trigger.
pub fn fill_ids(triggers: &mut [TriggerConfig]) {
    for at in 0..triggers.len() {
        if triggers[at].id.is_some() {
            continue;
        }
        let name = triggers[at].workflow.as_str().to_owned();
        let is_free = |id: &str| triggers.iter().all(|trigger| trigger.id.as_deref() != Some(id));
        let numbered = (2..=triggers.len() + 1).map(|number| format!("{name}-{number}"));
        let id = std::iter::once(name.clone()).chain(numbered).find(|id| is_free(id));
        triggers[at].id = id;
    }
}
