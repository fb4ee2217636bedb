//! What a caller asks for when it sends an event or saves a trigger.

use domain::names::{CallerKey, EventName, TenantName, TriggerName, WorkflowName};
use domain::queue::Tier;
use domain::webhook::{BatchConfig, DebounceConfig, ThrottleConfig, TriggerConfig};
use serde_json::Value;

use crate::bounds::Faults;

/// An event to send.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRequest {
    /// Its name, by which triggers and waiting nodes know it.
    pub name: EventName,
    /// The sender's id of it: a second event with the same name and id within a day is a repetition.
    pub id: Option<CallerKey>,
    /// What it carries, as raw JSON text.
    pub data: String,
    /// The tenant; the key's own or `default` where absent.
    pub tenant: Option<TenantName>,
    /// W3C trace context.
    pub traceparent: Option<String>,
}

/// A trigger to create, or to put into the place of one.
#[derive(Debug, Clone, PartialEq)]
pub struct TriggerRequest {
    /// Its name, unique in the tenant.
    pub name: TriggerName,
    /// The tenant; the key's own or `default` where absent. An update cannot change it.
    pub tenant: Option<TenantName>,
    /// Patterns over names of events, any of which is enough.
    pub events: Vec<String>,
    /// What it starts.
    pub workflow: WorkflowName,
    /// Which version; the latest where absent.
    pub version: Option<u32>,
    /// A CEL condition over the event.
    pub filter: Option<String>,
    /// The input, with `${…}` in its strings; by default the body.
    pub input: Option<Value>,
    /// The tier of its executions; `high` where absent.
    pub priority: Option<Tier>,
    /// One execution for events that come close to each other.
    pub debounce: Option<DebounceConfig>,
    /// So many starts in any period.
    pub throttle: Option<ThrottleConfig>,
    /// One execution for several events.
    pub batch: Option<BatchConfig>,
    /// Whether it starts nothing for now; an update leaves that as it is where absent.
    pub is_paused: Option<bool>,
}

impl TriggerRequest {
    /// The stored form, without the id, which the row has.
    pub(super) fn config(&self) -> TriggerConfig {
        TriggerConfig {
            id: None,
            workflow: self.workflow.clone(),
            version: self.version,
            events: self.events.clone(),
            filter: self.filter.clone(),
            input: self.input.clone(),
            priority: self.priority,
            debounce: self.debounce.clone(),
            throttle: self.throttle.clone(),
            batch: self.batch.clone(),
        }
    }

    /// Faults that show without workflows and expressions.
    pub(super) fn faults(&self) -> Faults {
        let mut faults = Faults::default();
        if self.events.is_empty() {
            faults.add("/events", "expected at least one name or pattern, such as order.paid or order.*");
        }
        faults
    }
}
