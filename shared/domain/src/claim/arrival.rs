//! Jobs that have just come: whether they may be leased as they are inserted, without being queued first.
//!
//! Asked only where nothing waits. Who waits is served by a [`plan`](super::plan()), with its tiers and turns.

use std::collections::HashMap;

use super::filter::{Admission, Filter};
use super::lanes::Lanes;
use super::limits::LimitTable;
use super::running::Running;
use crate::lane::LaneId;

/// Whether all jobs of these lanes (one entry for each job) pass the filter and fit under the limits together. As with
/// any plan, counts may be too high, never too low. A lane that is not known never fits, and neither does one whose starts
/// are counted: that is done under the lock of the queue.
///
/// All or none: were only some to fit, it would take turns to say which.
pub fn all_may_start(
    lanes: &Lanes,
    running: &Running,
    limits: &LimitTable,
    filter: &Filter,
    jobs: &[LaneId],
) -> bool {
    let Some(admission) = Admission::of(filter, lanes) else {
        return false;
    };
    let count = u32::try_from(jobs.len()).unwrap_or(u32::MAX);
    if limits.global.is_some_and(|limit| limit.saturating_sub(running.global()) < count) {
        return false;
    }
    let has_counted = limits.has_counted();
    let (mut tenants, mut workflows) = (HashMap::new(), HashMap::new());
    for &job in jobs {
        let Ok(index) = lanes.index(job) else {
            return false;
        };
        let lane = lanes.lane(index);
        if has_counted && limits.is_counted(&lane.key) {
            return false;
        }
        let is_asked_for = admission.tenant.is_none_or(|tenant| tenant == lane.tenant)
            && admission.admits(lane.tenant, lane.job_type)
            && !admission.is_paused(lane.workflow);
        if !is_asked_for {
            return false;
        }
        *tenants.entry(lane.tenant).or_insert(0_u32) += 1;
        if let Some(workflow) = lane.workflow {
            *workflows.entry(workflow).or_insert(0_u32) += 1;
        }
    }
    let fits = |limit: Option<u32>, running: u32, more: u32| {
        limit.is_none_or(|limit| limit.saturating_sub(running) >= more)
    };
    tenants.iter().all(|(&tenant, &more)| {
        fits(limits.tenant(lanes.tenants().value(tenant)), running.of_tenant(tenant), more)
    }) && workflows.iter().all(|(&workflow, &more)| {
        fits(limits.workflow(lanes.workflows().value(workflow)), running.of_workflow(workflow), more)
    })
}
