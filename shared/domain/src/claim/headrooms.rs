//! How much room the limits leave to each tenant and workflow within one plan.
//!
//! Rooms are worked out when first asked for, so that a plan pays only for what it looks at, and their memory is
//! kept from plan to plan. The global limit is no business of this module: it only shortens the batch.

use super::lanes::Lanes;
use super::limits::LimitTable;
use super::running::Running;

/// Rooms of the plan that is under way.
#[derive(Debug, Default)]
pub(super) struct Headrooms {
    planned_at: u64,
    tenants: Vec<Headroom>,
    workflows: Vec<Headroom>,
}

/// What is left of one limit.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Headroom {
    planned_at: u64,
    /// How many more jobs fit; `u32::MAX` where there is no limit.
    pub(super) left: u32,
    /// Whether this plan took from it, so that a grant that comes short gives some back.
    pub(super) is_used: bool,
}

impl Headroom {
    /// No limit.
    pub(super) const UNLIMITED: Self = Self { planned_at: 0, left: u32::MAX, is_used: false };

    fn take(&mut self, count: u32) {
        self.left -= count;
        self.is_used = true;
    }
}

impl Headrooms {
    /// Forgets the rooms of earlier plans. `planned_at` differs from plan to plan and is never zero.
    pub(super) fn begin(&mut self, planned_at: u64) {
        self.planned_at = planned_at;
    }

    /// The room of a tenant, by its number in `lanes`.
    pub(super) fn tenant(
        &mut self,
        number: u32,
        lanes: &Lanes,
        running: &Running,
        limits: &LimitTable,
    ) -> Headroom {
        *current(&mut self.tenants, number, self.planned_at, || {
            left(limits.tenant(lanes.tenants().value(number)), running.of_tenant(number))
        })
    }

    /// The room of a workflow, by its number in `lanes`.
    pub(super) fn workflow(
        &mut self,
        number: u32,
        lanes: &Lanes,
        running: &Running,
        limits: &LimitTable,
    ) -> Headroom {
        *current(&mut self.workflows, number, self.planned_at, || {
            left(limits.workflow(lanes.workflows().value(number)), running.of_workflow(number))
        })
    }

    /// Takes jobs off the rooms of a tenant and a workflow that were asked for in this plan and have so much left.
    pub(super) fn take(&mut self, tenant: u32, workflow: Option<u32>, count: u32) {
        self.tenants[tenant as usize].take(count);
        if let Some(workflow) = workflow {
            self.workflows[workflow as usize].take(count);
        }
    }
}

fn left(limit: Option<u32>, running: u32) -> u32 {
    limit.map_or(u32::MAX, |limit| limit.saturating_sub(running))
}

fn current(
    headrooms: &mut Vec<Headroom>,
    number: u32,
    planned_at: u64,
    left: impl FnOnce() -> u32,
) -> &mut Headroom {
    let index = number as usize;
    if headrooms.len() <= index {
        headrooms.resize(index + 1, Headroom::default());
    }
    let room = &mut headrooms[index];
    if room.planned_at != planned_at {
        *room = Headroom { planned_at, left: left(), is_used: false };
    }
    room
}
