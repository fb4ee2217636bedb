//! Workers that operators drain: they get no more jobs and are asked to end.
//!
//! The store has the list. A process remembers it, reads it again when it is a few seconds old or somebody says that it has
//! changed, and wakes the polls that wait.

use std::sync::Arc;

use domain::access::{Action, Permission};
use domain::names::{TenantName, WorkerId};
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use store::wakeup::Hint;
use tokio::sync::watch;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::PollRequest;

/// How long the list is good for.
const FRESH_FOR: DurationMs = DurationMs::from_secs(5);
/// A worker that was silent for this long is gone: another one of that name is not drained.
const GONE_AFTER: DurationMs = DurationMs::from_secs(60);
/// How long the second answer and later ones wait, so that a worker that does not know the word does not ask in a rush.
const PAUSE: DurationMs = DurationMs::from_secs(5);

/// What this process knows of workers that are drained.
#[derive(Debug)]
pub(crate) struct Drains {
    known: Mutex<Known>,
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Known {
    workers: Vec<Draining>,
    /// When the list was read; `None` where it has to be read again.
    read_at: Option<Timestamp>,
    is_read_under_way: bool,
}

#[derive(Debug)]
struct Draining {
    tenant: Option<TenantName>,
    id: WorkerId,
    /// Whether this process has asked it to end.
    is_asked: bool,
}

impl Default for Drains {
    fn default() -> Self {
        Self { known: Mutex::default(), changes: watch::Sender::new(0) }
    }
}

impl Drains {
    /// The list may be another one.
    pub(crate) fn expire(&self) {
        self.known.lock().read_at = None;
        self.changes.send_modify(|number| *number += 1);
    }

    /// Whether the caller has to read the list. One at a time is asked to.
    fn begin_read(&self, now: Timestamp) -> bool {
        let mut known = self.known.lock();
        let is_fresh = known.read_at.is_some_and(|at| now.since(at) < FRESH_FOR);
        if is_fresh || known.is_read_under_way {
            return false;
        }
        known.is_read_under_way = true;
        // Whatever changes from here on is not in what is read.
        known.read_at = Some(now);
        true
    }

    fn end_read(&self, listed: Option<Vec<(Option<TenantName>, WorkerId)>>) {
        let mut known = self.known.lock();
        known.is_read_under_way = false;
        if known.read_at.is_none() {
            // It changed while it was read, and whoever looked meanwhile saw the list of before.
            self.changes.send_modify(|number| *number += 1);
        }
        let Some(listed) = listed else { return };
        let before = std::mem::take(&mut known.workers);
        let was_asked = |tenant: &Option<TenantName>, id: &WorkerId| {
            before.iter().any(|of| of.is_asked && of.tenant == *tenant && of.id == *id)
        };
        known.workers = listed
            .into_iter()
            .map(|(tenant, id)| Draining { is_asked: was_asked(&tenant, &id), tenant, id })
            .collect();
    }

    /// Whether a worker is drained; and whether it was asked to end before, which it is from now on.
    fn ask(&self, tenant: Option<&TenantName>, id: &WorkerId) -> Option<bool> {
        let mut known = self.known.lock();
        let of = known.workers.iter_mut().find(|of| of.id == *id && of.tenant.as_ref() == tenant)?;
        Some(std::mem::replace(&mut of.is_asked, true))
    }

    /// Whether a worker is drained, as far as this process knows.
    pub(crate) fn knows(&self, tenant: Option<&TenantName>, id: &WorkerId) -> bool {
        self.known.lock().workers.iter().any(|of| of.id == *id && of.tenant.as_ref() == tenant)
    }

