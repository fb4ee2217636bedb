//! Workers that operators drain: they get no more jobs and are asked to end.
//!
//! The store has the list. A process remembers it, reads it again when it is a few seconds old or somebody says that it has
//! changed, and wakes the polls that wait.

mod known;

use std::sync::Arc;

use domain::access::{Action, Permission};
use domain::names::{TenantName, WorkerId};
use domain::time::DurationMs;
use store::wakeup::Hint;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::PollRequest;

pub(crate) use known::Drains;

/// A worker that was silent for this long is gone: another one of that name is not drained.
const GONE_AFTER: DurationMs = DurationMs::from_secs(60);
/// How long the second answer and later ones wait, so that a worker that does not know the word does not ask in a rush.
const PAUSE: DurationMs = DurationMs::from_secs(5);

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
            .drain_worker(tenant.as_ref(), id, now.minus(super::sightings::SILENCE_MAX), now, &[line])
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
    use domain::time::Timestamp;

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
