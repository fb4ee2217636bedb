//! One job, with all that ever happened to it.

use domain::id::LeaseToken;
use domain::job::{AttemptFacts, AttemptStatus, JobStatus};
use domain::names::WorkerId;
use domain::queue::Tier;
use domain::time::{DurationMs, Timestamp};
use store::jobs::{LeaseRef, NewJob};

/// A job.
#[derive(Debug, Clone)]
pub struct MemJob {
    /// As it was asked for; tier, payload and retries as they were changed since.
    pub asked: NewJob,
    /// Where it is in its life.
    pub status: JobStatus,
    /// Its place in line: smaller ones are served first.
    pub place: u64,
    /// The tier at which it is served; aging promotes it above the one asked for.
    pub tier: Tier,
    /// Whether it is the one job of its concurrency key that may be leased. Without a key it always may.
    pub is_admitted: bool,
    /// How often it was claimed.
    pub attempt: u32,
    /// Of these, how many do not count against its retries.
    pub attempt_base: u32,
    /// How often in a row it lost its worker.
    pub crashes: u32,
    /// When it is due.
    pub run_at: Timestamp,
    /// When it was enqueued.
    pub created_at: Timestamp,
    /// When it last became claimable.
    pub queued_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Its lease, while it is PROCESSING.
    pub lease: Option<MemLease>,
    /// The token of the lease that was settled last, as long as a repeated call is still recognised.
    pub settled: Option<LeaseToken>,
    /// Its attempts, oldest first.
    pub attempts: Vec<MemAttempt>,
    /// The result it completed with.
    pub result: Option<String>,
    /// The progress that was reported last; it stays for the next attempt, until the job ends.
    pub progress: Option<String>,
}

/// A lease.
#[derive(Debug, Clone, PartialEq)]
pub struct MemLease {
    /// The proof.
    pub token: LeaseToken,
    /// Who holds it.
    pub worker_id: WorkerId,
    /// How long it was claimed for.
    pub length: DurationMs,
    /// When it ends.
    pub until: Timestamp,
    /// When the attempt's time is up.
    pub deadline_at: Option<Timestamp>,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct MemAttempt {
    /// Its number, from 1.
    pub number: u32,
    /// How it ended; `None` while it runs.
    pub status: Option<AttemptStatus>,
    /// When it was claimed.
    pub started_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}

impl MemJob {
    /// A job that was just enqueued. Whether it is admitted is for the queue to say.
    pub(super) fn new(asked: &NewJob, place: u64, now: Timestamp) -> Self {
        Self {
            asked: asked.clone(),
            status: if asked.run_at > now { JobStatus::Scheduled } else { JobStatus::Queued },
            place,
            tier: asked.tier,
            is_admitted: asked.concurrency_key.is_none(),
            attempt: 0,
            attempt_base: 0,
            crashes: 0,
            run_at: asked.run_at,
            created_at: now,
            queued_at: asked.run_at.max(now),
            ended_at: None,
            lease: None,
            settled: None,
            attempts: Vec::new(),
            result: None,
            progress: None,
        }
    }

    /// What the decision after the running attempt depends on.
    pub fn facts(&self) -> AttemptFacts {
        AttemptFacts {
            attempt: self.attempt - self.attempt_base,
            retries_max: self.asked.retries_max,
            crashes: self.crashes,
            backoff: self.asked.backoff,
        }
    }

    /// Its lease as callers name it.
    pub fn lease_ref(&self) -> Option<LeaseRef> {
        self.lease.as_ref().map(|lease| LeaseRef { id: self.asked.id, token: lease.token })
    }

    /// Whether this is the lease that holds.
    pub(super) fn is_held_with(&self, token: LeaseToken) -> bool {
        self.lease.as_ref().is_some_and(|lease| lease.token == token)
    }

    /// Whether the job was cancelled under this lease.
    pub(super) fn was_cancelled_under(&self, token: LeaseToken) -> bool {
        self.status == JobStatus::Cancelled && self.settled == Some(token)
    }

    /// Ends the running attempt and its lease. Does nothing where there is none.
    pub(super) fn end_attempt(&mut self, status: AttemptStatus, now: Timestamp) {
        if self.lease.take().is_some()
            && let Some(attempt) = self.attempts.last_mut()
        {
            attempt.status = Some(status);
            attempt.finished_at = Some(now);
        }
    }
}
