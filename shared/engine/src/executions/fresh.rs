//! Store starts: those that come one by one share commits, and those that this process takes up at once are not read.
//!
//! Where the store leases the jobs of new executions as it stores them, their owners begin in this process a moment
//! later. What they would load is what was stored. Nothing depends on one being found: whoever finds none loads it.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use async_trait::async_trait;
use domain::id::{ExecutionId, LeaseToken};
use domain::time::Timestamp;
use domain::workflow::definition::Definition;
use parking_lot::Mutex;
use store::executions::{LoadedExecution, NewExecution};
use store::jobs::{ClaimedJob, EagerlyEnqueued, Enqueued, LeaseRef, NewJob};
use store::{Clock, Store, StoreResult};

use crate::group_commit::{Second, Sink};
use crate::jobs::EagerStarts;

/// Stores executions of several callers.
pub(crate) struct StartSink {
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) eager: EagerStarts,
    pub(super) fresh: Arc<FreshStarts>,
}

#[async_trait]
impl Sink for StartSink {
    type Item = NewExecution;
    type Answer = Enqueued;

    async fn commit(&self, executions: &[NewExecution]) -> StoreResult<Vec<Enqueued>> {
        let mut seen = HashSet::with_capacity(executions.len());
        let is_repeated = executions.iter().any(|execution| !seen.insert(execution.id));
        if !is_repeated {
            return self.store(executions, self.clock.now()).await;
        }
        // A call that is made again while it is under way: the second finds the first one's execution.
        let mut answers = Vec::with_capacity(executions.len());
        for execution in executions {
            answers.extend(self.store(std::slice::from_ref(execution), self.clock.now()).await?);
        }
        Ok(answers)
    }

    fn commits_at_once(&self) -> usize {
        self.store.writes_at_once()
    }

    fn second(&self) -> Second {
        Second::FOR_MANY_SOON
    }
}

impl StartSink {
    pub(super) async fn store(
        &self,
        executions: &[NewExecution],
        now: Timestamp,
    ) -> StoreResult<Vec<Enqueued>> {
        let jobs: Vec<&NewJob> = executions.iter().map(|execution| &execution.job).collect();
        let Some(start) = self.eager.take(&jobs, now) else {
            return self.store.create_executions(executions, now).await;
        };
        let EagerlyEnqueued { enqueued, leased } =
            self.store.create_executions_eagerly(executions, &start.claim).await?;
        self.fresh.leased(executions, &leased, now);
        start.start(leased);
        Ok(enqueued)
    }
}

// What owners begin with.

/// How many executions are remembered. The oldest are forgotten first.
const REMEMBERED_MAX: usize = 1_000;

/// Executions with a larger input are loaded: a copy of it would take as long, and room.
const INPUT_BYTES_MAX: usize = 16 * 1_024;

/// Executions that this process has stored and leased, until their owners take them.
#[derive(Debug, Default)]
pub(crate) struct FreshStarts(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    /// Of starts under way.
    definitions: HashMap<ExecutionId, Arc<Definition>>,
    leased: HashMap<ExecutionId, FreshStart>,
    /// The oldest first, with those that were taken.
    order: VecDeque<ExecutionId>,
}

/// What the first owner of an execution begins with.
#[derive(Debug)]
pub(crate) struct FreshStart {
    token: LeaseToken,
    /// What it would load, but for the text of the definition.
    pub(crate) loaded: LoadedExecution,
    pub(crate) definition: Arc<Definition>,
}

/// Starts under way; their definitions are forgotten when this is dropped.
#[derive(Debug)]
pub(crate) struct AnnouncedStarts {
    pub(super) starts: Arc<FreshStarts>,
    ids: Vec<ExecutionId>,
}

impl FreshStarts {
    /// Remembers the definitions of executions that are about to be stored.
    pub(crate) fn announce(
        self: &Arc<Self>,
        starts: impl Iterator<Item = (ExecutionId, Arc<Definition>)>,
    ) -> AnnouncedStarts {
        let mut remembered = self.0.lock();
        let ids = starts.map(|(id, definition)| {
            remembered.definitions.insert(id, definition);
            id
        });
        AnnouncedStarts { ids: ids.collect(), starts: Arc::clone(self) }
    }

    /// Remembers those of the stored executions whose jobs were leased as they were stored.
    fn leased(&self, executions: &[NewExecution], leased: &[ClaimedJob], created_at: Timestamp) {
        if leased.is_empty() {
            return;
        }
        let tokens: HashMap<ExecutionId, LeaseToken> =
            leased.iter().filter_map(|job| Some((job.execution_id?, job.token))).collect();
        let mut remembered = self.0.lock();
        for new in executions {
            let Some(&token) = tokens.get(&new.id) else {
                continue;
            };
            if new.seed.is_some() || new.input.len() > INPUT_BYTES_MAX {
                continue;
            }
            if let Some(definition) = remembered.definitions.remove(&new.id) {
                let loaded = new.loaded(String::new(), created_at);
                remembered.leased.insert(new.id, FreshStart { token, loaded, definition });
                remembered.order.push_back(new.id);
            }
        }
        while remembered.order.len() > REMEMBERED_MAX {
            if let Some(oldest) = remembered.order.pop_front() {
                remembered.leased.remove(&oldest);
            }
        }
    }

