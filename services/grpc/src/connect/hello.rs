//! The first message of a stream: who the worker is.

use domain::error::Fault;
use domain::names::{CallerKey, JobType, TenantName, WorkerId};
use domain::time::DurationMs;
use engine::{Engine, PollRequest, Problem};

use crate::proto::Hello;

/// What the worker of a stream polls with, the number of jobs apart. Its leases hold for what was asked for after the
/// receipt, however long that takes.
pub(super) fn request_of(
    engine: &Engine,
    hello: Hello,
    receipt_within: DurationMs,
) -> Result<PollRequest, Problem> {
    let mut faults = Vec::new();
    let worker_id =
        WorkerId::parse(hello.worker_id).map_err(|fault| Fault::new("/workerId", fault.to_string()));
    let worker_id = worker_id.map_err(|fault| faults.push(fault)).ok();
    let mut job_types = Vec::with_capacity(hello.job_types.len());
    for (index, name) in hello.job_types.into_iter().enumerate() {
        match JobType::parse(name) {
            Ok(job_type) => job_types.push(job_type),
            Err(fault) => faults.push(Fault::new(format!("/jobTypes/{index}"), fault.to_string())),
        }
    }
    let tenant = hello.tenant.map(TenantName::parse).transpose();
    let tenant = tenant.map_err(|fault| faults.push(Fault::new("/tenant", fault.to_string()))).ok().flatten();
    let build = hello.build.map(CallerKey::parse).transpose();
    let build = build.map_err(|fault| faults.push(Fault::new("/build", fault.to_string()))).ok().flatten();
    let mut builds = Vec::with_capacity(hello.builds.len());
    for (index, name) in hello.builds.into_iter().enumerate() {
        match CallerKey::parse(name) {
            Ok(named) => builds.push(named),
            Err(fault) => faults.push(Fault::new(format!("/builds/{index}"), fault.to_string())),
        }
    }
    let policy = engine.policy();
    let lease = hello.lease.as_deref().map(DurationMs::parse).transpose();
    let lease = lease.map_err(|fault| faults.push(Fault::new("/lease", fault.to_string()))).ok().flatten();
    let (min, max) = (policy.lease_min, policy.lease_max);
    if lease.is_some_and(|lease| lease < min || lease > max) {
        faults.push(Fault::new("/lease", format!("expected a duration from {min} to {max}")));
    }
    let Some(worker_id) = worker_id.filter(|_| faults.is_empty()) else {
        return Err(Problem::invalid(faults));
    };
    let lease = lease.unwrap_or(policy.queue(domain::queue::QueueName::Node).lease);
    Ok(PollRequest {
        worker_id,
        job_types,
        jobs_max: 1,
        lease: Some(DurationMs(lease.0 + receipt_within.0).min(max)),
        wait: Some(policy.poll_wait_max),
        tenant,
        build,
        builds,
    })
}
