//! Accept a verified delivery: its guards, itself and its job in one commit, shared with those that arrive meanwhile.

use std::sync::Arc;

use domain::id::{DeliveryId, Id, JobId};
use domain::names::{JobType, TenantName};
use domain::queue::{QueueName, Tier};
use domain::time::Timestamp;
use store::audit::has_line;
use store::jobs::NewJob;
use store::webhooks::{Acceptance, Accepted, GuardKey, NewDelivery};

use super::sinks::AcceptSink;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::group_commit::{Room, Sink as _};

/// The job type of a delivery on `workflow-webhook`.
pub const JOB_TYPE_DELIVERY: &str = "trunkline:delivery";

impl Engine {
    /// Stores a replay; with `starts_again` triggers that had succeeded start their workflows again.
    pub(super) async fn accept_replay(
        &self,
        delivery: NewDelivery,
        starts_again: bool,
        now: Timestamp,
    ) -> Result<Accepted, EngineError> {
        self.accept_in(None, delivery, (Vec::new(), starts_again), now).await
    }

    /// Stores a delivery with its job, or finds the one that it repeats, within the room of its body, which is given back when it is stored: it waits for its commit also where its
    /// sender has hung up.
    pub(super) async fn accept_within(
        &self,
        room: Room,
        delivery: NewDelivery,
        guards: Vec<GuardKey>,
        now: Timestamp,
    ) -> Result<Accepted, EngineError> {
        self.accept_in(Some(room), delivery, (guards, false), now).await
    }

    async fn accept_in(
        &self,
        room: Option<Room>,
        delivery: NewDelivery,
        (guards, starts_again): (Vec<GuardKey>, bool),
        now: Timestamp,
    ) -> Result<Accepted, EngineError> {
        let (tenant, traceparent) = (delivery.tenant.clone(), delivery.traceparent.clone());
        let mut job = self.delivery_job(delivery.id, tenant, traceparent, now);
        if starts_again {
            job.data = format!(r#"{{"deliveryId":"{}","allTriggers":true}}"#, delivery.id);
        }
        let id = delivery.id;
        let acceptance = Acceptance { delivery, guards, job };
        if room.is_none() && has_line() {
            // The line of the audit log is in the commit of what it records, which nobody shares then.
            let accepted = self.accept_sink().commit(&[acceptance]).await?;
            return accepted.into_iter().next().ok_or_else(|| EngineError::not_found("delivery", &id));
        }
        self.memory().webhooks.acceptances.commit_within(room, acceptance, || self.accept_sink()).await
    }

    /// What stores deliveries.
    pub(crate) fn accept_sink(&self) -> AcceptSink {
        AcceptSink {
            store: Arc::clone(self.store()),
            wakeup: Arc::clone(self.wakeup()),
            clock: Arc::clone(self.clock()),
            stats: Arc::clone(&self.memory().stats),
        }
    }

    /// The job of a delivery, the same whenever it is made.
    pub(crate) fn delivery_job(
        &self,
        id: DeliveryId,
        tenant: TenantName,
        traceparent: Option<String>,
        now: Timestamp,
    ) -> NewJob {
        let policy = self.policy().queue(QueueName::Webhook);
        NewJob {
            id: job_id(id),
            queue: QueueName::Webhook,
            tier: Tier::High,
            tenant,
            workflow: None,
            job_type: JobType::trusted(JOB_TYPE_DELIVERY),
            data: format!(r#"{{"deliveryId":"{id}"}}"#),
            run_at: now,
            expires_at: None,
            retries_max: policy.retries_max,
            backoff: policy.backoff,
            timeout: None,
            unique_key: None,
            concurrency_key: None,
            rate_key: None,
            tags: Vec::new(),
            traceparent,
            execution_id: None,
            node_id: None,
            attributes: Vec::new(),
        }
    }
}

/// The job of a delivery is derived from it, so that accepting it twice makes one job.
fn job_id(delivery: DeliveryId) -> JobId {
    Id::derive(delivery.uuid(), &["job"])
}
