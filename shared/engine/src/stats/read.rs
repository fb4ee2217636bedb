//! Reads figures as series.

use domain::access::Permission;
use domain::names::{TenantName, WorkflowName};
use domain::queue::{QueueName, Tier};
use domain::stats::{POINTS_MAX, Step, points};
use domain::time::{DurationMs, Timestamp};
use store::stats::{StatFilter, StatPoint};

use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

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
