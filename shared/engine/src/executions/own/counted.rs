//! What is counted of a step that is committed, whether its execution has an owner or not: the jobs and children that it
//! stored, and what became of the execution.

use domain::time::Timestamp;
use domain::workflow::execution::{ExecutionStatus, TimelineEventKind};
use store::executions::{ExecutionCommit, ExecutionRecord};

use crate::engine::Engine;
use crate::metrics;
use crate::stats::StoredJobs;

/// What is counted for a commit in progress.
pub(super) struct StepCounts {
    /// Jobs of nodes, and those of children.
    tally: metrics::Tally,
    jobs: StoredJobs,
    /// What started each of the children.
    triggers: Vec<String>,
    compensating: u64,
}

impl StepCounts {
    pub(super) fn of(commit: &ExecutionCommit) -> Self {
        let jobs = || commit.enqueue.iter().chain(commit.children.iter().map(|child| &child.job));
        Self {
            tally: metrics::Tally::of_enqueued(jobs()),
            jobs: StoredJobs::of(jobs()),
            triggers: commit.children.iter().map(|child| child.trigger.kind.clone()).collect(),
            compensating: commit
                .events
                .iter()
                .filter(|line| line.kind == TimelineEventKind::ExecutionCompensating.as_str())
                .count() as u64,
        }
    }

    /// Counts it, once the commit is written.
    pub(super) fn count(self, engine: &Engine) {
        self.tally.add();
        metrics::executions_compensating(self.compensating);
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
