//! The plan: which lanes give how many jobs, in which order.
//!
//! A plan does not know how many jobs a lane holds, only what its [`Depth`](super::Depth) says, so a grant may come
//! short and the rest is planned again. Within a tier that costs nothing in exactness: who is left goes on taking
//! turns where the last plan stopped. A lower tier is another matter: a grant that comes short may free a slot that
//! another job of the higher tier was kept from. Lower tiers are therefore planned along only when
//!
//! - every grant so far is certain to come in full, or
//! - no lane of the tiers so far was kept back by room that this very plan took,
//!
//! and otherwise left to the next plan ([`Plan::has_more`]), which then knows.
//!
//! Cost: a step per turn, plus one for each tenant or workflow that is passed over because it is full or because no
//! lane of it passes the filter. A full one has a leased job, so there are never more of them than jobs running.
//! How many jobs wait does not matter, and no lane is looked at once the batch is full.

use super::filter::{Admission, Filter};
use super::headrooms::{Headroom, Headrooms};
use super::lanes::Lanes;
use super::limits::LimitTable;
use super::ring::{Group, Ring, TenantTurns, TierTurns};
use super::running::Running;
use super::undo::Undo;
use crate::lane::LaneId;

/// Up to `take` jobs, in order of position over all these lanes (one tier, tenant and workflow).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The lanes, differing in job type only.
    pub lanes: Vec<LaneId>,
    /// How many jobs at most; at least one.
    pub take: u32,
}

/// What to claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The grants, one for each tier, tenant and workflow that gets anything.
    pub grants: Vec<Grant>,
    /// Whether a limit (not the size of the batch) kept back a lane that was looked at. If the counts were not
    /// read just now, they may be too high, and a new count may give more.
    pub limit_reached: bool,
    /// Whether lower tiers were left out: plan again for the rest of the batch even if every grant comes in full.
    pub has_more: bool,
    /// How many tenants and workflows were looked at, a measure of what the plan cost.
    pub looked_at: u32,
    /// The turns: places in `grants` with the number of jobs taken.
    turns: Vec<(u32, u32)>,
}

impl Plan {
    /// Puts claimed jobs in the order of their turns; `claimed` has, for each grant, its jobs in order of position.
    pub fn arrange<T>(&self, claimed: Vec<Vec<T>>) -> Vec<T> {
        let mut arranged = Vec::with_capacity(claimed.iter().map(Vec::len).sum());
        let mut rest: Vec<_> = claimed.into_iter().map(Vec::into_iter).collect();
        for &(grant, take) in &self.turns {
            if let Some(jobs) = rest.get_mut(grant as usize) {
                arranged.extend(jobs.take(take as usize));
            }
        }
        // More than was granted is a fault of the store, but no reason to lose jobs that are leased by now.
        arranged.extend(rest.into_iter().flatten());
        arranged
    }
}

/// Plans a claim of up to `want` jobs. Changes the order of turns in the ring, nothing else; a plan that is not
/// carried out costs those it served their turn.
pub fn plan(
    ring: &mut Ring,
    lanes: &Lanes,
    running: &Running,
    limits: &LimitTable,
    filter: &Filter,
    want: u32,
) -> Plan {
    make(ring, lanes, &Counted { running, limits }, filter, want, None)
}

/// The same with counts that may be too high: `None`, and a ring as it was, where a limit would keep anything back.
/// Whoever gets `None` counts and plans again. Had the ring kept the turns of the plan that was dropped, those it
/// served would have been passed over.
pub fn plan_unless_limited(
    ring: &mut Ring,
    lanes: &Lanes,
    running: &Running,
    limits: &LimitTable,
    filter: &Filter,
    want: u32,
) -> Option<Plan> {
    let mut undo = Undo::default();
    let plan = make(ring, lanes, &Counted { running, limits }, filter, want, Some(&mut undo));
    if plan.limit_reached {
        undo.restore(ring);
        return None;
    }
    undo.keep(ring);
    Some(plan)
}

/// What is running, and what may.
struct Counted<'a> {
    running: &'a Running,
    limits: &'a LimitTable,
}

