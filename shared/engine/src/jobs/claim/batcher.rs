//! Claims of polls: those that ask for the same and come while others claim are made together by the next claim.
//!
//! Each claim is a commit, and claims of a node take turns. Many workers that each poll for few jobs would wait for one
//! another's commits otherwise. Polls that ask for different things never wait for one another here. Who claims together
//! is settled when the claim's turn has come, so that nobody stands in a closed group behind a claim that is under way.
//! Decides only who gets which job; how many there are is the store's business.

use std::collections::{HashMap, VecDeque};
use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::build::WorkerBuild;
use domain::id::LeaseToken;
use domain::names::{JobType, TenantName, WorkerId};
use domain::queue::QueueName;
use domain::time::DurationMs;
use parking_lot::Mutex;
use store::StoreError;
use store::jobs::{ClaimedJob, JOBS_PER_CLAIM_MAX};
use tokio::sync::{OwnedMutexGuard, oneshot};

use crate::error::EngineError;
use crate::jobs::polled::PolledJobs;

/// How many claims of one line may be under way at once, so that one that has to list the lanes first does not hold up
/// those that come meanwhile.
const CLAIMS_AT_ONCE: usize = 2;

/// For so long the second waits for the end of the first: a usual claim takes milliseconds, and one that lists the lanes more.
const SECOND_WAIT: Duration = Duration::from_millis(20);

/// So often whoever is about to poll is let come along at most.
const GATHERINGS_MAX: u32 = 4;

/// For so long somebody is claimed for again who got nothing while others did; once also where the first claim took
/// longer.
pub(super) const WAIT_MAX: Duration = Duration::from_secs(1);

/// What polls ask for, their number of jobs apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct LineKey {
    pub(super) queue: QueueName,
    pub(super) tenant: Option<TenantName>,
    pub(super) job_types: Option<Vec<JobType>>,
    pub(super) build: WorkerBuild,
    pub(super) lease: DurationMs,
}

/// Polls of this process that are about to claim.
#[derive(Default)]
pub(crate) struct PollBatcher(pub(super) Mutex<HashMap<LineKey, PollQueue>>);

/// Those that ask for the same.
#[derive(Default)]
pub(super) struct PollQueue {
    waiting: VecDeque<Waiting>,
    pub(super) claims_under_way: usize,
    /// Held by the claim that is under way.
    claiming: Arc<tokio::sync::Mutex<()>>,
}

/// A poll that is about to claim.
pub(super) struct Waiting {
    pub(super) worker_id: WorkerId,
    pub(super) jobs_max: u32,
    pub(super) since: Instant,
    /// Whether it was claimed for before.
    pub(super) is_again: bool,
    pub(super) answer: oneshot::Sender<Result<PolledJobs, EngineError>>,
}

impl PollBatcher {
    /// Joins a line; answers a turn where a claim is to be begun for it.
    pub(super) fn join(lines: &Arc<Self>, key: LineKey, waiting: Waiting) -> Option<Turn> {
        let mut all = lines.0.lock();
        let line = all.entry(key.clone()).or_default();
        line.waiting.push_back(waiting);
        if line.claims_under_way >= CLAIMS_AT_ONCE {
            return None;
        }
        line.claims_under_way += 1;
        let claiming = Arc::clone(&line.claiming);
        Some(Turn { lines: Arc::clone(lines), key, claiming, is_over: false })
    }
}

/// One of the claims that may be under way for a line. Given up when nobody waits, and when it is dropped before.
pub(super) struct Turn {
    lines: Arc<PollBatcher>,
    pub(super) key: LineKey,
    claiming: Arc<tokio::sync::Mutex<()>>,
    is_over: bool,
}

impl Turn {
    /// Waits until the other claim of the line has ended, or has taken long, and lets whoever is about to poll come along. To be
    /// held until this one has ended; `None` where the other one goes on.
    pub(super) async fn begin(&self) -> Option<OwnedMutexGuard<()>> {
        let alone = tokio::time::timeout(SECOND_WAIT, Arc::clone(&self.claiming).lock_owned()).await.ok();
        let mut waiting = self.waiting();
        for _ in 0..GATHERINGS_MAX {
            // Costs next to nothing where nobody else has anything to do; where many have, their groups are fewer and larger.
            tokio::task::yield_now().await;
            let before = std::mem::replace(&mut waiting, self.waiting());
            if waiting == before {
                break;
            }
        }
        alone
    }

