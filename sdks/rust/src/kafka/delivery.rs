//! The jobs of one worker: offers are accepted when slots are free, and their messages are over with their jobs.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::offsets::Place;
use super::reader::{Offer, Reader, Shared};
use super::topics::TIERS;
use crate::error::ClientError;
use crate::models::{AcceptOutcome, AcceptedJobs, LeaseOutcome, Outcomes, PolledJob};
use crate::transport::{CallOptions, Request, Transport};

const ACCEPT_TIMEOUT: Duration = Duration::from_secs(15);
const ACCEPT_MAX: usize = 500;
/// After so long without a word of a job, its message is over: its lease ended by itself.
const UNHEARD_MAX: Duration = Duration::from_hours(1);

/// The proof of a lease, as reports begin.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Lease {
    id: String,
    lease_token: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Acceptances<'a> {
    worker_id: &'a str,
    jobs: Vec<Lease>,
}

/// Where a message is from.
struct Source {
    reader: Arc<Mutex<Shared>>,
    place: Place,
    offset: i64,
}

impl Source {
    fn over(&self) {
        self.reader.lock().over(&self.place, self.offset);
    }
}

/// A job that the worker has.
struct Held {
    /// Its message, and those that came again.
    messages: Vec<Source>,
    heard_at: Instant,
}

/// The jobs that the worker has, by lease token.
#[derive(Default)]
struct Jobs {
    held: HashMap<String, Held>,
    /// Tokens of those that ended since offers were last accepted.
    over: HashSet<String>,
}

impl Jobs {
    /// Takes a message whose acceptance is answered with a lease. Answers whether its job is to run: what runs here may come again,
    /// as after a rebalance, and the server answers the same.
    fn begin(&mut self, token: &str, message: Source) -> bool {
        if self.over.contains(token) {
            // Its job ended here while this was asked.
            message.over();
            return false;
        }
        let heard_at = Instant::now();
        let held = self.held.entry(token.to_owned()).or_insert(Held { messages: Vec::new(), heard_at });
        held.heard_at = heard_at;
        held.messages.push(message);
        held.messages.len() == 1
    }

    /// A job ended, and its messages with it.
    fn end(&mut self, token: &str) {
        let Some(held) = self.held.remove(token) else { return };
        self.over.insert(token.to_owned());
        held.messages.iter().for_each(Source::over);
    }
}

/// An offer, and where it is from.
struct Taken(Arc<Mutex<Shared>>, Offer);

/// The jobs of one worker.
pub(super) struct Delivery {
    worker_id: String,
    readers: Mutex<Vec<Reader>>,
    jobs: Mutex<Jobs>,
    changed: watch::Sender<()>,
    has_ended: AtomicBool,
}

impl Delivery {
    pub(super) fn new(worker_id: &str, readers: Vec<Reader>, changed: watch::Sender<()>) -> Self {
        let (readers, jobs) = (Mutex::new(readers), Mutex::default());
        Self { worker_id: worker_id.to_owned(), readers, jobs, changed, has_ended: AtomicBool::new(false) }
    }

    /// Jobs that the worker has the leases of, within the wait.
    pub(super) async fn poll(
        &self,
        rest: &dyn Transport,
        count: usize,
        wait: Duration,
    ) -> Result<Vec<PolledJob>, ClientError> {
        let deadline = Instant::now() + wait;
        loop {
            let offers = self.next_offers(count.clamp(1, ACCEPT_MAX), deadline).await?;
            if offers.is_empty() {
                return Ok(Vec::new());
            }
            let jobs = self.accept(rest, offers).await?;
            if !jobs.is_empty() {
                return Ok(jobs);
            }
        }
    }

    /// What the server said of jobs: those that are not this worker's any more are over.
    pub(super) fn reported(&self, sent: &[Lease], said: &Outcomes, renews: bool) {
        let mut jobs = self.jobs.lock();
        for (lease, result) in sent.iter().zip(&said.results) {
            let Some(job) = jobs.held.get_mut(&lease.lease_token) else { continue };
            if result.outcome == LeaseOutcome::Rejected {
                continue;
            }
            if renews && result.outcome == LeaseOutcome::Ok {
                job.heard_at = Instant::now();
            } else {
                jobs.end(&lease.lease_token);
            }
        }
    }

