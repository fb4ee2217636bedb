//! Commits, reads and inboxes of owners, each with those of others.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use domain::id::ExecutionId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use store::executions::{Committed, ExecutionCommit, InboxRow, LoadedExecution};
use store::jobs::{LeaseAnswer, LeaseRef};
use tokio_util::sync::CancellationToken;

use super::share::{CommitSink, InboxSink, LoadSink};
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// Commits a step together with those of other owners. Answers the instant at which it was written as well. `None`: it
    /// was not written, and has to be made again.
    pub(super) async fn commit_step(
        &self,
        commit: ExecutionCommit,
    ) -> Result<Option<(LeaseAnswer<Committed>, Timestamp)>, EngineError> {
        let sink = || CommitSink {
            store: Arc::clone(self.store()),
            clock: Arc::clone(self.clock()),
            eager: self.eager_starts(QueueName::Node),
        };
        let shared = &self.memory().shared;
        // One writer is better off with everything at once.
        let has_more = self.store().writes_at_once() > 1;
        let commits = if has_more && commit.is_plain() {
            &shared.plain_commits
        } else if has_more && commit.is_plain_end() {
            &shared.plain_ends
        } else {
            &shared.commits
        };
        commits.commit(commit, sink).await
    }

    /// The entries of an inbox that were not applied yet: a page, see [`is_page`].
    pub(super) async fn inbox(&self, id: ExecutionId) -> Result<Vec<InboxRow>, EngineError> {
        self.memory().shared.inboxes.commit(id, || InboxSink(Arc::clone(self.store()))).await
    }

    /// What an owner needs to go on.
    pub(super) async fn load(
        &self,
        id: ExecutionId,
        lease: LeaseRef,
    ) -> Result<LeaseAnswer<LoadedExecution>, EngineError> {
        self.memory().shared.loads.commit((id, lease), || LoadSink(Arc::clone(self.store()))).await
    }
}

const PAUSE_MIN: Duration = Duration::from_millis(100);

const PAUSE_MAX: Duration = Duration::from_secs(5);

impl Engine {
    /// Calls until there is an answer. `None`: `stop` was set before there was one. What a later version wrote is left
    /// to a node of that version: the execution is given back.
    pub(super) async fn retry_until_stopped<T, F, Called>(
        &self,
        stop: &CancellationToken,
        mut call: F,
    ) -> Result<Option<T>, EngineError>
    where
        F: FnMut() -> Called,
        Called: Future<Output = Result<T, EngineError>>,
    {
        let mut pause = PAUSE_MIN;
        loop {
            let error = match call().await {
                Ok(answer) => return Ok(Some(answer)),
                Err(error) if error.is_retryable() && !error.is_for_another_process() => error,
                Err(error) => return Err(error),
            };
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "the database does not respond; retrying"
            );
            let spread = pause.mul_f64(0.5 + 0.5 * self.entropy().jitter().0.clamp(0.0, 1.0));
            tokio::select! {
                () = stop.cancelled() => return Ok(None),
                () = tokio::time::sleep(spread) => {}
            }
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }
}
