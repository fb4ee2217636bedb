//! A result that is delivered to the owner of its execution in memory, and what its worker is answered.

use domain::names::NodeId;
use domain::time::Timestamp;
use store::executions::{CompletedJob, InboxEntry};
use store::jobs::LeaseRef;
use tokio::sync::oneshot;

use crate::metrics::LeaseFacts;
use crate::stats::StatNotes;
use crate::{metrics, traces};

/// The result of a node's job.
pub(crate) struct DeliveredResult {
    /// The lease of the attempt.
    pub(crate) lease: LeaseRef,
    /// The node.
    pub(crate) node_id: NodeId,
    /// Attempts, over the whole life of the job.
    pub(crate) attempts: u32,
    /// When this attempt started.
    pub(crate) started_at: Timestamp,
    /// The result as raw JSON text.
    pub(crate) result: Option<String>,
    /// Acknowledged after the commit; dropped if it was not written, or nobody knows.
    pub(crate) written: oneshot::Sender<()>,
    /// What the job is measured by.
    pub(crate) facts: LeaseFacts,
}

/// What is done for a delivered result when it is written.
pub(super) struct Ack {
    lease: LeaseRef,
    written: oneshot::Sender<()>,
    facts: LeaseFacts,
}

impl Ack {
    /// Says that it is written.
    pub(super) fn send(self, stats: &StatNotes, now: Timestamp) {
        metrics::completed(stats, &self.facts, now);
        traces::completed(self.lease, now);
        // Whoever stopped waiting finds out by settling.
        let _ = self.written.send(());
    }
}

impl DeliveredResult {
    /// Whether whoever delivered it stopped waiting, and settles the job otherwise.
    pub(super) fn is_given_up(&self) -> bool {
        self.written.is_closed()
    }

    /// The entry of the inbox that it stands for.
    pub(super) fn entry(&self) -> InboxEntry {
        InboxEntry::NodeSettled {
            node_id: self.node_id.clone(),
            job_id: self.lease.id,
            result: Ok(self.result.clone().unwrap_or_else(|| "null".to_owned())),
            attempts: self.attempts,
            started_at: Some(self.started_at),
        }
    }

    /// How its job ends with the step, and who gets the acknowledgement.
    pub(super) fn into_parts(self) -> (CompletedJob, Ack) {
        let ack = Ack { lease: self.lease, written: self.written, facts: self.facts };
        (CompletedJob { lease: self.lease, result: self.result }, ack)
    }
}
