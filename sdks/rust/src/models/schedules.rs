//! Models of schedules. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::{Deserialize, Serialize};

use super::Priority;
use crate::json::Json;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// The result of a backfill.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Backfill {
    /// Number of fires that are already in the history.
    pub skipped: i32,
    /// Number of fires in the range.
    pub slots: i32,
    /// Number of started executions.
    pub started: i32,
}

/// A past time range.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BackfillRequest {
    /// Start of the range, inclusive.
    pub from: Timestamp,
    /// End of the range, inclusive; not in the future. The range may contain at most 1,000 fires.
    pub to: Timestamp,
}

open_enum! {
    /// FireReason
    pub enum FireReason {
        /// `tick`.
        Tick = "tick",
        /// `catchup`.
        Catchup = "catchup",
        /// `backfill`.
        Backfill = "backfill",
        /// `manual`.
        Manual = "manual",
    }
}

/// A manually started execution.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ManualRun {
    /// `executionId`.
    pub execution_id: String,
    /// Time of the fire in the history.
    pub scheduled_for: Timestamp,
}

open_enum! {
    /// Misfire
    pub enum Misfire {
        /// `skip`.
        Skip = "skip",
        /// `latest`.
        Latest = "latest",
        /// `all`.
        All = "all",
    }
}

open_enum! {
    /// Overlap
    pub enum Overlap {
        /// `allow`.
        Allow = "allow",
        /// `skip`.
        Skip = "skip",
        /// `queueOne`.
        QueueOne = "queueOne",
        /// `cancelPrevious`.
        CancelPrevious = "cancelPrevious",
    }
}

/// A preview of the next fires.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Preview {
    /// Description of the expression in words.
    pub description: String,
    /// The next fire times.
    pub next: Vec<String>,
    /// Effects of clock changes on these fire times.
    pub notes: Vec<String>,
}

/// A cron expression or an interval to preview.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PreviewRequest {
    /// First fire of the interval (default: now).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Timestamp>,
    /// Number of fires, 1 to 1000 (default 5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<i32>,
    /// The cron expression. Required without `every`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Interval between fires, at least `10s`, instead of `cron`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    /// Start of the preview, exclusive (default: now).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Timestamp>,
    /// IANA time zone (default `UTC`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

/// A schedule.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Schedule {
    /// First fire of the interval, from which all others are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Timestamp>,
    /// `catchUpWindow`.
    pub catch_up_window: String,
    /// `createdAt`.
    pub created_at: Timestamp,
    /// Cron expression; null where the schedule fires by an interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Description of the expression in words.
    pub description: String,
    /// `endAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_at: Option<Timestamp>,
    /// Interval between fires, in place of an expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    /// `id`.
    pub id: String,
    /// Input. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
    /// `jitter`.
    pub jitter: String,
    /// `misfire`.
    pub misfire: Misfire,
    /// `name`.
    pub name: String,
    /// The next fire time; null while the schedule is paused or after its last fire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_run_at: Option<Timestamp>,
    /// `overlap`.
    pub overlap: Overlap,
    /// `paused`.
    pub paused: bool,
    /// `priority`.
    pub priority: Priority,
    /// `startAt`; may be absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_at: Option<Timestamp>,
    /// `tenant`.
    pub tenant: String,
    /// `timezone`.
    pub timezone: String,
    /// `updatedAt`.
    pub updated_at: Timestamp,
    /// Warnings about valid but probably unintended values.
    pub warnings: Vec<String>,
    /// `workflow`.
    pub workflow: String,
}

/// A schedule to save.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScheduleRequest {
    /// First fire of the interval, from which all others are counted (default: the creation of the schedule).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Timestamp>,
    /// Maximum age of a missed fire that still runs (default `24h`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catch_up_window: Option<String>,
    /// Cron expression: minute, hour, day of month, month, day of week; or an alias such as `@daily`. Required without
    /// `every`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// Last instant at which the schedule may fire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_at: Option<Timestamp>,
    /// Interval between fires, at least `10s`, instead of `cron`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<String>,
    /// Execution input, validated against the workflow's schema (default: an empty object).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
    /// Maximum jitter of the start time; constant for each schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter: Option<String>,
    /// Policy for missed fires (default `latest`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misfire: Option<Misfire>,
    /// Unique within the tenant.
    pub name: String,
    /// Policy while a previous execution still runs (default `skip`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<Overlap>,
    /// Whether the schedule is paused (default: false for a new one, unchanged for an existing one).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
    /// Priority (default `normal`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// First instant at which the schedule may fire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_at: Option<Timestamp>,
    /// Tenant (default: the key's tenant, or `default`). It cannot change later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// IANA time zone of the expression (default `UTC`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// Workflow to start, in its latest version at each fire.
    pub workflow: String,
}

/// A fire in the history of a schedule.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ScheduleRun {
    /// Execution that the fire started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_id: Option<String>,
    /// When it was fired, queued, or skipped.
    pub fired_at: Timestamp,
    /// Delay relative to the scheduled time.
    pub late_ms: i64,
    /// `reason`.
    pub reason: FireReason,
    /// Scheduled time of the fire.
    pub scheduled_for: Timestamp,
    /// Reason for skipping the fire: `overlap`, `misfire`, `catchup_cap`, `workflow_missing`, `input_invalid`,
    /// `changed`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_reason: Option<String>,
    /// `status`.
    pub status: SlotStatus,
}

open_enum! {
    /// SlotStatus
    pub enum SlotStatus {
        /// `fired`.
        Fired = "fired",
        /// `waiting`.
        Waiting = "waiting",
        /// `skipped`.
        Skipped = "skipped",
    }
}
