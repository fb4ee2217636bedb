//! Which jobs a claim asks for.

use std::collections::{BTreeSet, HashMap};

use super::headrooms::Running;
use super::lanes::Lanes;
use super::limits::LimitTable;
use crate::build::Withheld;
use crate::names::{JobType, TenantName};
use crate::queue::{LaneId, WorkflowRef};

/// Which jobs a claim asks for. The default is any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only this tenant's; `None` is any tenant. Such a claim leaves the order of the tenants as it is.
    pub tenant: Option<TenantName>,
    /// Only these job types; `None` is any type.
    pub job_types: Option<BTreeSet<JobType>>,
    /// Workflows whose jobs stay where they are.
    pub paused: BTreeSet<WorkflowRef>,
    /// Job types that are pinned to other builds than the claimer's.
    pub withheld: Withheld,
}

/// A [`Filter`] in numbers.
pub(super) struct Admission {
    pub(super) tenant: Option<u32>,
    /// By job type number; `None` admits every type.
    job_types: Option<Vec<bool>>,
    /// By job type number; empty where none is.
    withheld: Vec<bool>,
    /// Tenants and job types for which the opposite holds; sorted.
    exceptions: Vec<(u32, u32)>,
    /// Sorted.
    paused: Vec<u32>,
}

impl Admission {
    /// `None` where no known lane can pass.
    pub(super) fn of(filter: &Filter, lanes: &Lanes) -> Option<Self> {
        let tenant = match &filter.tenant {
            Some(tenant) => Some(lanes.tenants().find(tenant)?),
            None => None,
        };
        let job_types = filter.job_types.as_ref().map(|asked| {
            let mut admitted = vec![false; lanes.job_types().len()];
            for number in asked.iter().filter_map(|job_type| lanes.job_types().find(job_type)) {
                admitted[number as usize] = true;
            }
            admitted
        });
        let mut paused: Vec<_> = filter.paused.iter().filter_map(|it| lanes.workflows().find(it)).collect();
        paused.sort_unstable();
        let Withheld { types, exceptions } = &filter.withheld;
        let mut withheld = vec![false; if types.is_empty() { 0 } else { lanes.job_types().len() }];
        for number in types.iter().filter_map(|job_type| lanes.job_types().find(job_type)) {
            withheld[number as usize] = true;
        }
        let numbers = |(tenant, job_type): &(TenantName, JobType)| {
            Some((lanes.tenants().find(tenant)?, lanes.job_types().find(job_type)?))
        };
        let mut exceptions: Vec<_> = exceptions.iter().filter_map(numbers).collect();
        exceptions.sort_unstable();
        Some(Self { tenant, job_types, withheld, exceptions, paused })
    }

    /// Whether a tenant's jobs of a type are asked for, by their numbers.
    pub(super) fn admits(&self, tenant: u32, job_type: u32) -> bool {
        self.job_types.as_ref().is_none_or(|admitted| admitted[job_type as usize])
            && !self.is_withheld(tenant, job_type)
    }

    fn is_withheld(&self, tenant: u32, job_type: u32) -> bool {
        let is_of_all = self.withheld.get(job_type as usize).copied().unwrap_or(false);
        is_of_all != self.exceptions.binary_search(&(tenant, job_type)).is_ok()
    }

    pub(super) fn is_paused(&self, workflow: Option<u32>) -> bool {
        workflow.is_some_and(|workflow| self.paused.binary_search(&workflow).is_ok())
    }
}

// Jobs that have just come: whether they may be leased as they are inserted, without being queued first.
//
// Asked only where nothing waits. Who waits is served by a [`plan`](super::plan()), with its tiers and turns.

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