fn make(
    ring: &mut Ring,
    lanes: &Lanes,
    &Counted { running, limits }: &Counted<'_>,
    filter: &Filter,
    want: u32,
    undo: Option<&mut Undo>,
) -> Plan {
    let Some(admission) = Admission::of(filter, lanes) else {
        return Plan::default();
    };
    // A tenant whose lanes are gone leaves its rotation when a plan comes to it. A plan without room under the global
    // limit comes to nobody, so with counts that are too high such a tenant would keep its turn and be served before
    // those that came earlier. An empty ring has no turns, whatever the counts say.
    if ring.is_empty() {
        ring.drop_empty();
    }
    let global = limits.global.map_or(u32::MAX, |limit| limit.saturating_sub(running.global()));
    let planned_at = ring.begin_plan();
    let Ring { quantum, groups, tiers, headrooms, .. } = ring;
    let mut planner = Planner {
        lanes,
        running,
        limits,
        admission,
        quantum: *quantum,
        groups,
        headrooms,
        planned_at,
        left: want.min(global),
        supplies: Vec::new(),
        is_certain: true,
        is_contended: false,
        undo,
        plan: Plan::default(),
    };
    let mut lower = tiers.iter_mut().enumerate();
    while planner.left > 0
        && !planner.is_dropped()
        && let Some((number, tier)) = lower.next()
    {
        planner.serve_tier(number, tier);
        if planner.left > 0 && planner.is_contended && !planner.is_certain {
            planner.plan.has_more = lower.any(|(_, tier)| !tier.tenants.is_empty());
            break;
        }
    }
    let is_cut_by_global = planner.left == 0 && global < want;
    let mut plan = planner.plan;
    plan.limit_reached |= is_cut_by_global && !ring.is_empty();
    plan
}

/// What a group that has a grant may still give.
struct Supply {
    group: u32,
    /// Jobs that surely wait, of those granted and to be granted.
    at_least: u32,
    /// How many more may be granted; `u32::MAX` and what is left of it where that is not known.
    left: u32,
}

/// A plan under way.
struct Planner<'a> {
    lanes: &'a Lanes,
    running: &'a Running,
    limits: &'a LimitTable,
    admission: Admission,
    quantum: u32,
    groups: &'a mut [Group],
    headrooms: &'a mut Headrooms,
    planned_at: u64,
    /// What is left of the batch and of the global limit.
    left: u32,
    /// One for each grant.
    supplies: Vec<Supply>,
    /// Whether every grant so far is certain to come in full.
    is_certain: bool,
    /// Whether a lane was kept back by room that this plan took.
    is_contended: bool,
    /// Where a plan that a limit cuts is to be dropped: how the turns were.
    undo: Option<&'a mut Undo>,
    plan: Plan,
}

