//! What is counted of a step that is committed, whether its execution has an owner or not: the jobs and children that it
//! stored, and the end of the execution.

use domain::time::Timestamp;
use domain::workflow::execution::ExecutionStatus;
use store::executions::{ExecutionCommit, ExecutionRecord};

use crate::engine::Engine;
use crate::metrics;
use crate::stats::StoredJobs;

/// Jobs of nodes, and children with their jobs, that a commit under way is to store.
pub(super) struct StoredBy {
    tally: metrics::Tally,
    jobs: StoredJobs,
    /// What started each of the children.
    triggers: Vec<String>,
}

impl StoredBy {
    pub(super) fn of(commit: &ExecutionCommit) -> Self {
        let jobs = || commit.enqueue.iter().chain(commit.children.iter().map(|child| &child.job));
        Self {
            tally: metrics::Tally::of_enqueued(jobs()),
            jobs: StoredJobs::of(jobs()),
            triggers: commit.children.iter().map(|child| child.trigger.kind.clone()).collect(),
        }
    }

    /// Counts them, once the commit is written.
    pub(super) fn count(self, engine: &Engine) {
        self.tally.add();
        for trigger in &self.triggers {
            metrics::executions_started(trigger, 1);
        }
        engine.memory().stats.stored(&self.jobs, engine.now());
    }
}

impl Engine {
    /// Counts an execution that a step has ended, and lets the next one with its unique key go.
    pub(super) async fn execution_ended(
        &self,
        execution: &ExecutionRecord,
        status: ExecutionStatus,
        now: Timestamp,
    ) {
        metrics::execution_ended(&self.memory().stats, execution, status, now);
        self.admit_next(execution).await;
    }
}
