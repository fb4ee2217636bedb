//! Renews leases, on a thread that no handler can keep busy.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::channel::Channel;
use super::leases::{Leases, Lost};
use crate::error::ClientError;
use crate::json::Json;
use crate::models::{LeaseOutcome, PolledJob};
use crate::timestamp::Timestamp;

/// The leases of a worker.
pub(super) struct Heartbeats {
    channel: Channel,
    leases: Mutex<Leases>,
    changed: Notify,
}

impl Heartbeats {
    pub(super) fn new(channel: Channel) -> Self {
        Self { channel, leases: Mutex::default(), changed: Notify::new() }
    }

    /// Begins to renew the lease of a job that just came.
    pub(super) fn add(&self, job: &PolledJob, asked: Option<Duration>) {
        let left = job.lease_expires_at.since(Timestamp::now());
        self.leases.lock().add(&job.id, &job.lease_token, asked, left, Instant::now());
        self.changed.notify_one();
    }

    pub(super) fn remove(&self, token: &str) {
        self.leases.lock().remove(token);
    }

    pub(super) fn set_progress(&self, token: &str, value: Json) {
        self.leases.lock().set_progress(token, value, Instant::now());
        self.changed.notify_one();
    }

    /// Renews for as long as it is polled. Says which leases are gone, and which calls failed.
    pub(super) async fn run(&self, lost: impl Fn(Lost), failed: impl Fn(&ClientError)) {
        loop {
            let next = self.leases.lock().next();
            let due = async {
                match next {
                    Some(at) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = due => {}
                () = self.changed.notified() => continue,
            }
            let sent = Instant::now();
            let beat = self.leases.lock().collect(sent);
            beat.lost.into_iter().for_each(&lost);
            if beat.jobs.is_empty() {
                continue;
            }
            let answer = self.channel.heartbeat(beat.jobs.clone(), beat.limit).await;
            if let Err(error) = &answer {
                failed(error);
            }
            let outcomes = answer.as_deref().ok();
            for refused in outcomes.into_iter().flatten().filter(|one| one.outcome == LeaseOutcome::Rejected)
            {
                let reason = refused.reason.as_deref().unwrap_or_default();
                let message = format!("the server refused the progress of {}: {reason}", refused.id);
                failed(&ClientError::Configuration(message));
            }
            let gone = self.leases.lock().apply(&beat.jobs, outcomes, sent, Instant::now());
            gone.into_iter().for_each(&lost);
        }
    }
}
