//! Queue figures over time. Every process counts what it does, and adds its counts to rows of minutes and hours; what
//! waits and runs is looked at by processes with upkeep. Nothing is counted from large tables.

mod collect;

use std::collections::BTreeMap;

use domain::access::Permission;
use domain::names::{TenantName, WorkflowName};
use domain::queue::{QueueName, Tier};
use domain::stats::{Levels, POINTS_MAX, StatKey, Step, points};
use domain::time::{DurationMs, Timestamp};
use store::stats::{StatFilter, StatPoint, StatRow};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

pub(crate) use collect::{StatNotes, StoredJobs};

// Reads figures as series.

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatRequest {
    /// How long the spans are.
    pub step: Step,
    /// From when on; by default an hour back in minutes, a day back in hours.
    pub from: Option<Timestamp>,
    /// Until when; now by default.
    pub to: Option<Timestamp>,
    /// Only jobs of this tenant.
    pub tenant: Option<TenantName>,
    /// Only jobs of this workflow.
    pub workflow: Option<WorkflowName>,
    /// Only jobs of this queue.
    pub queue: Option<QueueName>,
    /// Only jobs of this tier.
    pub tier: Option<Tier>,
}

/// Figures over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatSeries {
    /// How long the spans are.
    pub step: Step,
    /// A point for each span, the oldest first; those of which nothing is kept are zero.
    pub points: Vec<StatPoint>,
}

/// What a tenant's jobs on `workflow-node` took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TenantWork {
    /// Seconds that attempts ran which ended in the last hour, and in the last day.
    pub worker_seconds: (u64, u64),
    /// Claims in the last hour, and in the last day.
    pub starts: (u64, u64),
}

impl Engine {
    /// Figures of the jobs that the caller sees.
    pub async fn stats(&self, caller: &Caller, request: &StatRequest) -> Result<StatSeries, EngineError> {
        caller.require(Permission::Read)?;
        if let Some(tenant) = &request.tenant
            && !caller.scope.allows(tenant)
        {
            return Err(EngineError::not_found("tenant", tenant));
        }
        let step = request.step;
        let to = request.to.unwrap_or_else(|| self.now());
        let back = match step {
            Step::Minute => DurationMs::from_secs(3_600),
            Step::Hour => DurationMs::from_secs(24 * 3_600),
        };
        let from = request.from.unwrap_or_else(|| to.minus(back));
        let Some(wanted) = points(step, from, to) else {
            let message =
                format!("expected an instant before to, and at most {POINTS_MAX} points in between");
            return Err(EngineError::invalid("/from", message));
        };
        let filter = StatFilter {
            step,
            from: wanted.first().copied().unwrap_or(from),
            to,
            tenant: request.tenant.clone().or_else(|| caller.scope.tenant().cloned()),
            workflow: request.workflow.clone(),
            queue: request.queue,
            tier: request.tier,
        };
        let mut found = self.store().stats(&filter).await?.into_iter().peekable();
        let points = wanted
            .into_iter()
            .map(|at| {
                found.next_if(|point| point.at == at).unwrap_or(StatPoint { at, ..StatPoint::default() })
            })
            .collect();
        Ok(StatSeries { step, points })
    }

    /// What a tenant's jobs took lately, as far as it is written down.
    pub(crate) async fn tenant_work(&self, tenant: &TenantName) -> Result<TenantWork, EngineError> {
        let now = self.now();
        let of = |step: Step, back: i64| StatFilter {
            step,
            from: step.start_of(now.minus(DurationMs(back * step.ms()))),
            to: Timestamp(now.0 + 1),
            tenant: Some(tenant.clone()),
            workflow: None,
            queue: Some(QueueName::Node),
            tier: None,
        };
        let sum = |points: &[StatPoint]| {
            let run_ms: u64 = points.iter().map(|point| point.counts.run_ms).sum();
            (run_ms / 1_000, points.iter().map(|point| point.counts.claimed).sum::<u64>())
        };
        let hour = sum(&self.store().stats(&of(Step::Minute, 59)).await?);
        let day = sum(&self.store().stats(&of(Step::Hour, 23)).await?);
        Ok(TenantWork { worker_seconds: (hour.0, day.0.max(hour.0)), starts: (hour.1, day.1.max(hour.1)) })
    }
}

// Writes figures down: what this process has done, and what waits and runs in the queues.

/// How many tenants, workflows and pairs of them have their levels kept, those with the most jobs first. Sums over all are
/// kept in any case.
const LEVELS_MAX: usize = 1_000;
/// How many old rows one step removes of each kind.
const PRUNE_MAX: u32 = 2_000;

