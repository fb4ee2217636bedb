//! Runs one claimed job to its end and reports it.
//!
//! A handler runs until it returns, panics, runs out of time, loses its lease, or has to be given back. Whatever
//! happens to it happens to its own job only.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use domain::failure::JobError;
use domain::job::Outcome;
use domain::queue::QueueName;
use futures::FutureExt;
use tokio::time::Instant;

use crate::handlers::{LeaseEnd, no_handler, own};
use crate::pool::Pool;
use crate::slots::HeldJob;
use crate::{pool, settler};

/// How long an execution that lost its lease may take to come to its end, before it is dropped. The engine may just
/// have committed that end, and then still has to notify whoever waits for it.
const EXECUTION_END_WAIT: Duration = Duration::from_secs(2);

/// Runs a job.
pub(crate) async fn run(pool: Arc<Pool>, held: HeldJob) {
    if pool.stops.drain.is_cancelled() {
        pool.reports.release(held);
        return;
    }
    let end = match pool.queue() {
        QueueName::Execution => run_execution(&pool, &held).await,
        QueueName::Node | QueueName::Scheduled | QueueName::Webhook => run_handler(&pool, &held).await,
    };
    match end {
        LeaseEnd::Settle(outcome) => pool.reports.settle(held, outcome).await,
        LeaseEnd::Release => pool.reports.release(held),
        LeaseEnd::PutOff(delay) => pool.reports.put_off(held, delay),
        LeaseEnd::Done => pool::run(&held.job, held.asked_at),
        LeaseEnd::Lost => settler::lease_lost(held.job.queue),
        LeaseEnd::LostAndCounted => {}
        LeaseEnd::Expire => expire(&pool, held).await,
    }
}

async fn run_handler(pool: &Pool, held: &HeldJob) -> LeaseEnd {
    let job = &held.job;
    let Some(handler) = pool.handlers.get(&job.job_type) else {
        return LeaseEnd::Settle(no_handler(&job.job_type));
    };
    if held.lease.is_lost() {
        return LeaseEnd::Lost;
    }
    let stop = pool.stops.give_back.child_token();
    // Cancelled in every case, so that nothing which the handler has started outlives it.
    let _stopped = stop.clone().drop_guard();
    let work = AssertUnwindSafe(handler.run(job, stop)).catch_unwind();
    let end = tokio::select! {
        biased;
        // First, so that nothing is waited for beside a handler that returns at once.
        ended = work => match ended {
            Ok(end) => LeaseEnd::from(end),
            Err(panic) => LeaseEnd::Settle(panicked(panic.as_ref())),
        },
        () = held.lease.lost() => LeaseEnd::Lost,
        () = time_is_up(held) => LeaseEnd::Settle(Outcome::TimedOut),
        () = pool.stops.give_back.cancelled() => LeaseEnd::Release,
    };
    // A handler that blocked its thread may have returned after the lease was given up.
    if held.lease.is_lost() {
        tracing::info!(job.id = %job.id, job.r#type = %job.job_type, "a lease was lost; the handler was stopped");
        return LeaseEnd::Lost;
    }
    end
}

async fn run_execution(pool: &Pool, held: &HeldJob) -> LeaseEnd {
    let job = &held.job;
    let stop = pool.stops.drain.child_token();
    let _stopped = stop.clone().drop_guard();
    let mut work = Box::pin(AssertUnwindSafe(own(&pool.engine, job, stop.clone())).catch_unwind());
    let ended = tokio::select! {
        biased;
        ended = &mut work => Some(ended),
        () = held.lease.lost() => {
            tracing::info!(job.id = %job.id, "the lease of an execution was lost");
            stop.cancel();
            // What the owner answers now is either its own end, or of no use to anybody.
            return match tokio::time::timeout(EXECUTION_END_WAIT, work).await {
                Ok(Ok(end @ (LeaseEnd::Done | LeaseEnd::LostAndCounted))) => end,
                _ => LeaseEnd::Lost,
            };
        }
        () = pool.stops.give_back.cancelled() => None,
    };
    match ended {
        Some(Ok(end)) => end,
        None => LeaseEnd::Release,
        Some(Err(panic)) => {
            tracing::error!(job.id = %job.id, panic = panic_text(panic.as_ref()), "the owner of an execution panicked");
            LeaseEnd::Expire
        }
    }
}

/// Resolves when the attempt's time is up, counted from the claim as the store counts it.
async fn time_is_up(held: &HeldJob) {
    match held.job.timeout {
        Some(timeout) => tokio::time::sleep_until(Instant::from_std(held.asked_at) + timeout.to_std()).await,
        None => std::future::pending().await,
    }
}

/// Stops renewing a lease and keeps the slot until the lease is over, so that the pool holds no more leases than slots.
async fn expire(pool: &Pool, held: HeldJob) {
    let HeldJob { lease, slot, .. } = held;
    drop(lease);
    let _ = tokio::time::timeout(pool.lease_length(), pool.stops.drain.cancelled()).await;
    drop(slot);
}

fn panicked(panic: &(dyn Any + Send)) -> Outcome {
    Outcome::Failed {
        error: JobError::coded("panic", format!("The handler panicked: {}", panic_text(panic))),
        retryable: true,
        retry_after: None,
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&'static str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(no message)")
}