    /// Is notified when the list has changed.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

impl Engine {
    /// Drains an outside worker: its polls get no more jobs and are answered with `drain`, until it is gone. Answers
    /// nothing; a second call changes nothing.
    ///
    /// # Errors
    /// `NotFound` for a worker that was not seen in the last ten minutes, and for pools of this server.
    pub async fn drain_worker(
        &self,
        caller: &Caller,
        id: &WorkerId,
        tenant: Option<TenantName>,
    ) -> Result<(), EngineError> {
        caller.require(Permission::Operate)?;
        caller.require_action(Action::WorkersDrain)?;
        let tenant = caller.tenant(tenant)?;
        // One that has called a moment ago may be recorded in memory only.
        self.flush_workers_named(id).await?;
        let audited = AuditedAction::new("worker.drain", id).of(tenant.clone());
        let line = self.audit_line(caller, audited);
        let now = self.now();
        let is_there = self
            .store()
            .drain_worker(tenant.as_ref(), id, now.minus(super::SILENCE_MAX), now, &[line])
            .await?;
        if !is_there {
            return Err(EngineError::not_found("external worker", id.as_str()));
        }
        self.memory().drains.expire();
        self.wake(&[Hint::Settings]);
        Ok(())
    }

    /// Whether the worker of a poll is drained. Waits a while where it was asked to end before and polls on.
    pub(crate) async fn is_drained(&self, request: &PollRequest, tenant: Option<&TenantName>) -> bool {
        self.read_drains().await;
        let Some(was_asked) = self.memory().drains.ask(tenant, &request.worker_id) else {
            return false;
        };
        let pause = request.wait.unwrap_or(DurationMs::ZERO).min(PAUSE);
        if was_asked && pause > DurationMs::ZERO {
            tokio::select! {
                () = self.shutdown().cancelled() => {}
                () = tokio::time::sleep(pause.to_std()) => {}
            }
        }
        true
    }

    async fn read_drains(&self) {
        let drains = Arc::clone(&self.memory().drains);
        let now = self.now();
        if !drains.begin_read(now) {
            return;
        }
        // Dropped with the poll that reads, it lets the next one read.
        let reading = Reading(Some(drains));
        match self.store().draining_workers(now.minus(GONE_AFTER)).await {
            Ok(listed) => reading.end(listed),
            Err(error) => {
                tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    "drained workers could not be read"
                );
            }
        }
    }
}

struct Reading(Option<Arc<Drains>>);

impl Reading {
    fn end(mut self, listed: Vec<(Option<TenantName>, WorkerId)>) {
        if let Some(drains) = self.0.take() {
            drains.end_read(Some(listed));
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(drains) = self.0.take() {
            drains.end_read(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worker(name: &str) -> WorkerId {
        WorkerId::trusted(name)
    }

    #[test]
    fn the_list_is_read_by_one_and_again_when_it_is_old_or_has_changed() {
        let drains = Drains::default();
        assert!(drains.begin_read(Timestamp(0)));
        assert!(!drains.begin_read(Timestamp(0)), "somebody reads");
        drains.end_read(Some(vec![(None, worker("a"))]));
        assert!(!drains.begin_read(Timestamp(4_999)));
        assert!(drains.begin_read(Timestamp(5_000)));
        drains.expire();
        drains.end_read(Some(Vec::new()));
        assert!(drains.begin_read(Timestamp(5_001)), "it changed while it was read");
    }

    #[test]
    fn a_worker_is_asked_once_at_once_and_then_after_a_pause() {
        let drains = Drains::default();
        let tenant = TenantName::trusted("acme");
        drains.end_read(Some(vec![(Some(tenant.clone()), worker("a"))]));
        assert_eq!(drains.ask(None, &worker("a")), None, "another one of that name");
        assert_eq!(drains.ask(Some(&tenant), &worker("a")), Some(false));
        drains.end_read(Some(vec![(Some(tenant.clone()), worker("a"))]));
        assert_eq!(drains.ask(Some(&tenant), &worker("a")), Some(true));
        drains.end_read(Some(Vec::new()));
        assert_eq!(drains.ask(Some(&tenant), &worker("a")), None);
    }
}
