//! The shards of a relay: leased by terms, and used only while they surely are.

use std::collections::BTreeMap;
use std::time::Instant;

use domain::dispatch::{SHARDS, plan_shards};
use domain::time::DurationMs;
use engine::{BrokerState, Engine, EngineError};
use metrics::gauge;
use telemetry::names;

use crate::options::RelayOptions;

/// What a relay leases.
#[derive(Debug, Default)]
pub(crate) struct Shards {
    /// By number: the term, and until when the relay may act on it.
    held: BTreeMap<u32, (i64, Instant)>,
    pub(crate) is_draining: bool,
}

impl Shards {
    /// Says that this relay is there, and leases its share. Answers whether a term is another than before.
    pub(crate) async fn renew(
        &mut self,
        engine: &Engine,
        options: &RelayOptions,
        broker: BrokerState,
    ) -> Result<bool, EngineError> {
        // Counted from before the call: the lease in the store ends later than what is believed here.
        let began = Instant::now();
        if let Some(refused) = engine.join_dispatch(&options.name, broker).await? {
            tracing::error!(%refused, "the relay makes no offers");
            let changed = !self.held.is_empty();
            self.clear();
            return Ok(changed);
        }
        let view = engine.relay_view().await?;
        self.is_draining = view.is_draining;
        let plan = plan_shards(&view.shards, view.relays, engine.relay_id(), engine.now());
        if !plan.release.is_empty() {
            engine.release_shards(&plan.release).await?;
        }
        let span = DurationMs(i64::try_from(options.term.as_millis()).unwrap_or(i64::MAX));
        let got =
            if plan.take.is_empty() { Vec::new() } else { engine.lease_shards(&plan.take, span).await? };
        let held: BTreeMap<u32, (i64, Instant)> =
            got.into_iter().map(|shard| (shard.shard, (shard.term, began + options.term))).collect();
        let terms = |held: &BTreeMap<u32, (i64, Instant)>| -> Vec<(u32, i64)> {
            held.iter().map(|(shard, (term, _))| (*shard, *term)).collect()
        };
        let changed = terms(&held) != terms(&self.held);
        if changed {
            tracing::info!(shards = ?held.keys().collect::<Vec<_>>(), "the relay publishes the offers of these shards");
            show(&held);
        }
        self.held = held;
        Ok(changed)
    }

    /// The shards that the relay surely has.
    pub(crate) fn current(&self) -> Vec<u32> {
        let now = Instant::now();
        self.held.iter().filter(|(_, (_, until))| now < *until).map(|(shard, _)| *shard).collect()
    }

    /// Gives up what it has.
    pub(crate) fn clear(&mut self) {
        self.held.clear();
        show(&self.held);
    }
}

fn show(held: &BTreeMap<u32, (i64, Instant)>) {
    for shard in 0..SHARDS {
        let (is_held, term) = held.get(&shard).map_or((0.0, 0.0), |(term, _)| (1.0, *term as f64));
        gauge!(names::DISPATCH_LEADER, names::SHARD => shard.to_string()).set(is_held);
        gauge!(names::DISPATCH_TERM, names::SHARD => shard.to_string()).set(term);
    }
}
