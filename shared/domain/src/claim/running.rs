//! How many jobs of one queue are leased: in all, by tenant, by workflow, by job type (of all tenants and of one) and by rate key.
//!
//! A slot is a leased job; there is no other counter. What is counted here may be too high for a while (a job ended
//! elsewhere), which costs a turn, but never too low, which would cost a limit.

use super::lanes::{Lanes, UnknownLane};
use crate::lane::{LaneId, WorkflowRef};
use crate::names::{JobType, TenantName};

/// How many jobs are leased. A tenant counts over all its lanes of the queue, a workflow over all tenants that run it.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Running {
    global: u32,
    tenants: Vec<u32>,
    workflows: Vec<u32>,
    job_types: Vec<u32>,
    own_types: Vec<u32>,
    rate_keys: Vec<u32>,
}

impl Running {
    /// Sums up the number of leased jobs by lane.
    pub fn count(lanes: &Lanes, by_lane: &[(LaneId, u32)]) -> Result<Self, UnknownLane> {
        let mut running = Self::default();
        for &(lane, count) in by_lane {
            running.add(lanes, lane, count)?;
        }
        Ok(running)
    }

    /// Adds newly leased jobs of a lane.
    pub fn add(&mut self, lanes: &Lanes, lane: LaneId, count: u32) -> Result<(), UnknownLane> {
        self.change(lanes, lane, |old| old.saturating_add(count))
    }

    /// Takes off jobs of a lane whose lease ended. Take off only what was counted: a job that ended before the count
    /// was read is not in it.
    pub fn subtract(&mut self, lanes: &Lanes, lane: LaneId, count: u32) -> Result<(), UnknownLane> {
        self.change(lanes, lane, |old| old.saturating_sub(count))
    }

    /// Leased jobs of the queue.
    pub fn global(&self) -> u32 {
        self.global
    }

    /// Leased jobs of a tenant.
    pub fn tenant(&self, lanes: &Lanes, tenant: &TenantName) -> u32 {
        lanes.tenants().find(tenant).map_or(0, |number| self.of_tenant(number))
    }

    /// Leased jobs of a workflow, over all tenants that run it.
    pub fn workflow(&self, lanes: &Lanes, workflow: &WorkflowRef) -> u32 {
        lanes.workflows().find(workflow).map_or(0, |number| self.of_workflow(number))
    }

    /// Leased jobs of a type, over all tenants.
    pub fn job_type(&self, lanes: &Lanes, job_type: &JobType) -> u32 {
        lanes.job_types().find(job_type).map_or(0, |number| self.of_job_type(number))
    }

    pub(super) fn of_rate_key(&self, number: u32) -> u32 {
        self.rate_keys.get(number as usize).copied().unwrap_or(0)
    }

    pub(super) fn of_own_type(&self, number: u32) -> u32 {
        self.own_types.get(number as usize).copied().unwrap_or(0)
    }

    pub(super) fn of_job_type(&self, number: u32) -> u32 {
        self.job_types.get(number as usize).copied().unwrap_or(0)
    }

    pub(super) fn of_tenant(&self, number: u32) -> u32 {
        self.tenants.get(number as usize).copied().unwrap_or(0)
    }

    pub(super) fn of_workflow(&self, number: u32) -> u32 {
        self.workflows.get(number as usize).copied().unwrap_or(0)
    }

    fn change(&mut self, lanes: &Lanes, lane: LaneId, to: impl Fn(u32) -> u32) -> Result<(), UnknownLane> {
        let lane = lanes.lane(lanes.index(lane)?);
        self.global = to(self.global);
        let tenant = at(&mut self.tenants, lane.tenant);
        *tenant = to(*tenant);
        if let Some(workflow) = lane.workflow {
            let workflow = at(&mut self.workflows, workflow);
            *workflow = to(*workflow);
        }
        let job_type = at(&mut self.job_types, lane.job_type);
        *job_type = to(*job_type);
        let own_type = at(&mut self.own_types, lane.own_type);
        *own_type = to(*own_type);
        if let Some(rate_key) = lane.rate_key {
            let rate_key = at(&mut self.rate_keys, rate_key);
            *rate_key = to(*rate_key);
        }
        Ok(())
    }
}

fn at(counts: &mut Vec<u32>, number: u32) -> &mut u32 {
    let index = number as usize;
    if counts.len() <= index {
        counts.resize(index + 1, 0);
    }
    &mut counts[index]
}