    /// Takes no more jobs. Messages of jobs that still run are not committed: whoever reads them next is answered `taken`. Answers
    /// the threads that leave the groups.
    pub(super) fn end(&self) -> Vec<JoinHandle<()>> {
        self.has_ended.store(true, Ordering::Relaxed);
        self.changed.send_replace(());
        self.readers.lock().iter_mut().filter_map(Reader::close).collect()
    }

    /// None when the time is up.
    async fn next_offers(&self, count: usize, deadline: Instant) -> Result<Vec<Taken>, ClientError> {
        self.sweep();
        let mut changes = self.changed.subscribe();
        loop {
            changes.mark_unchanged();
            if self.has_ended.load(Ordering::Relaxed) {
                return Err(ClientError::connection("pollJobs", "the worker takes no more jobs"));
            }
            let shared: Vec<Arc<Mutex<Shared>>> =
                self.readers.lock().iter().map(|reader| Arc::clone(&reader.shared)).collect();
            let offers = take(&shared, count);
            if !offers.is_empty() {
                return Ok(offers);
            }
            if let Some(reason) = shared.iter().find_map(|one| one.lock().failure.clone()) {
                return Err(ClientError::connection("pollJobs", format!("Kafka is not reached: {reason}")));
            }
            if timeout_at(deadline, changes.changed()).await.is_err() {
                return Ok(Vec::new());
            }
        }
    }

    async fn accept(&self, rest: &dyn Transport, offers: Vec<Taken>) -> Result<Vec<PolledJob>, ClientError> {
        let lease = |Taken(_, offer): &Taken| Lease {
            id: offer.job.id.clone(),
            lease_token: offer.job.lease_token.clone(),
        };
        let body = Acceptances { worker_id: &self.worker_id, jobs: offers.iter().map(lease).collect() };
        let request = Request::new("acceptJobs", "POST", "/v1/jobs/accept").body(&body)?;
        let options = CallOptions { timeout: Some(ACCEPT_TIMEOUT), no_retry: true, ..CallOptions::default() };
        let mut pending = Pending(offers);
        self.jobs.lock().over.clear();
        let answer = rest.call(request, options).await?;
        let answer: AcceptedJobs =
            serde_json::from_slice(&answer).map_err(|error| ClientError::json("acceptJobs", error))?;
        if answer.results.len() != pending.0.len() {
            return Err(ClientError::connection("acceptJobs", "the answer is not about what was asked"));
        }
        let mut jobs = Vec::new();
        for (Taken(reader, offer), result) in std::mem::take(&mut pending.0).into_iter().zip(answer.results) {
            let (AcceptOutcome::Ok, Some(token)) = (result.outcome, result.lease_token) else {
                // A duplicate, or an offer that the store has withdrawn: it does not run.
                reader.lock().over(&offer.place, offer.offset);
                continue;
            };
            let Offer { place, offset, mut job, .. } = offer;
            if !self.jobs.lock().begin(&token, Source { reader, place, offset }) {
                continue;
            }
            job.lease_token = token;
            job.lease_expires_at = result.lease_expires_at.unwrap_or(job.lease_expires_at);
            job.progress = result.progress;
            // The deadline of an offer is the latest possible one; the lease ends with that of the attempt.
            job.deadline = None;
            jobs.push(job);
        }
        Ok(jobs)
    }

    fn sweep(&self) {
        let mut jobs = self.jobs.lock();
        let unheard = jobs.held.iter().filter(|(_, job)| job.heard_at.elapsed() > UNHEARD_MAX);
        let gone: Vec<String> = unheard.map(|(token, _)| token.clone()).collect();
        for token in &gone {
            jobs.end(token);
        }
    }
}

/// Offers whose acceptance is not answered. They go back where they were, those first that came first, and are asked about again:
/// accepting may be repeated.
struct Pending(Vec<Taken>);

impl Drop for Pending {
    fn drop(&mut self) {
        while let Some(Taken(reader, offer)) = self.0.pop() {
            reader.lock().put_back(offer);
        }
    }
}

/// Takes offers of all readers, those of higher tiers first, and of a tier one of each reader in turn.
fn take(readers: &[Arc<Mutex<Shared>>], count: usize) -> Vec<Taken> {
    let mut taken = Vec::new();
    for tier in 0..TIERS {
        loop {
            let before = taken.len();
            for reader in readers {
                if taken.len() == count {
                    return taken;
                }
                let offer = reader.lock().take(tier);
                taken.extend(offer.map(|offer| Taken(Arc::clone(reader), offer)));
            }
            if taken.len() == before {
                break;
            }
        }
    }
    taken
}
