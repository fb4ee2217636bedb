//! Bounds: what executions may take up, how many callers may wait, and what tenants may keep.

use domain::quota::{QuotaKind, Quotas};
use domain::time::DurationMs;
use serde::{Deserialize, Serialize};

use crate::values::{ByteSize, count_or_unlimited, size_or_unlimited};

/// Bounds of workflows and their executions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WorkflowSettings {
    /// The most nodes that a definition lists.
    pub nodes_max: u32,
    /// How many levels of executions may start executions.
    pub child_depth_max: u32,
    /// The largest state of an execution, its outputs included.
    pub state_size: ByteSize,
    /// An execution that only waits gives its slot back, unless the clock lets it go on within this span.
    pub park_after: DurationMs,
    /// How many definitions, inputs and steps with expressions are worked on at once, those of calls and those of executions
    /// apart; 0 for as many as there are processors, and at least two.
    pub evaluation_threads: u32,
    /// How many of them may be of one tenant; 0 for half of them, and at least one.
    pub evaluation_threads_per_tenant: u32,
    /// How long a call waits for that, and how long the expressions of one step may take.
    pub evaluation_deadline: DurationMs,
    /// The most steps of one expression.
    pub expression_steps: u64,
    /// The most memory of the values that one expression makes.
    pub expression_memory: ByteSize,
    /// The most steps of all expressions of one step of an execution.
    pub step_expression_steps: u64,
    /// How much a step of an execution brings about before the rest is left to the next.
    pub step_size: ByteSize,
}

impl Default for WorkflowSettings {
    fn default() -> Self {
        Self {
            nodes_max: 1_000,
            child_depth_max: 8,
            state_size: ByteSize::mebibytes(16),
            park_after: DurationMs(200),
            evaluation_threads: 0,
            evaluation_threads_per_tenant: 0,
            evaluation_deadline: DurationMs::from_secs(10),
            expression_steps: 20_000_000,
            expression_memory: ByteSize::mebibytes(64),
            step_expression_steps: 100_000_000,
            step_size: ByteSize::mebibytes(8),
        }
    }
}

// How many requests may wait, in each process.

/// How many requests may wait, in each process. A request that waits costs memory, and a look now and then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WaitingSettings {
    /// Long polls of a key.
    pub polls_per_key: u32,
    /// Long polls of all keys of a tenant.
    pub polls_per_tenant: u32,
    /// Event streams of a key.
    pub streams_per_key: u32,
    /// Event streams of all keys of a tenant.
    pub streams_per_tenant: u32,
    /// Requests of a key that wait for an end (`wait=true`).
    pub ends_per_key: u32,
    /// The same of all keys of a tenant.
    pub ends_per_tenant: u32,
    /// Worker ids under which a key polled within ten minutes.
    pub workers_per_key: u32,
    /// The same of all keys of a tenant.
    pub workers_per_tenant: u32,
}

