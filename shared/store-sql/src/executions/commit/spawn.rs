//! What steps bring into being: jobs of nodes, and children with their jobs. All of it in one insert of jobs.

use domain::failure::JobError;
use domain::queue::LaneId;
use domain::time::Timestamp;
use domain::workflow::execution::ExecutionStatus;
use sea_orm::ConnectionTrait as _;
use store::StoreResult;
use store::executions::{ExecutionCommit, InboxEntry};
use store::jobs::{Enqueued, NewJob};
use uuid::Uuid;

use super::super::cancel::Touched;
use super::super::command::retry_failed;
use super::super::create::{NewRow, insert_new};
use super::super::inbox::{self, Standing};
use super::super::lock::{Family, Locked, Moves};
use super::super::parents::result_of;
use super::super::wake::Resumed;
use crate::SqlStore;
use crate::dialect::Dialect;
use crate::jobs::enqueue::{Inserted, insert, prepare};
use crate::rows::Row;
use crate::sql::{DatabaseTransaction, Sql};

/// The jobs that steps want, with their lanes, prepared before the transaction.
#[derive(Debug)]
pub(super) struct Spawn<'a> {
    steps: Vec<Wanted<'a>>,
}

#[derive(Debug)]
struct Wanted<'a> {
    /// Jobs of nodes first, then those of the children, in order.
    jobs: Vec<NewJob>,
    lanes: Vec<LaneId>,
    children: Vec<NewRow<'a>>,
}

/// What was inserted.
#[derive(Debug, Default)]
pub(super) struct Spawned {
    /// The answers about jobs of nodes, by step.
    pub(super) answers: Vec<Vec<Enqueued>>,
    /// For the ring.
    pub(super) inserted: Vec<Inserted>,
}

impl<'a> Spawn<'a> {
    /// Finds the lanes of everything that the steps want.
    pub(super) async fn prepare(
        store: &SqlStore,
        commits: &'a [ExecutionCommit],
        now: Timestamp,
    ) -> StoreResult<Self> {
        let mut steps: Vec<Wanted<'a>> = Vec::with_capacity(commits.len());
        let mut all: Vec<NewJob> = Vec::new();
        for commit in commits {
            let mut jobs = commit.enqueue.clone();
            jobs.extend(commit.children.iter().map(|child| child.job.clone()));
            all.extend(jobs.iter().cloned());
            let children = commit.children.iter().map(NewRow::of).collect();
            steps.push(Wanted { jobs, lanes: Vec::new(), children });
        }
        if !all.is_empty() {
            let mut lanes = prepare(store, &all, now).await?.into_iter();
            for step in &mut steps {
                step.lanes = lanes.by_ref().take(step.jobs.len()).collect();
            }
        }
        Ok(Self { steps })
    }

    /// Everything that the steps want, with its lanes, in order.
    pub(super) fn all(&self) -> impl Iterator<Item = (NewJob, LaneId)> {
        self.steps.iter().flat_map(|step| step.jobs.iter().cloned().zip(step.lanes.iter().copied()))
    }

    /// Inserts what the steps at these places want.
    pub(super) async fn insert(
        &self,
        on: &DatabaseTransaction,
        places: &[usize],
        now: Timestamp,
    ) -> StoreResult<Spawned> {
        let steps = || places.iter().map(|&place| &self.steps[place]);
        if steps().all(|step| step.jobs.is_empty()) {
            return Ok(Spawned { answers: vec![Vec::new(); places.len()], inserted: Vec::new() });
        }
        let inserted = if let [place] = places {
            insert(on, &self.steps[*place].jobs, &self.steps[*place].lanes, now).await?
        } else {
            let jobs: Vec<NewJob> = steps().flat_map(|step| step.jobs.iter().cloned()).collect();
            let lanes: Vec<LaneId> = steps().flat_map(|step| step.lanes.iter().copied()).collect();
            insert(on, &jobs, &lanes, now).await?
        };
        let mut answers: Vec<Vec<Enqueued>> = Vec::with_capacity(places.len());
        let mut new: Vec<NewRow<'_>> = Vec::new();
        let mut rest = inserted.answers.iter();
        for step in steps() {
            let nodes = step.jobs.len() - step.children.len();
            answers.push(rest.by_ref().take(nodes).cloned().collect());
            let children = step.children.iter().zip(rest.by_ref().take(step.children.len()));
            new.extend(children.filter(|(_, answer)| !answer.existing).map(|(child, _)| *child));
        }
        insert_new(on, &new, now).await?;
        Ok(Spawned { answers, inserted: vec![inserted] })
    }
}

// Children that failed and go on with their parents.

static OUTPUT: Sql = Sql::new("child_output", "SELECT output FROM execution WHERE id = $1");

/// The children of one step that go on.
pub(super) struct Retry<'a> {
    pub(super) on: &'a DatabaseTransaction,
    pub(super) step: &'a ExecutionCommit,
    pub(super) family: &'a Family,
    pub(super) now: Timestamp,
}

impl Retry<'_> {
    /// Lets failed children go on from their failed nodes. One that is under way already does; of any other the step's
    /// execution has the end in its inbox.
    pub(super) async fn retry(&self, moves: &mut Moves) -> StoreResult<Vec<Touched>> {
        let mut touched = Vec::new();
        let mut entries: Vec<(Uuid, InboxEntry)> = Vec::new();
        for (node_id, child_id) in &self.step.retry_children {
            let child = self.family.locked.get(&child_id.uuid());
            let result = match child {
                Some(child) if child.status == ExecutionStatus::Failed => {
                    match self.retry_one(child, moves).await? {
                        None => {
                            touched.push(Touched { root: child.id, id: *child_id, has_ended: false });
                            continue;
                        }
                        Some(reason) => Err(gone(reason)),
                    }
                }
                Some(child) if !child.status.is_terminal() => continue,
                Some(child) if child.status == ExecutionStatus::Completed => {
                    let row = OUTPUT.first(self.on, vec![child.id.into()]).await?;
                    let output = match &row {
                        Some(row) => Row::new("execution", row).text_or_null("output")?,
                        None => None,
                    };
                    result_of(ExecutionStatus::Completed, output.as_deref(), None)
                }
                Some(_) => result_of(ExecutionStatus::Cancelled, None, None),
                None => Err(gone("it is not kept any more")),
            };
            let entry = InboxEntry::ChildSettled { node_id: node_id.clone(), child_id: *child_id, result };
            entries.push((self.step.id.uuid(), entry));
        }
        let dialect = Dialect::of(self.on.get_database_backend());
        inbox::append_all(self.on, dialect, &entries, self.now).await?;
        Ok(touched)
    }

    /// `None`: it goes on; otherwise why it cannot.
    async fn retry_one(&self, child: &Locked, moves: &mut Moves) -> StoreResult<Option<&'static str>> {
        match retry_failed(self.on, child, self.now).await? {
            Resumed::Running(revived) => moves.revive(revived),
            Resumed::Refused(reason) => return Ok(Some(reason)),
        }
        inbox::append(self.on, (child.id, None), &InboxEntry::Retry, &Standing::Pending, self.now).await?;
        Ok(None)
    }
}

/// To its parent it is as if it had been cancelled: the next retry starts another one.
fn gone(reason: &str) -> JobError {
    JobError::coded("cancelled", format!("The child execution cannot continue: {reason}."))
}
