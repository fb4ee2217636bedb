//! Models of triggers. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use super::{BatchOfEvents, Debounce, Priority, Throttle};
use crate::json::Json;
use crate::timestamp::Timestamp;

/// A trigger that starts a workflow for each event it matches.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventTrigger {
    /// Starts one execution for several events. In `input`, only `batch` is in scope:
    /// a list of `{event, body, delivery}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchOfEvents>,
    /// `createdAt`.
    pub created_at: Timestamp,
    /// Starts one execution with the input of the last event, after a period without events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debounce: Option<Debounce>,
    /// Event names that it matches.
    pub events: Vec<String>,
    /// `filter`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// `id`.
    pub id: String,
    /// `input`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
    /// `name`.
    pub name: String,
    /// `paused`.
    pub paused: bool,
    /// `priority`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Revision, incremented by each change.
    pub revision: i64,
    /// `tenant`.
    pub tenant: String,
    /// Limits the number of starts in any period. Further starts are delayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttle: Option<Throttle>,
    /// `updatedAt`.
    pub updated_at: Timestamp,
    /// Workflow version; absent for the latest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// Workflow that it starts.
    pub workflow: String,
}

/// A trigger to save.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EventTriggerRequest {
    /// Starts one execution for several events. In `input`, only `batch` is in scope:
    /// a list of `{event, body, delivery}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchOfEvents>,
    /// Starts one execution with the input of the last event, after a period without events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debounce: Option<Debounce>,
    /// Event names to match, such as `order.paid` or `order.*`.
    pub events: Vec<String>,
    /// CEL condition over `event`, `body` and `delivery`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// Execution input, with `${…}` expressions in strings (default: the body).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
    /// Unique within the tenant.
    pub name: String,
    /// Whether the trigger is paused (default: false for a new one, unchanged for an existing one).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// Priority (default `high`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// Expected current revision of the trigger; the update is rejected if it differs. Not allowed for a new trigger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<i64>,
    /// Tenant (default: the key's tenant, or `default`). It cannot change later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Limits the number of starts in any period. Further starts are delayed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttle: Option<Throttle>,
    /// Workflow version (default: the latest).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i32>,
    /// Workflow to start.
    pub workflow: String,
}
