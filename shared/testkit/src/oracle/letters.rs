//! Dead letters.

use domain::failure::{DeadLetterStatus, DeadReason};
use domain::id::JobId;
use domain::job::JobStatus;
use domain::time::Timestamp;
use store::dead_letters::{DeadLetterChange, RequeueEdit};

use super::queue::MemQueue;

/// What distinguishes dead letters: the job, and after how many attempts it died.
pub type MemLetterKey = (JobId, u32);

/// A dead letter.
#[derive(Debug, Clone, PartialEq)]
pub struct MemLetter {
    /// The job.
    pub job_id: JobId,
    /// How many attempts it took.
    pub attempt_count: u32,
    /// Where it is.
    pub status: DeadLetterStatus,
    /// Why it died.
    pub reason: DeadReason,
    /// When it died.
    pub died_at: Timestamp,
    /// When it was requeued or archived.
    pub resolved_at: Option<Timestamp>,
}

impl MemLetter {
    pub(super) fn open(job_id: JobId, attempt_count: u32, reason: DeadReason, died_at: Timestamp) -> Self {
        Self { job_id, attempt_count, status: DeadLetterStatus::Open, reason, died_at, resolved_at: None }
    }

    /// What distinguishes it from others.
    pub fn key(&self) -> MemLetterKey {
        (self.job_id, self.attempt_count)
    }
}

impl MemQueue {
    /// All dead letters, oldest first.
    pub fn letters(&self) -> &[MemLetter] {
        &self.letters
    }

    /// How many wait for an operator.
    pub fn open_letters(&self) -> usize {
        self.letters.iter().filter(|letter| letter.status == DeadLetterStatus::Open).count()
    }

    /// Puts a dead letter's job back behind the others, with fresh retries. Reasons of refusals are the store's words.
    pub fn requeue(&mut self, key: MemLetterKey, edit: &RequeueEdit, now: Timestamp) -> DeadLetterChange {
        let Some(nth) = self.letters.iter().position(|letter| letter.key() == key) else {
            return DeadLetterChange::NotFound;
        };
        let job_id = key.0;
        match self.letters[nth].status {
            DeadLetterStatus::Requeued => return DeadLetterChange::AlreadyDone { job_id },
            DeadLetterStatus::Archived => return DeadLetterChange::Refused { reason: "archived" },
            DeadLetterStatus::Open => {}
        }
        if self.unique_key_holder(&self.jobs[&job_id].asked).is_some() {
            return DeadLetterChange::Refused { reason: "the unique key is taken" };
        }
        self.resolve(nth, DeadLetterStatus::Requeued, now);
        let place = self.next_place();
        self.change(job_id, now, |job| {
            if let Some(tier) = edit.tier {
                job.asked.tier = tier;
                job.tier = tier;
            }
            if let Some(data) = &edit.data {
                job.asked.data.clone_from(data);
            }
            job.asked.retries_max = edit.retries_max.unwrap_or(job.asked.retries_max);
            job.status = JobStatus::Queued;
            job.place = place;
            job.attempt_base = job.attempt;
            job.crashes = 0;
            job.run_at = now;
            job.queued_at = now;
            job.ended_at = None;
            job.settled = None;
        });
        DeadLetterChange::Changed { job_id, queue: self.queue, execution_id: None }
    }

    /// Archives a dead letter.
    pub fn archive(&mut self, key: MemLetterKey, now: Timestamp) -> DeadLetterChange {
        let Some(nth) = self.letters.iter().position(|letter| letter.key() == key) else {
            return DeadLetterChange::NotFound;
        };
        let job_id = key.0;
        match self.letters[nth].status {
            DeadLetterStatus::Open => {
                self.resolve(nth, DeadLetterStatus::Archived, now);
                DeadLetterChange::Changed { job_id, queue: self.queue, execution_id: None }
            }
            DeadLetterStatus::Archived => DeadLetterChange::AlreadyDone { job_id },
            DeadLetterStatus::Requeued => DeadLetterChange::Refused { reason: "requeued" },
        }
    }

    fn resolve(&mut self, nth: usize, status: DeadLetterStatus, now: Timestamp) {
        self.letters[nth].status = status;
        self.letters[nth].resolved_at = Some(now);
    }
}
