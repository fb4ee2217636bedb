//! Writes figures down: what this process has done, and what waits and runs in the queues.

use std::collections::BTreeMap;

use domain::queue::QueueName;
use domain::stats::{Levels, StatKey, Step};
use store::stats::StatRow;

use crate::engine::Engine;
use crate::error::EngineError;

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
            let load = self.queue_load(queue).await?;
            for lane in &load.lanes {
                let oldest_age_ms =
                    lane.oldest_at.map_or(0, |at| u64::try_from(now.since(at).0).unwrap_or(0));
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
