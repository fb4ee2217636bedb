//! What the owners of a process do together: their commits, their looks into inboxes and their loads go to the store
//! in groups. Whatever waits while one group is under way is the next one; a call that comes alone goes at once.

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::id::ExecutionId;
use domain::names::NodeId;
use domain::queue::QueueName;
use domain::time::Timestamp;
use store::executions::{
    Committed, CompletedJob, EagerlyCommitted, ExecutionCommit, INBOX_BYTES_MAX, InboxEntry, InboxRow,
    LoadedExecution, OwnerNext,
};
use store::jobs::{LeaseAnswer, LeaseRef, NewJob};
use store::{Clock, Store, StoreResult};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::group_commit::{GroupCommit, Sink};
use crate::jobs::EagerStarts;
use crate::metrics::{self, LeaseFacts};
use crate::stats::StatNotes;
use crate::{fail_points, traces};

/// How many entries of an inbox one look takes.
const INBOX_PAGE: u32 = 500;

/// How many inboxes one statement looks into: together they may hold as many times what is read of one.
const INBOXES_MAX: usize = 64;

/// Whether there may be more than these entries: the page is as long as one gets, or large enough that the bound on
/// bytes may have cut it. The store counts more than the text that an entry carries, at most as much again.
pub(super) fn is_page(rows: &[InboxRow]) -> bool {
    let bytes: usize = rows.iter().map(|row| row.entry.bytes()).sum();
    rows.len() >= INBOX_PAGE as usize || bytes >= INBOX_BYTES_MAX / 2
}

/// Beside a commit that is under way, another one is not made for fewer steps than this.
const SECOND_MIN: usize = 64;

/// The queues before the store.
#[derive(Default)]
pub(crate) struct OwnerBatches {
    commits: GroupCommit<CommitSink>,
    /// Steps that only move on, which are cheaper by themselves.
    plain_commits: GroupCommit<CommitSink>,
    /// Steps that only end their executions, likewise.
    plain_ends: GroupCommit<CommitSink>,
    inboxes: GroupCommit<InboxSink>,
    loads: GroupCommit<LoadSink>,
}

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

struct CommitSink {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    eager: EagerStarts,
}

#[async_trait]
impl Sink for CommitSink {
    type Item = ExecutionCommit;
    /// `None` for the second of two owners of one execution, one of which has lost its lease: one commit takes an
    /// execution once.
    type Answer = Option<(LeaseAnswer<Committed>, Timestamp)>;

    async fn commit(&self, commits: &[ExecutionCommit]) -> StoreResult<Vec<Self::Answer>> {
        let mut seen = HashSet::with_capacity(commits.len());
        let is_first: Vec<bool> = commits.iter().map(|commit| seen.insert(commit.id)).collect();
        if seen.len() == commits.len() {
            return Ok(self.write(commits).await?.into_iter().map(Some).collect());
        }
        let firsts: Vec<ExecutionCommit> = commits
            .iter()
            .zip(&is_first)
            .filter(|(_, first)| **first)
            .map(|(commit, _)| commit.clone())
            .collect();
        let mut answers = self.write(&firsts).await?.into_iter();
        Ok(is_first.into_iter().map(|first| if first { answers.next() } else { None }).collect())
    }

    fn commits_at_once(&self) -> usize {
        self.store.writes_at_once()
    }

    fn second_min(&self) -> usize {
        SECOND_MIN
    }
}

impl CommitSink {
    async fn write(
        &self,
        commits: &[ExecutionCommit],
    ) -> StoreResult<Vec<(LeaseAnswer<Committed>, Timestamp)>> {
        let parks = commits.iter().any(|commit| matches!(commit.next, OwnerNext::Park { .. }));
        fail_points::reach("owner-commit-before");
        if parks {
            fail_points::reach("park-before");
        }
        let now = self.clock.now();
        let answers = self.commit_eagerly(commits, now).await?;
        if parks {
            fail_points::reach("park-after");
        }
        fail_points::reach("owner-commit-after");
        Ok(answers.into_iter().map(|answer| (answer, now)).collect())
    }

    /// Commits steps; new jobs of nodes start eagerly where a pool or a poll of this process has slots for them.
    async fn commit_eagerly(
        &self,
        commits: &[ExecutionCommit],
        now: Timestamp,
    ) -> StoreResult<Vec<LeaseAnswer<Committed>>> {
        let jobs: Vec<&NewJob> = commits.iter().flat_map(|commit| &commit.enqueue).collect();
        let start = if jobs.is_empty() { None } else { self.eager.take(&jobs, now) };
        let Some(start) = start else {
            return self.store.commit_executions(commits, now).await;
        };
        let EagerlyCommitted { answers, leased } =
            self.store.commit_executions_eagerly(commits, &start.claim).await?;
        start.start(leased);
        Ok(answers)
    }
}

struct InboxSink(Arc<dyn Store>);

#[async_trait]
impl Sink for InboxSink {
    type Item = ExecutionId;
    type Answer = Vec<InboxRow>;

    async fn commit(&self, ids: &[ExecutionId]) -> StoreResult<Vec<Vec<InboxRow>>> {
        let mut places = HashMap::with_capacity(ids.len());
        let mut unique = Vec::with_capacity(ids.len());
        for &id in ids {
            places.entry(id).or_insert_with(|| {
                unique.push(id);
                unique.len() - 1
            });
        }
        let mut rows = Vec::with_capacity(unique.len());
        for part in unique.chunks(INBOXES_MAX) {
            rows.extend(self.0.inboxes(part, INBOX_PAGE).await?);
        }
        if unique.len() == ids.len() {
            return Ok(rows);
        }
        Ok(ids.iter().map(|id| rows.get(places[id]).cloned().unwrap_or_default()).collect())
    }

    fn commits_at_once(&self) -> usize {
        self.0.writes_at_once()
    }
}

struct LoadSink(Arc<dyn Store>);

#[async_trait]
impl Sink for LoadSink {
    type Item = (ExecutionId, LeaseRef);
    type Answer = LeaseAnswer<LoadedExecution>;

    async fn commit(&self, executions: &[Self::Item]) -> StoreResult<Vec<Self::Answer>> {
        self.0.load_executions(executions).await
    }

    fn commits_at_once(&self) -> usize {
        self.0.writes_at_once()
    }
}

// Results that come to an owner from its own process, without the inbox between them.
//
// Its next step folds them like entries of the inbox and ends their jobs itself, under their leases. Nothing is
// answered before that commit. What the owner cannot use (it comes too late, or something in the inbox has to go
// before it), and all that it has when it leaves, is dropped: whoever handed it over then settles the job in the
// store.

/// The most results of one step.
pub(super) const HANDED_MAX: usize = 500;

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
    /// Whether whoever handed it over stopped waiting, and settles the job otherwise.
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

// Retries while the store is unavailable: an owner tries again until it is asked to stop.

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
                "the store does not answer; trying again"
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