    /// How many wait.
    fn waiting(&self) -> usize {
        self.lines.0.lock().get(&self.key).map_or(0, |line| line.waiting.len())
    }

    /// The longest waiting, as many as one claim can serve, without those that hung up; `None` where nobody waits, and
    /// the turn is over then: whoever comes next begins another.
    pub(super) fn next_group(&mut self) -> Option<Vec<Waiting>> {
        let mut lines = self.lines.0.lock();
        let waiting = &mut lines.get_mut(&self.key)?.waiting;
        waiting.retain(|waiting| !waiting.answer.is_closed());
        let Some(first) = waiting.pop_front() else {
            self.is_over = true;
            leave(&mut lines, &self.key);
            return None;
        };
        let mut jobs_max = first.jobs_max;
        let mut group = vec![first];
        while let Some(next) = waiting.pop_front_if(|next| jobs_max + next.jobs_max <= JOBS_PER_CLAIM_MAX) {
            jobs_max += next.jobs_max;
            group.push(next);
        }
        Some(group)
    }

    /// Puts those back in front who are to be claimed for again.
    pub(super) fn put_back(&self, group: Vec<Waiting>) {
        if let Some(line) = self.lines.0.lock().get_mut(&self.key) {
            for waiting in group.into_iter().rev() {
                line.waiting.push_front(Waiting { is_again: true, ..waiting });
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.is_over {
            leave(&mut self.lines.0.lock(), &self.key);
        }
    }
}

/// Ends one claim of a line. After the last one nobody is left in it, but for a panic: those are answered by the loss
/// of the line.
fn leave(lines: &mut HashMap<LineKey, PollQueue>, key: &LineKey) {
    if let Some(line) = lines.get_mut(key) {
        line.claims_under_way -= 1;
        if line.claims_under_way == 0 {
            lines.remove(key);
        }
    }
}

/// Gives each its jobs, by their tokens, and takes out of the group who got any; all where there were none, and those
/// who have waited for long, for more than one claim. The others are to be claimed for again: a claim ends short where
/// payloads are large. Where somebody has as many as were asked for, the next who has room gets a job.
pub(super) fn share(
    group: &mut Vec<Waiting>,
    tokens: &[LeaseToken],
    jobs: Vec<ClaimedJob>,
) -> Vec<(Waiting, Vec<ClaimedJob>)> {
    let owners = group
        .iter()
        .enumerate()
        .flat_map(|(place, waiting)| std::iter::repeat_n(place, waiting.jobs_max as usize));
    let is_over = jobs.is_empty();
    let owner_of: HashMap<LeaseToken, usize> = tokens.iter().copied().zip(owners).collect();
    let mut shares: Vec<Vec<ClaimedJob>> = group.iter().map(|_| Vec::new()).collect();
    for job in jobs {
        let has_room = |place: &usize| shares[*place].len() < group[*place].jobs_max as usize;
        let owner = owner_of.get(&job.token).copied().filter(|place| has_room(place));
        let place = owner.or_else(|| (0..group.len()).find(|place| has_room(place))).unwrap_or(0);
        shares[place].push(job);
    }
    let has_waited = |waiting: &Waiting| waiting.is_again && waiting.since.elapsed() >= WAIT_MAX;
    let (served, unserved): (Vec<_>, Vec<_>) = group
        .drain(..)
        .zip(shares)
        .partition(|(waiting, jobs)| is_over || !jobs.is_empty() || has_waited(waiting));
    group.extend(unserved.into_iter().map(|(waiting, _)| waiting));
    served
}

/// Answers each that the claim failed; the first gets the error itself.
pub(super) fn fail(group: Vec<Waiting>, error: StoreError) {
    let shared = error.to_string();
    let mut error = Some(error);
    for waiting in group {
        let error = error.take().unwrap_or_else(|| StoreError::Unavailable { source: shared.clone().into() });
        drop(waiting.answer.send(Err(error.into())));
    }
}

pub(super) fn unavailable(source: impl Error + Send + Sync + 'static) -> StoreError {
    StoreError::Unavailable { source: Box::new(source) }
}
