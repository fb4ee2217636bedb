//! The depth of each queue and the age of its oldest job, for `/metrics`.

use std::time::{Duration, Instant};

use domain::queue::QueueName;
use engine::{Caller, Engine, EngineError};
use metrics::gauge;
use telemetry::names;
use tokio_util::sync::CancellationToken;

/// How often they are read at most.
const INTERVAL: Duration = Duration::from_secs(5);
/// Reading them may take this part of the time at most: where it is slow, it is done less often.
const SHARE: u32 = 20;

/// Sets the gauges until `closing`. Figures that cannot be read stay as they were.
pub(super) async fn keep(engine: Engine, closing: CancellationToken) {
    loop {
        let started = Instant::now();
        if let Err(error) = read(&engine).await {
            tracing::debug!(error = &error as &dyn std::error::Error, "cannot read the queue statistics");
        }
        let pause = INTERVAL.max(started.elapsed() * SHARE);
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = closing.cancelled() => return,
        }
    }
}

async fn read(engine: &Engine) -> Result<(), EngineError> {
    for queue in QueueName::ALL {
        for tier in engine.queue_figures(&Caller::system(), queue).await?.tiers {
            let (queue, word) = (queue.as_str(), tier.tier.as_str());
            gauge!(names::QUEUE_DEPTH, names::QUEUE => queue, names::TIER => word).set(tier.queued as f64);
            let age = tier.oldest_age.map_or(0, |age| age.0.max(0)) as f64 / 1_000.0;
            gauge!(names::QUEUE_OLDEST_AGE_SECONDS, names::QUEUE => queue, names::TIER => word).set(age);
        }
    }
    Ok(())
}
