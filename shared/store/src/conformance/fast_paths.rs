//! What a fast path writes is what the general one writes: random operations are carried out twice, once as a fast path takes
//! them, and once beside a neighbor that it does not take, so that both go the general one. A store without a fast path
//! passes as well.

use domain::access::TenantScope;
use domain::failure::JobError;
use domain::id::{Id, JobId, Kind};
use domain::job::Disposition;
use domain::names::{CallerKey, NodeId, Tag};
use domain::queue::Tier;
use domain::time::DurationMs;
use domain::workflow::execution::{ExecutionStatus, NodeRecord, NodeStatus};
use uuid::Uuid;

use super::commits::many;
use super::executions::{commit, node_job};
use super::fixture::{
    Random, T0, after_secs, claim_nodes, commit_all, enqueue, id, inbox, job, lease, load_one,
};
use crate::Store;
use crate::executions::{
    CompletedJob, EventLine, ExecutionCommit, ExecutionRecord, LoadedExecution, NewExecution, OwnerNext,
};
use crate::jobs::{ClaimedJob, JobRecord, LeaseAnswer, NewJob, Settlement};

const ALL: TenantScope = TenantScope::All;

/// How many random sequences there are of each operation.
const SEEDS: u64 = 8;

/// Random numbers that are the same in each run.
struct Dice(Random);

impl Dice {
    /// A number below `sides`.
    fn roll(&mut self, sides: u64) -> u64 {
        self.0.below(sides as i64) as u64
    }

