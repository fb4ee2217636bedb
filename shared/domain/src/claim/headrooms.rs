//! How much room limits and rates leave to each tenant, workflow, job type and rate key within one plan.
//!
//! Rooms are worked out when first asked for, so that a plan pays only for what it looks at, and their memory is
//! kept from plan to plan. What is global is no business of this module: it only shortens the batch.

use super::lanes::{Group, Lanes, UnknownLane};
use super::limits::LimitTable;
use super::rates::StartRooms;
use crate::names::{JobType, TenantName};
use crate::queue::{LaneId, WorkflowRef};
use crate::rate::RateSubject;

/// Rooms of the plan that is under way.
#[derive(Debug, Default)]
pub(super) struct Headrooms {
    planned_at: u64,
    tenants: Vec<Headroom>,
    workflows: Vec<Headroom>,
    job_types: Vec<Headroom>,
    own_types: Vec<Headroom>,
    rate_keys: Vec<Headroom>,
}

/// What is left of one limit and one rate.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Headroom {
    planned_at: u64,
    /// How many more jobs fit under the limit; `u32::MAX` where there is none.
    pub(super) left: u32,
    /// How many more starts fit under the rate; `u32::MAX` where there is none, or it is not known how many.
    pub(super) starts: u32,
    /// Whether it is known how many starts fit.
    pub(super) is_known: bool,
    /// Whether this plan took from it, so that a grant that comes short gives some back.
    pub(super) is_used: bool,
}

impl Headroom {
    /// No limit and no rate.
    pub(super) const UNLIMITED: Self =
        Self { planned_at: 0, left: u32::MAX, starts: u32::MAX, is_known: true, is_used: false };

    /// How many jobs fit under both.
    pub(super) fn both(self) -> u32 {
        self.left.min(self.starts)
    }

    /// Whether there is a limit or a rate.
    pub(super) fn is_limited(self) -> bool {
        self.both() < u32::MAX || !self.is_known
    }

    fn take(&mut self, jobs: u32, starts: u32) {
        if self.left < u32::MAX {
            self.left -= jobs;
        }
        if self.starts < u32::MAX {
            self.starts -= starts;
        }
        self.is_used = true;
    }
}

/// What rooms follow from.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) lanes: &'a Lanes,
    pub(super) running: &'a Running,
    pub(super) limits: &'a LimitTable,
    pub(super) starts: &'a StartRooms,
}

impl Headrooms {
    /// Forgets the rooms of earlier plans. `planned_at` differs from plan to plan and is never zero.
    pub(super) fn begin(&mut self, planned_at: u64) {
        self.planned_at = planned_at;
    }

    /// The room of a tenant, by its number in the lanes.
    pub(super) fn tenant(&mut self, number: u32, from: Sources<'_>) -> Headroom {
        *current(&mut self.tenants, number, self.planned_at, || {
            let tenant = from.lanes.tenants().value(number);
            let starts =
                from.starts.room(from.limits.rates.tenant(tenant), || RateSubject::Tenant(tenant.clone()));
            (left(from.limits.tenant(tenant), from.running.of_tenant(number)), starts)
        })
    }

    /// The room of a workflow, by its number in the lanes.
    pub(super) fn workflow(&mut self, number: u32, from: Sources<'_>) -> Headroom {
        *current(&mut self.workflows, number, self.planned_at, || {
            let workflow = from.lanes.workflows().value(number);
            let rate = from.limits.rates.workflow(workflow);
            let starts = from.starts.room(rate, || RateSubject::Workflow(workflow.clone()));
            (left(from.limits.workflow(workflow), from.running.of_workflow(number)), starts)
        })
    }

    /// The room of a job type, by its number in the lanes.
    pub(super) fn job_type(&mut self, number: u32, from: Sources<'_>) -> Headroom {
        *current(&mut self.job_types, number, self.planned_at, || {
            let job_type = from.lanes.job_types().value(number);
            let rate = from.limits.rates.job_type(job_type);
            let starts = from.starts.room(rate, || RateSubject::JobType(job_type.clone()));
            (left(from.limits.job_type(job_type), from.running.of_job_type(number)), starts)
        })
    }

    /// The room of a job type of one tenant, by its number in the lanes.
    pub(super) fn own_type(&mut self, number: u32, from: Sources<'_>) -> Headroom {
        *current(&mut self.own_types, number, self.planned_at, || {
            let (tenant, job_type) = from.lanes.own_types().value(number);
            let rate = from.limits.rates.tenant_job_type(tenant, job_type);
            let starts =
                from.starts.room(rate, || RateSubject::TenantJobType(tenant.clone(), job_type.clone()));
            let limit = from.limits.tenant_job_type(tenant, job_type);
            (left(limit, from.running.of_own_type(number)), starts)
        })
    }

    /// The room of a rate key, by its number in the lanes.
    pub(super) fn rate_key(&mut self, number: u32, from: Sources<'_>) -> Headroom {
        *current(&mut self.rate_keys, number, self.planned_at, || {
            let (tenant, key) = from.lanes.rate_keys().value(number);
            let rates = &from.limits.rates;
            let starts =
                from.starts.room(rates.key(tenant, key), || RateSubject::Key(tenant.clone(), key.clone()));
            (left(rates.key_limit(tenant, key), from.running.of_rate_key(number)), starts)
        })
    }

    /// Takes jobs, of which so many are starts that count, off the rooms of a group's tenant, workflow and rate key, which
    /// were asked for in this plan and have so much left.
    pub(super) fn take(&mut self, of: Group, jobs: u32, starts: u32) {
        self.tenants[of.tenant as usize].take(jobs, starts);
        if let Some(workflow) = of.workflow {
            self.workflows[workflow as usize].take(jobs, starts);
        }
        if let Some(rate_key) = of.rate_key {
            self.rate_keys[rate_key as usize].take(jobs, starts);
        }
    }

    /// The same for a job type, of all tenants and of one.
    pub(super) fn take_type(&mut self, job_type: u32, own_type: u32, jobs: u32) {
        self.job_types[job_type as usize].take(jobs, jobs);
        self.own_types[own_type as usize].take(jobs, jobs);
    }
}

fn left(limit: Option<u32>, running: u32) -> u32 {
    limit.map_or(u32::MAX, |limit| limit.saturating_sub(running))
}

fn current(
    headrooms: &mut Vec<Headroom>,
    number: u32,
    planned_at: u64,
    rooms: impl FnOnce() -> (u32, (u32, bool)),
) -> &mut Headroom {
    let index = number as usize;
    if headrooms.len() <= index {
        headrooms.resize(index + 1, Headroom::default());
    }
    let room = &mut headrooms[index];
    if room.planned_at != planned_at {
        let (left, (starts, is_known)) = rooms();
        *room = Headroom { planned_at, left, starts, is_known, is_used: false };
    }
    room
}

// How many jobs of one queue are leased: in all, by tenant, by workflow, by job type (of all tenants and of one) and by rate key.
//
// A slot is a leased job; there is no other counter. What is counted here may be too high for a while (a job ended
// elsewhere), which costs a turn, but never too low, which would cost a limit.

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