    /// What the owner under this lease begins with, once.
    pub(crate) fn take(&self, id: ExecutionId, lease: LeaseRef) -> Option<FreshStart> {
        self.0.lock().leased.remove(&id).filter(|start| start.token == lease.token)
    }
}

impl Drop for AnnouncedStarts {
    fn drop(&mut self) {
        let mut remembered = self.starts.0.lock();
        for id in &self.ids {
            remembered.definitions.remove(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::names::{JobType, TenantName, WorkflowName};
    use domain::queue::QueueName;
    use domain::queue::{Tier, WorkflowRef};
    use domain::retry::Backoff;
    use domain::workflow::execution::JOB_TYPE_EXECUTION;
    use domain::workflow::parse::parse_stored;
    use store::executions::Trigger;
    use uuid::Uuid;

    use super::*;
    use crate::executions::job_id;
    use crate::jobs::sample_job::sample_job;

    fn execution(number: usize, input: String) -> NewExecution {
        let id = ExecutionId::from_uuid(Uuid::from_u128(number as u128));
        let workflow = WorkflowRef { owner: None, name: WorkflowName::trusted("flow") };
        let job = NewJob {
            id: job_id(id),
            queue: QueueName::Execution,
            tier: Tier::Normal,
            tenant: TenantName::trusted("default"),
            workflow: Some(workflow.clone()),
            job_type: JobType::trusted(JOB_TYPE_EXECUTION),
            data: "null".to_owned(),
            run_at: Timestamp(1),
            expires_at: None,
            retries_max: 3,
            backoff: Backoff::default(),
            timeout: None,
            unique_key: None,
            concurrency_key: None,
            rate_key: None,
            tags: Vec::new(),
            traceparent: None,
            execution_id: Some(id),
            node_id: None,
            attributes: Vec::new(),
        };
        let trigger = Trigger { kind: "user".to_owned(), detail: None };
        NewExecution {
            id,
            job,
            workflow,
            version: 1,
            trigger,
            input,
            correlation_id: None,
            tags: Vec::new(),
            parent: None,
            seed: None,
            attributes: Vec::new(),
        }
    }

    /// The lease of the execution with this number.
    fn leased(new: &NewExecution) -> ClaimedJob {
        ClaimedJob { execution_id: Some(new.id), ..sample_job(LeaseToken(new.id.uuid())) }
    }

    fn announce(starts: &Arc<FreshStarts>, new: &[NewExecution]) -> AnnouncedStarts {
        let text = r#"{"name":"flow","nodes":[{"id":"n","output":1,"type":"TRANSFORM"}],"version":1}"#;
        let definition = Arc::new(parse_stored(text).expect("a definition"));
        starts.announce(new.iter().map(|new| (new.id, Arc::clone(&definition))))
    }

    #[test]
    fn what_was_stored_and_leased_is_taken_once_under_its_lease() {
        let starts = Arc::new(FreshStarts::default());
        let new = [execution(1, "{}".to_owned()), execution(2, "{}".to_owned())];
        let jobs = new.each_ref().map(leased);
        let announced = announce(&starts, &new);
        starts.leased(&new, &jobs[..1], Timestamp(7));
        drop(announced);
        assert!(starts.take(new[1].id, jobs[1].lease()).is_none(), "it waits in the queue");
        let start = starts.take(new[0].id, jobs[0].lease()).expect("it was leased here");
        assert_eq!(start.loaded, new[0].loaded(String::new(), Timestamp(7)));
        assert!(starts.take(new[0].id, jobs[0].lease()).is_none(), "once");
        let _announced = announce(&starts, &new);
        starts.leased(&new, &jobs, Timestamp(8));
        assert!(starts.take(new[0].id, jobs[1].lease()).is_none(), "it is the lease of another");
    }

    #[test]
    fn what_is_large_or_was_not_announced_is_loaded() {
        let starts = Arc::new(FreshStarts::default());
        let new = [execution(1, "{}".to_owned()), execution(2, "9".repeat(INPUT_BYTES_MAX + 1))];
        let jobs = new.each_ref().map(leased);
        drop(announce(&starts, &new[..1]));
        let _announced = announce(&starts, &new[1..]);
        starts.leased(&new, &jobs, Timestamp(7));
        assert!(starts.take(new[0].id, jobs[0].lease()).is_none());
        assert!(starts.take(new[1].id, jobs[1].lease()).is_none());
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let starts = Arc::new(FreshStarts::default());
        let new: Vec<NewExecution> =
            (0..=REMEMBERED_MAX).map(|number| execution(number, "{}".to_owned())).collect();
        let jobs: Vec<ClaimedJob> = new.iter().map(leased).collect();
        drop({
            let announced = announce(&starts, &new);
            starts.leased(&new, &jobs, Timestamp(7));
            announced
        });
        assert!(starts.take(new[0].id, jobs[0].lease()).is_none());
        assert!(starts.take(new[1].id, jobs[1].lease()).is_some());
        let remembered = starts.0.lock();
        assert!(remembered.definitions.is_empty() && remembered.order.len() <= REMEMBERED_MAX);
    }
}