    /// JSON of a few bytes, or of more than a row of a job holds.
    fn payload(&mut self) -> String {
        let length = if self.roll(4) == 0 { 5_000 } else { self.roll(40) as usize };
        format!(r#"{{"text":"{}"}}"#, "ä".repeat(length))
    }
}

/// What is read of jobs, but for their names and places.
async fn jobs_as_read(store: &dyn Store, ids: &[JobId]) -> Vec<JobRecord> {
    let mut records = Vec::new();
    for &id in ids {
        let record = store.job(&ALL, id).await.expect("read works").expect("there");
        records.push(JobRecord { id: nil(), position: 0, execution_id: None, ..record });
    }
    records
}

fn nil<K: Kind>() -> Id<K> {
    Id::from_uuid(Uuid::nil())
}

fn ids(jobs: &[NewJob]) -> Vec<JobId> {
    jobs.iter().map(|job| job.id).collect()
}

/// Jobs that are alike but for id, time and payload.
fn alike(dice: &mut Dice) -> Vec<NewJob> {
    let like = NewJob {
        tier: [Tier::High, Tier::Normal, Tier::Low][dice.roll(3) as usize],
        retries_max: dice.roll(4) as u32,
        timeout: (dice.roll(2) == 0).then_some(DurationMs::from_secs(60)),
        tags: (0..dice.roll(3)).map(|number| Tag::trusted(format!("tag{number}"))).collect(),
        ..job()
    };
    let count = 1 + dice.roll(5);
    let mut other = || NewJob {
        id: id(),
        run_at: after_secs(dice.roll(2) as i64 * 60),
        data: dice.payload(),
        ..like.clone()
    };
    (0..count).map(|_| other()).collect()
}

/// The same with ids of their own.
fn again(jobs: &[NewJob]) -> Vec<NewJob> {
    jobs.iter().map(|job| NewJob { id: id(), ..job.clone() }).collect()
}

/// Jobs that are enqueued beside one with a key read as those that are not.
pub async fn i01_jobs_read_the_same_on_every_path(store: &dyn Store) {
    for seed in 0..SEEDS {
        let one = alike(&mut Dice(Random(seed)));
        let other = again(&one);
        let neighbor = NewJob { unique_key: Some(CallerKey::trusted(format!("key{seed}"))), ..job() };
        enqueue(store, &one).await;
        enqueue(store, &[other.clone(), vec![neighbor]].concat()).await;
        let read = jobs_as_read(store, &ids(&one)).await;
        assert_eq!(read, jobs_as_read(store, &ids(&other)).await, "seed {seed}");
    }
}

/// Jobs that complete beside one that fails read as those that do not.
pub async fn i08_completions_read_the_same_on_every_path(store: &dyn Store) {
    for seed in 0..SEEDS {
        let mut dice = Dice(Random(seed));
        let one: Vec<NewJob> = (0..=dice.roll(5)).map(|_| NewJob { data: dice.payload(), ..job() }).collect();
        let (other, neighbor) = (again(&one), job());
        enqueue(store, &[one.clone(), other.clone(), vec![neighbor.clone()]].concat()).await;
        let claimed = claim_nodes(store, 20, after_secs(1)).await;
        let settlement = |job: &NewJob, disposition: Disposition| Settlement {
            lease: lease(claimed.iter().find(|claimed| claimed.id == job.id).expect("it was claimed")),
            disposition,
        };
        let results: Vec<Option<String>> =
            one.iter().map(|_| (dice.roll(3) > 0).then(|| dice.payload())).collect();
        let complete = |jobs: &[NewJob]| -> Vec<Settlement> {
            let ends = jobs.iter().zip(&results);
            ends.map(|(job, result)| settlement(job, Disposition::Complete(result.clone()))).collect()
        };
        // Far enough away for no later claim of this case to find it.
        let failed = Disposition::RetryAt { at: after_secs(3_600), error: JobError::coded("x", "x") };
        let beside = [complete(&other), vec![settlement(&neighbor, failed)]].concat();
        for batch in [complete(&one), beside] {
            let answers = store.settle(&batch, after_secs(2)).await.expect("settle works");
            assert!(answers.iter().all(|answer| matches!(answer, LeaseAnswer::Ok(_))), "{answers:?}");
        }
        let read = jobs_as_read(store, &ids(&one)).await;
        assert_eq!(read, jobs_as_read(store, &ids(&other)).await, "seed {seed}");
    }
}

/// A random step, for every execution that takes it.
struct Draft {
    number: u64,
    is_last: bool,
    records: u64,
    events: u64,
    nodes: u64,
    results: Vec<Option<String>>,
}

impl Draft {
    /// The last step completes all jobs that are held and makes none.
    fn roll(dice: &mut Dice, number: u64, is_last: bool, held: usize) -> Self {
        let completed = if is_last { held as u64 } else { dice.roll(held as u64 + 1) };
        Self {
            number,
            is_last,
            records: dice.roll(3),
            events: dice.roll(3),
            nodes: if is_last { 0 } else { dice.roll(3) },
            results: (0..completed).map(|_| (dice.roll(3) > 0).then(|| dice.payload())).collect(),
        }
    }