impl Planner<'_> {
    /// Lets the tenants of a tier take turns until the batch is full or nobody can be served.
    fn serve_tier(&mut self, number: usize, tier: &mut TierTurns) {
        if let Some(tenant) = self.admission.tenant {
            if let Some(turns) = tier.by_tenant.get_mut(tenant as usize) {
                self.record_turns(number, tenant, turns);
                while self.left > 0 && !self.is_dropped() && self.serve_tenant(tenant, turns) {}
                turns.groups.rewind();
            }
            return;
        }
        if let Some(undo) = self.undo.as_deref_mut() {
            undo.record_tier(number, &mut tier.tenants);
        }
        let first = self.supplies.len();
        while self.left > 0
            && !self.is_dropped()
            && let Some(tenant) = tier.tenants.next()
        {
            let turns = &mut tier.by_tenant[tenant as usize];
            self.record_turns(number, tenant, turns);
            if self.serve_tenant(tenant, turns) {
                if turns.rest > 0 {
                    tier.tenants.push_front(tenant);
                } else {
                    tier.tenants.push(tenant);
                }
            } else if turns.groups.is_empty() {
                turns.is_listed = false;
                turns.rest = 0;
            } else {
                // Room and supply only shrink within a plan, so it need not be looked at again.
                turns.groups.rewind();
                tier.tenants.pass(tenant);
            }
        }
        tier.tenants.rewind();
        for supply in &self.supplies[first..] {
            let tenant = self.lanes.group(supply.group).tenant;
            tier.by_tenant[tenant as usize].groups.rewind();
        }
    }

    /// One turn of a tenant: the next of its workflows that can be served. Returns whether there is one.
    fn serve_tenant(&mut self, tenant: u32, turns: &mut TenantTurns) -> bool {
        self.plan.looked_at += 1;
        let room = self.headrooms.tenant(tenant, self.lanes, self.running, self.limits);
        while let Some(group) = turns.groups.next() {
            self.plan.looked_at += 1;
            let supply = self.supply(group);
            if supply == 0 {
                if self.groups[group as usize].lanes.is_empty() {
                    self.groups[group as usize].is_listed = false;
                    if let Some(undo) = self.undo.as_deref_mut() {
                        undo.record_unlisted(group);
                    }
                } else {
                    turns.groups.pass(group);
                }
                continue;
            }
            if room.left == 0 {
                self.refuse(room);
                turns.groups.pass(group);
                return false;
            }
            let workflow = self.lanes.group(group).workflow;
            let of_workflow = workflow.map_or(Headroom::UNLIMITED, |number| {
                self.headrooms.workflow(number, self.lanes, self.running, self.limits)
            });
            if of_workflow.left == 0 {
                self.refuse(of_workflow);
                turns.groups.pass(group);
                continue;
            }
            let turn = if turns.rest > 0 { turns.rest } else { self.quantum };
            let take = turn.min(self.left).min(supply).min(room.left).min(of_workflow.left);
            // With counts that are too high, room that is short here may be there in truth.
            self.plan.limit_reached |= self.undo.is_some() && take < turn.min(self.left).min(supply);
            turns.rest = if take == self.left { turn - take } else { 0 };
            self.headrooms.take(tenant, workflow, take);
            self.grant(group, supply, take);
            if turns.rest > 0 {
                turns.groups.push_front(group);
            } else {
                turns.groups.push(group);
            }
            return true;
        }
        false
    }

    /// Whether a limit cut a plan that is to be dropped then.
    fn is_dropped(&self) -> bool {
        self.undo.is_some() && self.plan.limit_reached
    }

    fn record_turns(&mut self, tier: usize, tenant: u32, turns: &mut TenantTurns) {
        if let Some(undo) = self.undo.as_deref_mut()
            && turns.noted_at != self.planned_at
        {
            turns.noted_at = self.planned_at;
            undo.record_tenant(tier, tenant, turns);
        }
    }

    fn refuse(&mut self, room: Headroom) {
        self.plan.limit_reached = true;
        self.is_contended |= room.is_used;
    }

    /// How many more jobs the group may be asked for.
    fn supply(&self, group: u32) -> u32 {
        let state = &self.groups[group as usize];
        if state.planned_at == self.planned_at {
            return self.supplies[state.grant as usize].left;
        }
        if self.admission.is_paused(self.lanes.group(group).workflow) {
            return 0;
        }
        let admitted = state.lanes.iter().filter(|member| self.admission.admits_type(member.job_type));
        admitted.fold(0, |sum: u32, member| sum.saturating_add(member.depth.at_most.unwrap_or(u32::MAX)))
    }

    /// Adds to the group's grant, out of the `left` jobs that it may still be asked for.
    fn grant(&mut self, group: u32, left: u32, take: u32) {
        let state = &mut self.groups[group as usize];
        if state.planned_at != self.planned_at {
            state.planned_at = self.planned_at;
            state.grant = self.plan.grants.len() as u32;
            let admitted = state.lanes.iter().filter(|member| self.admission.admits_type(member.job_type));
            let at_least =
                admitted.clone().fold(0, |sum: u32, member| sum.saturating_add(member.depth.at_least));
            self.plan.grants.push(Grant { lanes: admitted.map(|member| member.lane).collect(), take: 0 });
            self.supplies.push(Supply { group, at_least, left });
        }
        let place = state.grant;
        let grant = &mut self.plan.grants[place as usize];
        let supply = &mut self.supplies[place as usize];
        grant.take += take;
        supply.left -= take;
        self.is_certain &= grant.take <= supply.at_least;
        self.left -= take;
        match self.plan.turns.last_mut() {
            Some((last, taken)) if *last == place => *taken += take,
            _ => self.plan.turns.push((place, take)),
        }
    }
}
