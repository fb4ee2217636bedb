//! Dispatch as a whole, for those who look at it.

use domain::access::Permission;
use domain::dispatch::{NOT_ACKNOWLEDGED, TOPIC_NOT_CREATED, shard_of};
use domain::names::JobType;
use domain::queue::QueueName;
use domain::time::Timestamp;
use domain::why::Unoffered;
use domain::workflow::execution::JOB_TYPE_RESERVED_PREFIX;
use store::dispatch::{DispatchNode, DispatchView};
use store::jobs::JobRecord;

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// Dispatch as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatchReport {
    /// Mode, nodes, shards and offers.
    pub view: DispatchView,
    /// What waits to be offered.
    pub outbox: OutboxFigures,
}

/// Waiting jobs of external workers. With `kafka_outbox` they are what the outbox holds; with `polling` workers ask for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxFigures {
    /// How many can be claimed.
    pub jobs: u64,
    /// Since when the oldest of them can.
    pub oldest_at: Option<Timestamp>,
    /// Whether all were counted; otherwise there are at least so many.
    pub is_exact: bool,
    /// When they were counted.
    pub as_of: Timestamp,
}

impl Engine {
    /// Mode, nodes, shards, offers and what waits for them.
    pub async fn dispatch(&self, caller: &Caller) -> Result<DispatchReport, EngineError> {
        caller.require(Permission::Read)?;
        caller.require_unscoped()?;
        Ok(DispatchReport {
            view: self.store().dispatch_view(self.now()).await?,
            outbox: self.outbox_figures().await?,
        })
    }

    async fn outbox_figures(&self) -> Result<OutboxFigures, EngineError> {
        let load = self.queue_load(QueueName::Node).await?;
        let is_outside = |job_type: &str| !job_type.starts_with(JOB_TYPE_RESERVED_PREFIX);
        let lanes = load.lanes.iter().filter(|lane| is_outside(lane.key.job_type.as_str()));
        let (mut jobs, mut oldest_at) = (0, None);
        for lane in lanes.filter(|lane| lane.queued > 0) {
            jobs += lane.queued;
            oldest_at = oldest_at.into_iter().chain(lane.oldest_at).min();
        }
        Ok(OutboxFigures { jobs, oldest_at, is_exact: load.is_exact, as_of: load.as_of })
    }

    /// What keeps a job from being offered, where jobs are pushed.
    pub(crate) async fn unoffered(&self, job: &JobRecord) -> Result<Option<Unoffered>, EngineError> {
        let is_outside = !job.job_type.as_str().starts_with(JOB_TYPE_RESERVED_PREFIX);
        if self.policy().dispatch.is_none() || job.queue != QueueName::Node || !is_outside {
            return Ok(None);
        }
        let view = self.store().dispatch_view(self.now()).await?;
        if view.is_draining {
            return Ok(Some(Unoffered::Draining));
        }
        let number = shard_of(&job.job_type);
        let owner = view.shards.iter().find(|shard| shard.shard == number).and_then(|shard| shard.owner);
        let relay = view.nodes.iter().find(|node| Some(node.id) == owner);
        Ok(match relay {
            None => Some(Unoffered::NoRelay),
            Some(relay) => {
                let away = relay.broker_away_since.map(Unoffered::BrokerAway);
                away.or_else(|| held(relay, &job.job_type))
            }
        })
    }
}

/// Why the relay of a type makes no offers of it, where it does not.
fn held(relay: &DispatchNode, job_type: &JobType) -> Option<Unoffered> {
    let held = relay.figures.held.iter().find(|held| held.job_type == *job_type)?;
    Some(match held.reason.as_str() {
        TOPIC_NOT_CREATED => Unoffered::NoTopic(held.since),
        NOT_ACKNOWLEDGED => Unoffered::NotAcknowledged(held.since),
        // Its topics could not be looked up.
        _ => Unoffered::BrokerAway(held.since),
    })
}