impl WaitingSettings {
    /// All bounds with the names of their settings.
    pub(crate) const fn all(&self) -> [(&'static str, u32); 8] {
        [
            ("waiting.polls_per_key", self.polls_per_key),
            ("waiting.polls_per_tenant", self.polls_per_tenant),
            ("waiting.streams_per_key", self.streams_per_key),
            ("waiting.streams_per_tenant", self.streams_per_tenant),
            ("waiting.ends_per_key", self.ends_per_key),
            ("waiting.ends_per_tenant", self.ends_per_tenant),
            ("waiting.workers_per_key", self.workers_per_key),
            ("waiting.workers_per_tenant", self.workers_per_tenant),
        ]
    }
}

impl Default for WaitingSettings {
    fn default() -> Self {
        Self {
            polls_per_key: 2_000,
            polls_per_tenant: 4_000,
            streams_per_key: 200,
            streams_per_tenant: 400,
            ends_per_key: 1_000,
            ends_per_tenant: 2_000,
            workers_per_key: 2_000,
            workers_per_tenant: 4_000,
        }
    }
}

// What tenants may keep.

/// What each tenant may keep, unless `PUT /v1/tenants/{tenant}/quotas` says otherwise; `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuotaSettings {
    /// Jobs that have not ended.
    #[serde(with = "count_or_unlimited")]
    pub open_jobs: Option<u64>,
    /// Executions that have not ended.
    #[serde(with = "count_or_unlimited")]
    pub open_executions: Option<u64>,
    /// Data of open jobs and inputs of open executions.
    #[serde(with = "size_or_unlimited")]
    pub payload_bytes: Option<ByteSize>,
    /// Jobs and executions that have ended and are kept.
    #[serde(with = "count_or_unlimited")]
    pub history_rows: Option<u64>,
    /// Deliveries of webhooks.
    #[serde(with = "size_or_unlimited")]
    pub delivery_bytes: Option<ByteSize>,
    /// Answers that are kept for repeats, of each API key.
    #[serde(with = "count_or_unlimited")]
    pub idempotency_keys: Option<u64>,
    /// Versions of workflows.
    #[serde(with = "count_or_unlimited")]
    pub workflow_versions: Option<u64>,
    /// Schedules.
    #[serde(with = "count_or_unlimited")]
    pub schedules: Option<u64>,
    /// Endpoints of webhooks.
    #[serde(with = "count_or_unlimited")]
    pub webhooks: Option<u64>,
    /// API keys.
    #[serde(with = "count_or_unlimited")]
    pub api_keys: Option<u64>,
    /// Versions of workflows, inputs of schedules, configurations of webhooks.
    #[serde(with = "size_or_unlimited")]
    pub definition_bytes: Option<ByteSize>,
    /// Log lines of jobs.
    #[serde(with = "size_or_unlimited")]
    pub log_bytes: Option<ByteSize>,
    /// Starts of triggers that wait.
    #[serde(with = "size_or_unlimited")]
    pub waiting_start_bytes: Option<ByteSize>,
}

impl Default for QuotaSettings {
    fn default() -> Self {
        let usual = Quotas::usual();
        let bytes = |kind| usual.of(kind).map(ByteSize);
        Self {
            open_jobs: usual.of(QuotaKind::OpenJobs),
            open_executions: usual.of(QuotaKind::OpenExecutions),
            payload_bytes: bytes(QuotaKind::PayloadBytes),
            history_rows: usual.of(QuotaKind::HistoryRows),
            delivery_bytes: bytes(QuotaKind::DeliveryBytes),
            idempotency_keys: usual.of(QuotaKind::IdempotencyKeys),
            workflow_versions: usual.of(QuotaKind::WorkflowVersions),
            schedules: usual.of(QuotaKind::Schedules),
            webhooks: usual.of(QuotaKind::Webhooks),
            api_keys: usual.of(QuotaKind::ApiKeys),
            definition_bytes: bytes(QuotaKind::DefinitionBytes),
            log_bytes: bytes(QuotaKind::LogBytes),
            waiting_start_bytes: bytes(QuotaKind::WaitingStartBytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_are_numbers_sizes_or_unlimited() {
        let text = "open_jobs = 5\nopen_executions = \"unlimited\"\npayload_bytes = \"10GiB\"\nidempotency_keys = \"7\"";
        let read: QuotaSettings = toml::from_str(text).expect("they fit");
        let expected = QuotaSettings {
            open_jobs: Some(5),
            payload_bytes: Some(ByteSize(10 << 30)),
            idempotency_keys: Some(7),
            ..QuotaSettings::default()
        };
        assert_eq!(read, expected);
        for wrong in ["open_jobs = -1", "open_jobs = \"many\"", "payload_bytes = \"10\u{a0}GB\""] {
            assert!(toml::from_str::<QuotaSettings>(wrong).is_err(), "{wrong}");
        }
    }
}
