//! What a bulk operation was asked, and the text form in which another process takes it up.

use domain::failure::DeadReason;
use domain::names::{JobType, TenantName, WorkflowName};
use domain::queue::{QueueName, Tier};
use domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use store::dead_letters::{DeadLetterFilter, DeadLetterStatus, RequeueEdit};
use store::operations::BatchRecord;

/// What is done to each dead letter.
#[derive(Debug, Clone, PartialEq)]
pub enum BulkKind {
    /// Its job goes back to its queue, with these changes.
    Requeue(RequeueEdit),
    /// It is archived.
    Archive {
        /// Why.
        reason: String,
    },
}

impl BulkKind {
    /// The stored and public name.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Requeue(_) => "dead_letters.requeue",
            Self::Archive { .. } => "dead_letters.archive",
        }
    }
}

/// A bulk operation on dead letters.
#[derive(Debug, Clone, PartialEq)]
pub struct BulkRequest {
    /// What is done.
    pub kind: BulkKind,
    /// To which.
    pub filter: DeadLetterFilter,
    /// Has to be set where the filter is empty: nobody requeues everything by a forgotten filter.
    pub all: bool,
    /// Only counts.
    pub dry_run: bool,
    /// Stops after this many.
    pub limit: Option<u64>,
    /// How many at most in a second.
    pub rate_per_second: Option<u32>,
    /// Stops when more than this part of what was done failed (0 to 1).
    pub stop_on_failure_rate: Option<f64>,
}

/// What a bulk operation answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BulkAnswer {
    /// How many match (dry run).
    Count(u64),
    /// It has begun.
    Batch(BatchRecord),
}

/// The request as it is stored with the batch. Names are kept as text, checked when they came in.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct StoredBulk {
    requeue: Option<StoredEdit>,
    archive_reason: Option<String>,
    queue: Option<QueueName>,
    workflow: Option<WorkflowName>,
    job_type: Option<JobType>,
    tenant: Option<TenantName>,
    fingerprint: Option<String>,
    reason: Option<DeadReason>,
    from_ms: Option<i64>,
    to_ms: Option<i64>,
    pub(super) limit: Option<u64>,
    pub(super) rate_per_second: Option<u32>,
    pub(super) stop_on_failure_rate: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct StoredEdit {
    data: Option<String>,
    tier: Option<Tier>,
    retries_max: Option<u32>,
}

impl StoredBulk {
    pub(super) fn of(request: &BulkRequest) -> Self {
        let filter = request.filter.clone();
        let (requeue, archive_reason) = match &request.kind {
            BulkKind::Requeue(edit) => {
                let RequeueEdit { data, tier, retries_max } = edit.clone();
                (Some(StoredEdit { data, tier, retries_max }), None)
            }
            BulkKind::Archive { reason } => (None, Some(reason.clone())),
        };
        Self {
            requeue,
            archive_reason,
            queue: filter.queue,
            workflow: filter.workflow,
            job_type: filter.job_type,
            tenant: filter.tenant,
            fingerprint: filter.fingerprint,
            reason: filter.reason,
            from_ms: filter.from.map(|at| at.0),
            to_ms: filter.to.map(|at| at.0),
            limit: request.limit,
            rate_per_second: request.rate_per_second,
            stop_on_failure_rate: request.stop_on_failure_rate,
        }
    }

    pub(super) fn kind(&self) -> BulkKind {
        if let Some(reason) = &self.archive_reason {
            return BulkKind::Archive { reason: reason.clone() };
        }
        let StoredEdit { data, tier, retries_max } = self.requeue.clone().unwrap_or_default();
        BulkKind::Requeue(RequeueEdit { data, tier, retries_max })
    }

    /// The open ones that had died when the batch was made: those that die again meanwhile are not meant.
    pub(super) fn filter(&self, created_at: Timestamp) -> DeadLetterFilter {
        let until = Timestamp(created_at.0.saturating_add(1));
        DeadLetterFilter {
            queue: self.queue,
            workflow: self.workflow.clone(),
            job_type: self.job_type.clone(),
            tenant: self.tenant.clone(),
            fingerprint: self.fingerprint.clone(),
            reason: self.reason,
            from: self.from_ms.map(Timestamp),
            to: Some(self.to_ms.map_or(until, |to| Timestamp(to).min(until))),
            status: Some(DeadLetterStatus::Open),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_request_says_the_same() {
        let request = BulkRequest {
            kind: BulkKind::Requeue(RequeueEdit { tier: Some(Tier::Low), ..RequeueEdit::default() }),
            filter: DeadLetterFilter {
                job_type: Some(JobType::trusted("encode")),
                to: Some(Timestamp(50)),
                ..DeadLetterFilter::default()
            },
            all: false,
            dry_run: false,
            limit: Some(7),
            rate_per_second: None,
            stop_on_failure_rate: Some(0.5),
        };
        let stored = StoredBulk::of(&request);
        let text = serde_json::to_string(&stored).expect("plain data");
        let read: StoredBulk = serde_json::from_str(&text).expect("what was written");
        assert_eq!(read, stored);
        assert_eq!(read.kind(), request.kind);
        let expected = DeadLetterFilter { status: Some(DeadLetterStatus::Open), ..request.filter.clone() };
        assert_eq!(read.filter(Timestamp(1_000)), expected);
        assert_eq!(read.filter(Timestamp(10)).to, Some(Timestamp(11)));
    }
}
