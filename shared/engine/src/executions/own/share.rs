//! What the owners of a process do together: their commits, their looks into inboxes and their loads go to the store
//! in groups. Whatever waits while one group is under way is the next one; a call that comes alone goes at once.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use domain::id::ExecutionId;
use domain::time::Timestamp;
use store::executions::{
    Committed, EagerlyCommitted, ExecutionCommit, INBOX_BYTES_MAX, InboxRow, LoadedExecution, OwnerNext,
};
use store::jobs::{LeaseAnswer, LeaseRef, NewJob};
use store::{Clock, Store, StoreResult};

use crate::fail_points;
use crate::group_commit::{GroupCommit, Second, Sink};
use crate::jobs::EagerStarts;

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

/// The queues before the store.
#[derive(Default)]
pub(crate) struct OwnerBatches {
    pub(super) commits: GroupCommit<CommitSink>,
    /// Steps that only move on, which are cheaper by themselves.
    pub(super) plain_commits: GroupCommit<CommitSink>,
    /// Steps that only end their executions, likewise.
    pub(super) plain_ends: GroupCommit<CommitSink>,
    pub(super) inboxes: GroupCommit<InboxSink>,
    pub(super) loads: GroupCommit<LoadSink>,
}

pub(super) struct CommitSink {
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) eager: EagerStarts,
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

    fn second(&self) -> Second {
        Second::FOR_MANY
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

pub(super) struct InboxSink(pub(super) Arc<dyn Store>);

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

pub(super) struct LoadSink(pub(super) Arc<dyn Store>);

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
// before it), and all that it has when it leaves, is dropped: whoever delivered it then settles the job in the
// store.

/// The most results of one step.
pub(super) const DELIVERED_MAX: usize = 500;
