//! What a caller asks for when it enqueues a job, checked and filled in with the queue's defaults.

use std::collections::BTreeMap;

use domain::build::WorkerBuild;
use domain::error::Fault;
use domain::id::JobId;
use domain::job;
use domain::names::{CallerKey, JobType, Tag, TenantName, WorkerId};
use domain::queue::{QueueName, Tier};
use domain::retry::Backoff;
use domain::time::{DurationMs, Timestamp};
use serde_json::Value;
use store::jobs::{LeaseRef, NewJob};

use crate::bounds::{Faults, traceparent};
use crate::policy::Policy;

/// A stand-alone job to enqueue on `workflow-node`.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRequest {
    /// The job type.
    pub job_type: JobType,
    /// The payload as raw JSON text, known to be well formed.
    pub data: String,
    /// The tier; `normal` where absent.
    pub tier: Option<Tier>,
    /// The tenant; the key's own or `default` where absent.
    pub tenant: Option<TenantName>,
    /// When it may run. Not together with `delay`.
    pub run_at: Option<Timestamp>,
    /// After which wait it may run.
    pub delay: Option<DurationMs>,
    /// How long it may wait for its start, counted from when it may run.
    pub expires_in: Option<DurationMs>,
    /// How often it is retried; the queue's default where absent.
    pub retries_max: Option<u32>,
    /// Its backoff; the queue's default where absent.
    pub backoff: Option<Backoff>,
    /// The longest attempt.
    pub timeout: Option<DurationMs>,
    /// At most one unfinished job of the tenant has this key.
    pub unique_key: Option<CallerKey>,
    /// At most one leased job of the tenant has this key, or as many as is declared for it.
    pub concurrency_key: Option<CallerKey>,
    /// Its starts are counted under this key of the tenant besides, where a rate is set for it.
    pub rate_key: Option<CallerKey>,
    /// Tags.
    pub tags: Vec<Tag>,
    /// W3C trace context.
    pub traceparent: Option<String>,
    /// Searchable attributes, by name.
    pub attributes: BTreeMap<String, serde_json::Value>,
}

impl JobRequest {
    /// A job of a type with a payload, and nothing else said.
    pub fn new(job_type: JobType, data: impl Into<String>) -> Self {
        Self {
            job_type,
            data: data.into(),
            tier: None,
            tenant: None,
            run_at: None,
            delay: None,
            expires_in: None,
            retries_max: None,
            backoff: None,
            timeout: None,
            unique_key: None,
            concurrency_key: None,
            rate_key: None,
            tags: Vec::new(),
            traceparent: None,
            attributes: BTreeMap::new(),
        }
    }

    /// Every fault, with pointers into this one request.
    pub(crate) fn faults(&self, policy: &Policy) -> Vec<Fault> {
        let mut faults = Faults::default();
        faults.job_type("/jobType", &self.job_type);
        faults.json("/data", &self.data, policy.payload_bytes_max);
        faults.start_time(self.run_at, self.delay);
        faults.expires_in(self.expires_in);
        if let Some(retries_max) = self.retries_max {
            faults.retries("/maxRetries", retries_max);
        }
        if let Some(backoff) = &self.backoff {
            faults.backoff("/backoff", backoff);
        }
        if let Some(timeout) = self.timeout {
            faults.timeout("/timeout", timeout);
        }
        faults.tags("/tags", &self.tags);
        faults.into_vec()
    }

    /// The job, on `workflow-node`.
    pub(crate) fn into_job(self, id: JobId, tenant: TenantName, policy: &Policy, now: Timestamp) -> NewJob {
        let defaults = policy.queue(QueueName::Node);
        let run_at = self.run_at.unwrap_or_else(|| self.delay.map_or(now, |delay| now.plus(delay)));
        NewJob {
            id,
            queue: QueueName::Node,
            tier: self.tier.unwrap_or(Tier::Normal),
            tenant,
            workflow: None,
            job_type: self.job_type,
            data: self.data,
            run_at,
            expires_at: job::expires_at(self.expires_in, run_at, now),
            retries_max: self.retries_max.unwrap_or(defaults.retries_max),
            backoff: self.backoff.unwrap_or(defaults.backoff),
            timeout: self.timeout,
            unique_key: self.unique_key,
            concurrency_key: self.concurrency_key,
            rate_key: self.rate_key,
            tags: self.tags,
            traceparent: traceparent(self.traceparent),
            execution_id: None,
            node_id: None,
            attributes: Vec::new(),
        }
    }
}

/// What an outside worker asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PollRequest {
    /// The worker's name.
    pub worker_id: WorkerId,
    /// The job types that it handles.
    pub job_types: Vec<JobType>,
    /// How many at most.
    pub jobs_max: u32,
    /// How long the leases hold; the queue's default where absent.
    pub lease: Option<DurationMs>,
    /// How long to wait for the first job; not at all where absent.
    pub wait: Option<DurationMs>,
    /// Only jobs of this tenant.
    pub tenant: Option<TenantName>,
    /// The build that the worker runs, as it calls it.
    pub build: Option<CallerKey>,
    /// The builds that its job types are pinned to as it begins; empty where it does not pin them.
    pub builds: Vec<CallerKey>,
}

/// A success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompleteItem {
    /// The job and its token.
    pub lease: LeaseRef,
    /// The result as raw JSON text, known to be well formed.
    pub result: Option<String>,
    /// Searchable attributes that the worker sets on the job.
    pub attributes: BTreeMap<String, Value>,
}

/// What a pool asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolClaim {
    /// The queue.
    pub queue: QueueName,
    /// How many at most.
    pub jobs_max: u32,
    /// The pool's name.
    pub worker_id: WorkerId,
    /// Only these job types; `None` takes every type.
    pub job_types: Option<Vec<JobType>>,
}

/// Any claim, filled in.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    pub(crate) pool: PoolClaim,
    pub(crate) tenant: Option<TenantName>,
    pub(crate) build: WorkerBuild,
    pub(crate) lease: DurationMs,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_point_at_their_fields() {
        let request = JobRequest {
            run_at: Some(Timestamp(5)),
            delay: Some(DurationMs(5)),
            expires_in: Some(DurationMs::ZERO),
            retries_max: Some(101),
            timeout: Some(DurationMs::ZERO),
            tags: vec![Tag::trusted("x"); 21],
            ..JobRequest::new(JobType::trusted("trunkline:http"), r#""\u0000""#)
        };
        let pointers: Vec<String> =
            request.faults(&Policy::default()).into_iter().map(|fault| fault.pointer).collect();
        assert_eq!(
            pointers,
            ["/jobType", "/data", "/delay", "/expiresIn", "/maxRetries", "/timeout", "/tags"]
        );
        assert!(JobRequest::new(JobType::trusted("encode"), "{}").faults(&Policy::default()).is_empty());
    }
}