    fn of(&self, (new, owner): &(NewExecution, ClaimedJob), held: &[ClaimedJob]) -> ExecutionCommit {
        let name = |kind: &str, nth: u64| format!("{kind}{}-{nth}", self.number);
        let record = |nth: u64| NodeRecord {
            node: NodeId::trusted(name("record", nth)),
            round: 1,
            status: NodeStatus::Completed,
            input: None,
            output: Some(serde_json::Value::from(nth)),
            error: None,
            attempts: 1,
            started_at: Some(T0),
            finished_at: T0,
        };
        let line = |nth: u64| EventLine { kind: name("event", nth), node_id: None, detail: None, at: T0 };
        let completed = held.iter().zip(&self.results);
        let status = if self.is_last { ExecutionStatus::Completed } else { ExecutionStatus::Running };
        ExecutionCommit {
            state: vec![self.number as u8; 3],
            records: (0..self.records).map(|nth| record(nth).into()).collect(),
            events: (0..self.events).map(line).collect(),
            enqueue: (0..self.nodes).map(|nth| node_job(new, &name("node", nth))).collect(),
            completed: completed
                .map(|(job, result)| CompletedJob { lease: lease(job), result: result.clone() })
                .collect(),
            output: self.is_last.then(|| r#"{"ok":true}"#.to_owned()),
            next: if self.is_last { OwnerNext::Finish } else { OwnerNext::Keep },
            ..commit(new.id, lease(owner), status)
        }
    }
}

/// What is read of an execution and its jobs, but for their names.
#[derive(Debug, PartialEq)]
struct ExecutionAsRead {
    record: ExecutionRecord,
    lines: Vec<EventLine>,
    /// `None` once it has ended.
    loaded: Option<LoadedExecution>,
    entries: usize,
    jobs: Vec<JobRecord>,
}

fn nameless(record: ExecutionRecord) -> ExecutionRecord {
    ExecutionRecord { id: nil(), job_id: nil(), ..record }
}

async fn execution_as_read(
    store: &dyn Store,
    (new, owner): &(NewExecution, ClaimedJob),
    jobs: &[JobId],
) -> ExecutionAsRead {
    let record = store.execution(&ALL, new.id).await.expect("read works").expect("there");
    let events = store.execution_events(&ALL, new.id, 0, 100).await.expect("read works").expect("there");
    let loaded = match load_one(store, new.id, lease(owner)).await.expect("load works") {
        LeaseAnswer::Ok(loaded) => {
            Some(LoadedExecution { record: nameless(loaded.record.clone()), ..loaded })
        }
        LeaseAnswer::AlreadyDone | LeaseAnswer::Cancelled | LeaseAnswer::LeaseLost => None,
    };
    ExecutionAsRead {
        record: nameless(record),
        lines: events.into_iter().map(|event| event.line).collect(),
        loaded,
        entries: inbox(store, new.id).await.expect("read works").len(),
        jobs: jobs_as_read(store, jobs).await,
    }
}

/// Steps that are committed beside one that cancels a job read as those that are not.
pub async fn i08_steps_read_the_same_on_every_path(store: &dyn Store) {
    for seed in 0..SEEDS {
        steps_of(store, seed).await;
    }
}

async fn steps_of(store: &dyn Store, seed: u64) {
    let mut dice = Dice(Random(seed));
    let all = many(store, 3).await;
    let mut held: [Vec<ClaimedJob>; 2] = [Vec::new(), Vec::new()];
    let mut jobs: [Vec<JobId>; 2] = [Vec::new(), Vec::new()];
    let last = 1 + dice.roll(4);
    for number in 0..=last {
        let now = after_secs(number as i64 + 1);
        let draft = Draft::roll(&mut dice, number, number == last, held[0].len());
        let [one, other] = [0, 1].map(|place: usize| draft.of(&all[place], &held[place]));
        for (place, step) in [&one, &other].into_iter().enumerate() {
            jobs[place].extend(step.enqueue.iter().map(|job| job.id));
            held[place].drain(..step.completed.len());
        }
        let (new, owner) = &all[2];
        // It ends with the others: of a workflow only a few executions run at once.
        let (status, next) = if number == last {
            (ExecutionStatus::Completed, OwnerNext::Finish)
        } else {
            (ExecutionStatus::Running, OwnerNext::Keep)
        };
        let neighbor = ExecutionCommit { cancel: vec![id()], next, ..commit(new.id, lease(owner), status) };
        for group in [vec![one], vec![other, neighbor]] {
            let answers = commit_all(store, &group, now).await.expect("commit works");
            assert!(answers.iter().all(|answer| matches!(answer, LeaseAnswer::Ok(_))), "{answers:?}");
        }
        for claimed in claim_nodes(store, 20, now).await {
            let place = usize::from(claimed.execution_id != Some(all[0].0.id));
            held[place].push(claimed);
        }
        let read = execution_as_read(store, &all[0], &jobs[0]).await;
        assert_eq!(read, execution_as_read(store, &all[1], &jobs[1]).await, "seed {seed}, step {number}");
    }
}