impl Engine {
    /// Adds what this process has done to the figures. What cannot be written is lost: figures are too low then, never
    /// too high.
    pub async fn flush_stats(&self) -> Result<(), EngineError> {
        let rows = self.memory().stats.take();
        if rows.is_empty() {
            return Ok(());
        }
        Ok(self.store().add_counts(&rows).await?)
    }

    /// Looks at what waits and runs, keeps it with the figures of this minute and this hour, and removes a part of what
    /// is too old. Any number of processes may do this; they see the same.
    pub async fn stats_tick(&self) -> Result<(), EngineError> {
        let now = self.now();
        let mut levels: BTreeMap<StatKey, Levels> = BTreeMap::new();
        for queue in QueueName::ALL {
            self.add_levels(queue, now, &mut levels).await?;
        }
        let levels = self.with_emptied(bounded(levels));
        let rows: Vec<StatRow<Levels>> = Step::ALL
            .into_iter()
            .flat_map(|step| {
                let at = step.start_of(now);
                levels.iter().map(move |(key, levels)| StatRow {
                    step,
                    at,
                    key: key.clone(),
                    figures: *levels,
                })
            })
            .collect();
        self.store().set_levels(&rows).await?;
        for step in Step::ALL {
            self.store().prune_stats(step, now.minus(step.kept()), PRUNE_MAX).await?;
        }
        Ok(())
    }

    /// Adds what waits and runs in a queue. Where more waits in a lane than is counted of it, sums over all have the number that is
    /// counted now and then for all nodes.
    async fn add_levels(
        &self,
        queue: QueueName,
        now: Timestamp,
        levels: &mut BTreeMap<StatKey, Levels>,
    ) -> Result<(), EngineError> {
        let load = self.queue_load(queue).await?;
        for lane in &load.lanes {
            let oldest_age_ms = lane.oldest_at.map_or(0, |at| u64::try_from(now.since(at).0).unwrap_or(0));
            let own =
                Levels { queued: lane.queued + lane.blocked, processing: lane.processing, oldest_age_ms };
            let key = StatKey {
                queue,
                tier: lane.key.tier,
                tenant: Some(lane.key.tenant.clone()),
                workflow: lane.key.workflow.as_ref().map(|of| of.name.clone()),
            };
            for key in key.with_sums() {
                levels.entry(key).or_default().merge(&own);
            }
        }
        if load.is_exact {
            return Ok(());
        }
        let figures = self.queue_figures(&Caller::system(), queue).await?;
        for of in figures.tiers.iter().filter(|of| of.queued > 0) {
            let key = StatKey { queue, tier: of.tier, tenant: None, workflow: None };
            let sum = levels.entry(key).or_default();
            sum.queued = sum.queued.max(of.queued);
        }
        Ok(())
    }

    /// The levels, and nothing for keys that had some when they were looked at before: their rows of this minute may say so
    /// still.
    fn with_emptied(&self, mut levels: BTreeMap<StatKey, Levels>) -> BTreeMap<StatKey, Levels> {
        let mut before = self.memory().stat_levels.lock();
        for key in before.drain(..) {
            levels.entry(key).or_default();
        }
        before.extend(levels.iter().filter(|(_, levels)| !levels.is_empty()).map(|(key, _)| key.clone()));
        levels
    }
}

/// Sums over all, and of the others those with the most jobs.
fn bounded(levels: BTreeMap<StatKey, Levels>) -> BTreeMap<StatKey, Levels> {
    if levels.len() <= LEVELS_MAX {
        return levels;
    }
    let mut ranked: Vec<(StatKey, Levels)> = levels.into_iter().collect();
    let is_part = |key: &StatKey| key.tenant.is_some() || key.workflow.is_some();
    ranked.sort_by_key(|(key, levels)| (is_part(key), std::cmp::Reverse(levels.queued + levels.processing)));
    ranked.truncate(LEVELS_MAX);
    ranked.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use domain::names::TenantName;
    use domain::queue::Tier;

    use super::*;

    #[test]
    fn of_too_many_levels_sums_and_the_largest_stay() {
        let key = |number: usize| StatKey {
            queue: QueueName::Node,
            tier: Tier::Normal,
            tenant: (number > 0).then(|| TenantName::trusted(format!("t{number}"))),
            workflow: None,
        };
        let of = |number: usize| Levels { queued: number as u64, ..Levels::default() };
        let kept = bounded((0..LEVELS_MAX + 50).map(|number| (key(number), of(number))).collect());
        assert_eq!(kept.len(), LEVELS_MAX);
        assert!(kept.contains_key(&key(0)) && kept.contains_key(&key(LEVELS_MAX + 49)));
        assert!(!kept.contains_key(&key(1)));
    }
}
