//! Groups of dead letters as they are shown, and what is sent to decide about one.

use domain::failure::{IgnoreUntil, IgnoredVersion};
use domain::names::WorkflowName;
use domain::time::Timestamp;
use engine::{GroupStanding, GroupView};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::job_logs::JobErrorBody;
use super::words::GroupStateSchema;
use crate::problem::{ApiResult, Problem};

/// A group of dead letters with the same kind of error.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeadLetterGroup)]
pub(crate) struct GroupResponse {
    fingerprint: String,
    #[schema(value_type = GroupStateSchema)]
    state: &'static str,
    /// Whether a resolved or ignored group reopened automatically.
    reopened: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// When an ignored group reopens.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<UntilBody>,
    /// Who made the last decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    decided_at: Option<Timestamp>,
    job_type: String,
    /// Error of the newest dead letter.
    error: JobErrorBody,
    /// Number of open dead letters.
    count: u64,
    #[schema(value_type = String, format = DateTime)]
    first_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    last_at: Timestamp,
    /// Permanent failures in each hour of the last day, oldest first; the last is the current hour.
    trend: Vec<u64>,
    /// The most affected tenants, at most ten.
    tenants: Vec<GroupTenant>,
    /// Number of tenants with open dead letters.
    tenant_count: u64,
}

/// A tenant in a group of dead letters.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeadLetterGroupTenant)]
pub(crate) struct GroupTenant {
    tenant: String,
    /// Number of open dead letters.
    count: u64,
}

impl From<GroupView> for GroupResponse {
    fn from(view: GroupView) -> Self {
        let tenant = |(tenant, count): (domain::names::TenantName, u64)| GroupTenant {
            tenant: tenant.to_string(),
            count,
        };
        let standing = GroupStateResponse::from(view.standing);
        Self {
            fingerprint: standing.fingerprint,
            state: standing.state,
            reopened: standing.reopened,
            note: standing.note,
            until: standing.until,
            decided_by: standing.decided_by,
            decided_at: standing.decided_at,
            job_type: view.group.job_type.to_string(),
            error: view.group.error.into(),
            count: view.group.count,
            first_at: view.group.first_at,
            last_at: view.group.last_at,
            trend: view.trend,
            tenants: view.facts.tenants.into_iter().map(tenant).collect(),
            tenant_count: view.facts.tenant_count,
        }
    }
}

/// State of a group of dead letters, with the last decision about it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeadLetterGroupStanding)]
pub(crate) struct GroupStateResponse {
    fingerprint: String,
    #[schema(value_type = GroupStateSchema)]
    state: &'static str,
    /// Whether a resolved or ignored group reopened automatically.
    reopened: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// When an ignored group reopens.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<UntilBody>,
    /// Who made the last decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    decided_at: Option<Timestamp>,
}

impl From<GroupStanding> for GroupStateResponse {
    fn from(standing: GroupStanding) -> Self {
        let (note, until, decided_by, decided_at) = match standing.decision {
            Some(of) => (of.note, of.until, Some(of.decided_by), Some(of.decided_at)),
            None => (None, IgnoreUntil::default(), None, None),
        };
        Self {
            fingerprint: standing.fingerprint,
            state: standing.state.as_str(),
            reopened: standing.is_reopened,
            note,
            until: (until != IgnoreUntil::default()).then(|| UntilBody::from(until)),
            decided_by,
            decided_at,
        }
    }
}

/// When an ignored group reopens: as soon as one of these conditions is met.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = DeadLetterGroupUntil)]
pub(crate) struct UntilBody {
    /// Instant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    instant: Option<Timestamp>,
    /// Reopens after this number of further dead letters, 1 to 10,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 10_000)]
    count: Option<u32>,
    /// Workflow of `version`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    workflow: Option<WorkflowName>,
    /// Reopens with the first dead letter of an execution of this version of `workflow`, or of a later version.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    version: Option<u32>,
}

impl From<IgnoreUntil> for UntilBody {
    fn from(until: IgnoreUntil) -> Self {
        let (workflow, version) = until.version.map(|of| (of.workflow, of.version)).unzip();
        Self { instant: until.instant, count: until.count, workflow, version }
    }
}

/// Options of resolving or reopening a group.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = GroupDecisionRequest)]
pub(crate) struct DecisionBody {
    /// Explanation for other people.
    pub(crate) note: Option<String>,
}

/// Options of ignoring a group.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = GroupIgnoreRequest)]
pub(crate) struct IgnoreBody {
    /// Explanation for other people.
    pub(crate) note: Option<String>,
    /// When the group reopens (default: only when someone reopens it).
    until: Option<UntilBody>,
}

impl IgnoreBody {
    /// Until when, and why.
    pub(crate) fn into_parts(self) -> ApiResult<(IgnoreUntil, Option<String>)> {
        let until = self.until.unwrap_or_default();
        let version = match (until.workflow, until.version) {
            (Some(workflow), Some(version)) => Some(IgnoredVersion { workflow, version }),
            (None, None) => None,
            (Some(_), None) => return Err(Problem::fault("/until/version", "is required with a workflow")),
            (None, Some(_)) => return Err(Problem::fault("/until/workflow", "is required with a version")),
        };
        Ok((IgnoreUntil { instant: until.instant, count: until.count, version }, self.note))
    }
}
