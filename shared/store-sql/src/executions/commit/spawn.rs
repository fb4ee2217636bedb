//! What steps bring into being: jobs of nodes, and children with their jobs. All of it in one insert of jobs.

use domain::lane::LaneId;
use domain::time::Timestamp;
use store::StoreResult;
use store::executions::ExecutionCommit;
use store::jobs::{Enqueued, NewJob};

use crate::SqlStore;
use crate::jobs::enqueue::{Inserted, insert, prepare};
use crate::transaction::DatabaseTransaction;

use super::super::create::{NewRow, insert_new};

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
