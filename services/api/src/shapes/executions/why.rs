//! Why an execution does not go on.

use domain::id::{ExecutionId, JobId};
use domain::time::Timestamp;
use engine::{ExecutionWhy, NodeWait};
use serde::Serialize;
use utoipa::ToSchema;

use crate::shapes::operations::WhyResponse;
use crate::shapes::words::ExecutionStatusSchema;

/// What an execution is waiting for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ExecutionWhy)]
pub(crate) struct ExecutionWhyResponse {
    #[schema(value_type = ExecutionStatusSchema)]
    status: &'static str,
    /// `finished`, `waiting` (see `waitsFor`), `running`, or the reason why its own job is not running,
    /// such as `limit_workflow`.
    #[schema(value_type = String)]
    reason: &'static str,
    /// Explanation.
    detail: String,
    /// Why its own job is not running, if the execution waits for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<WhyResponse>,
    /// What its nodes wait for, in definition order, at most 100.
    waits_for: Vec<NodeWaitResponse>,
}

impl From<ExecutionWhy> for ExecutionWhyResponse {
    fn from(why: ExecutionWhy) -> Self {
        let (reason, detail) = match (&why.job, why.waits_for.first()) {
            _ if why.status.is_terminal() => {
                ("finished", format!("The execution is {}.", why.status.as_str()))
            }
            (Some(job), _) => (job.reason, job.detail.clone()),
            (None, Some(first)) => {
                let others = match why.waits_for.len() - 1 {
                    0 => String::new(),
                    others => format!(" And {others} more."),
                };
                ("waiting", format!("{} ({}): {}{others}", first.node_id, first.node_type, first.detail))
            }
            (None, None) => ("running", "Its owner is about to go on.".to_owned()),
        };
        Self {
            status: why.status.as_str(),
            reason,
            detail,
            job: why.job.map(WhyResponse::from),
            waits_for: why.waits_for.into_iter().map(NodeWaitResponse::from).collect(),
        }
    }
}

/// What a node waits for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NodeWait)]
pub(crate) struct NodeWaitResponse {
    /// The node, the item of a `MAP` as `notify[17]`, or a compensation as `charge:compensate`.
    node_id: String,
    /// Node type, such as `TIMER`.
    r#type: &'static str,
    /// `timer`, `signal`, `user_task`, `child`, `callback`, `event`, `delay`, `job_queued`, `job_running` or `retry_wait`.
    #[schema(value_type = String)]
    reason: &'static str,
    /// Explanation.
    detail: String,
    /// Time of the next event: the timer fires, the wait times out, or the job is retried.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    until: Option<Timestamp>,
    /// Its job.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    job_id: Option<JobId>,
    /// Child execution that the node waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    execution_id: Option<ExecutionId>,
    /// Why the job is not running.
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<WhyResponse>,
}

impl From<NodeWait> for NodeWaitResponse {
    fn from(wait: NodeWait) -> Self {
        Self {
            node_id: wait.node_id.to_string(),
            r#type: wait.node_type,
            reason: wait.reason,
            detail: wait.detail,
            until: wait.until,
            job_id: wait.job_id,
            execution_id: wait.child_id,
            job: wait.job.map(WhyResponse::from),
        }
    }
}
