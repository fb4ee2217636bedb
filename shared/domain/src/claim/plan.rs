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
//! Cost: a step per turn, plus one for each tenant, workflow or rate key that is passed over because it is full or because
//! no lane of it passes the filter. One that a limit fills has a leased job, so there are never more of them than jobs
//! running; of those that rates hold back there are as many as wait.
//! How many jobs wait does not matter, and no lane is looked at once the batch is full.

use std::collections::BTreeSet;

use super::filter::{Admission, Filter};
use super::headrooms::{Headroom, Headrooms, Running, Sources};
use super::lanes::{Group as Line, Lanes};
use super::limits::LimitTable;
use super::rates::StartRooms;
use super::ring::{Grant, Group, Member, Ring, TenantTurns, TierTurns};
use super::undo::Undo;
use crate::queue::LaneId;
use crate::rate::RateSubject;

/// How many more rate keys are asked for at once.
const KEYS_ASKED: usize = 500;

/// What to claim.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The grants, one for each tier, tenant, workflow and rate key that gets anything.
    pub grants: Vec<Grant>,
    /// Whether a limit (not the size of the batch) kept back a lane that was looked at. If the counts were not
    /// read just now, they may be too high, and a new count may give more.
    pub limit_reached: bool,
    /// Whether lower tiers were left out: plan again for the rest of the batch even if every grant comes in full.
    pub has_more: bool,
    /// How many tenants and workflows were looked at, a measure of what the plan cost.
    pub looked_at: u32,
    /// Rates that grants count under and whose room was not known: the plan is not to be carried out.
    pub unknown: BTreeSet<RateSubject>,
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
/// carried out costs those it served their turn. For queues without rates and without limits of job types.
pub fn plan(
    ring: &mut Ring,
    lanes: &Lanes,
    running: &Running,
    limits: &LimitTable,
    filter: &Filter,
    want: u32,
) -> Plan {
    let counted = Counted { running, limits, starts: &StartRooms::default() };
    make(ring, lanes, &counted, filter, want, Mode { undo: None, drops_limited: false })
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
    let counted = Counted { running, limits, starts: &StartRooms::default() };
    match plan_counted(ring, lanes, &counted, filter, want, true) {
        Planned::Plan(plan) => Some(plan),
        Planned::Limited | Planned::Unknown(_) => None,
    }
}

/// What is running, and what may.
#[derive(Debug, Clone, Copy)]
pub struct Counted<'a> {
    /// How many jobs are leased.
    pub running: &'a Running,
    /// How many may be, and be started in a period.
    pub limits: &'a LimitTable,
    /// How many starts fit now.
    pub starts: &'a StartRooms,
}

/// What came of a plan under rates.
#[derive(Debug)]
pub enum Planned {
    /// It can be carried out.
    Plan(Plan),
    /// A limit would keep something back that a new count might let through. The ring is as it was.
    Limited,
    /// The rooms of these have to be known. The ring is as it was.
    Unknown(BTreeSet<RateSubject>),
}

/// Plans a claim under limits and rates. With `drops_limited` the counts of leased jobs may be too high.
pub fn plan_counted(
    ring: &mut Ring,
    lanes: &Lanes,
    counted: &Counted<'_>,
    filter: &Filter,
    want: u32,
    drops_limited: bool,
) -> Planned {
    let mut undo = Undo::default();
    let mut plan = make(ring, lanes, counted, filter, want, Mode { undo: Some(&mut undo), drops_limited });
    if !plan.unknown.is_empty() {
        undo.restore(ring);
        return Planned::Unknown(std::mem::take(&mut plan.unknown));
    }
    if drops_limited && plan.limit_reached {
        undo.restore(ring);
        return Planned::Limited;
    }
    undo.keep(ring);
    Planned::Plan(plan)
}

/// How a plan may be dropped.
struct Mode<'a> {
    /// Where one that may be dropped records the turns.
    undo: Option<&'a mut Undo>,
    /// Whether it is dropped as soon as a limit cuts it.
    drops_limited: bool,
}

fn make(
    ring: &mut Ring,
    lanes: &Lanes,
    &Counted { running, limits, starts }: &Counted<'_>,
    filter: &Filter,
    want: u32,
    mode: Mode<'_>,
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
    let firsts_only = limits.rates.counts_first_only();
    let global = limits.global.map_or(u32::MAX, |limit| limit.saturating_sub(running.global()));
    let (of_rate, _) = starts.room(limits.rates.global(), || RateSubject::Global);
    // Where jobs that were claimed before do not wait for a rate, it does not shorten the batch.
    let held_to = if firsts_only { u32::MAX } else { of_rate };
    let planned_at = ring.begin_plan();
    let Ring { quantum, groups, tiers, headrooms, .. } = ring;
    let mut planner = Planner {
        from: Sources { lanes, running, limits, starts },
        firsts_left: if firsts_only { of_rate } else { u32::MAX },
        admission,
        quantum: *quantum,
        groups,
        headrooms,
        planned_at,
        left: want.min(global).min(held_to),
        supplies: Vec::new(),
        is_certain: true,
        is_contended: false,
        is_loose: false,
        mode,
        plan: Plan::default(),
    };
    let mut lower = tiers.iter_mut().enumerate();
    while planner.left > 0
        && !planner.is_dropped()
        && let Some((number, tier)) = lower.next()
    {
        planner.serve_tier(number, tier);
        if planner.left > 0 && planner.is_contended && !planner.is_certain {
            planner.plan.has_more = planner.is_loose || lower.any(|(_, tier)| !tier.tenants.is_empty());
            break;
        }
    }
    let is_cut_by_global = planner.left == 0 && global < want && global <= held_to;
    let mut plan = planner.plan;
    plan.limit_reached |= is_cut_by_global && !ring.is_empty();
    if plan.unknown.iter().any(|subject| matches!(subject, RateSubject::Key(..))) {
        ask_for_keys(&mut plan.unknown, &ring.groups, Sources { lanes, running, limits, starts });
    }
    plan
}

/// Asks for more rate keys that wait, with those that a plan asks for: of many keys most may have no room, and each plan
/// comes to a few of them only.
fn ask_for_keys(unknown: &mut BTreeSet<RateSubject>, groups: &[Group], from: Sources<'_>) {
    let asked_max = unknown.len() + KEYS_ASKED;
    for (number, _) in groups.iter().enumerate().filter(|(_, group)| !group.lanes.is_empty()) {
        if unknown.len() >= asked_max {
            break;
        }
        let Some(rate_key) = from.lanes.group(number as u32).rate_key else { continue };
        let (tenant, key) = from.lanes.rate_keys().value(rate_key);
        let subject = RateSubject::Key(tenant.clone(), key.clone());
        if from.limits.rates.key(tenant, key).is_some() && from.starts.get(&subject).is_none() {
            unknown.insert(subject);
        }
    }
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
    from: Sources<'a>,
    /// How many of those the rate of the queue lets through; `u32::MAX` where none does that.
    firsts_left: u32,
    admission: Admission,
    quantum: u32,
    groups: &'a mut [Group],
    headrooms: &'a mut Headrooms,
    planned_at: u64,
    /// What is left of the batch, of the global limit, and of the queue's rate where all jobs wait for it.
    left: u32,
    /// One for each grant.
    supplies: Vec<Supply>,
    /// Whether every grant so far is certain to come in full.
    is_certain: bool,
    /// Whether a lane was kept back by room that this plan took.
    is_contended: bool,
    /// Whether grants may use less of a room than was taken for them, without coming short.
    is_loose: bool,
    mode: Mode<'a>,
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
        if let Some(undo) = self.mode.undo.as_deref_mut() {
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
            let tenant = self.from.lanes.group(supply.group).tenant;
            tier.by_tenant[tenant as usize].groups.rewind();
        }
    }

    /// One turn of a tenant: the next of its workflows and rate keys that can be served. Returns whether there is one.
    fn serve_tenant(&mut self, tenant: u32, turns: &mut TenantTurns) -> bool {
        self.plan.looked_at += 1;
        let room = self.headrooms.tenant(tenant, self.from);
        while let Some(group) = turns.groups.next() {
            self.plan.looked_at += 1;
            let supply = self.supply(group);
            if supply == 0 {
                if self.groups[group as usize].lanes.is_empty() {
                    self.groups[group as usize].is_listed = false;
                    if let Some(undo) = self.mode.undo.as_deref_mut() {
                        undo.record_unlisted(group);
                    }
                } else {
                    turns.groups.pass(group);
                }
                continue;
            }
            if self.is_full(room) {
                self.refuse(room);
                turns.groups.pass(group);
                return false;
            }
            let line = self.from.lanes.group(group);
            let of_workflow = line
                .workflow
                .map_or(Headroom::UNLIMITED, |number| self.headrooms.workflow(number, self.from));
            let of_key = line
                .rate_key
                .map_or(Headroom::UNLIMITED, |number| self.headrooms.rate_key(number, self.from));
            if let Some(full) = [of_workflow, of_key].into_iter().find(|room| self.is_full(*room)) {
                self.refuse(full);
                turns.groups.pass(group);
                continue;
            }
            let rooms = [room, of_workflow, of_key];
            let open = self.open(group, rooms);
            if open == 0 {
                turns.groups.pass(group);
                continue;
            }
            let turn = if turns.rest > 0 { turns.rest } else { self.quantum };
            let left = rooms.iter().fold(u32::MAX, |least, room| least.min(room.left));
            let fits = turn.min(self.left).min(supply).min(left).min(open);
            // With counts that are too high, room that is short here may be there in truth.
            self.plan.limit_reached |= self.mode.drops_limited && fits < turn.min(self.left).min(supply);
            let starts = self.starts_left(rooms);
            let (take, counted) = if self.firsts_only() {
                (fits, fits.min(starts))
            } else {
                (fits.min(starts), fits.min(starts))
            };
            turns.rest = if take == self.left { turn - take } else { 0 };
            self.ask_for(rooms, line);
            self.headrooms.take(line, take, counted);
            if self.firsts_left < u32::MAX {
                self.firsts_left -= counted;
            }
            let firsts = (self.firsts_only() && starts < u32::MAX).then_some(counted);
            self.grant(group, supply, take, firsts);
            if turns.rest > 0 {
                turns.groups.push_front(group);
            } else {
                turns.groups.push(group);
            }
            return true;
        }
        false
    }

    /// Whether rates keep back only jobs that were never claimed.
    fn firsts_only(&self) -> bool {
        self.from.limits.rates.counts_first_only()
    }

    /// Whether no job at all fits.
    fn is_full(&self, room: Headroom) -> bool {
        room.left == 0 || (room.starts == 0 && !self.firsts_only())
    }

    /// How many jobs of a group its job types let through, whatever its tenant and workflow do. Where only first claims
    /// wait for rates and none fits: none, unless other jobs may wait.
    fn open(&mut self, group: u32, rooms: [Headroom; 3]) -> u32 {
        if self.firsts_only() {
            if self.starts_left(rooms) > 0 || self.admitted(group).any(|member| !member.is_first_only) {
                return u32::MAX;
            }
            let is_used = rooms.iter().any(|room| room.starts == 0 && room.is_used);
            self.is_contended |= is_used || (self.firsts_left == 0 && self.is_loose);
            return 0;
        }
        if !self.from.limits.limits_job_types() {
            return u32::MAX;
        }
        let members: Vec<Member> = self.admitted(group).copied().collect();
        let mut open: u32 = 0;
        for member in members {
            let rooms = self.type_rooms(member);
            if let Some(full) = rooms.into_iter().find(|room| self.is_full(*room)) {
                self.refuse(full);
            } else {
                open = open.saturating_add(rooms[0].both().min(rooms[1].both()));
            }
        }
        open
    }

    /// The rooms of the job type of a lane, over all tenants and of its own.
    fn type_rooms(&mut self, member: Member) -> [Headroom; 2] {
        let of_all = self.headrooms.job_type(member.job_type, self.from);
        [of_all, self.headrooms.own_type(member.own_type, self.from)]
    }

    /// How many starts fit under the rates of a tenant, a workflow, a rate key and the queue.
    fn starts_left(&self, rooms: [Headroom; 3]) -> u32 {
        rooms.iter().fold(self.firsts_left, |least, room| least.min(room.starts))
    }

    /// Records the rates whose room has to be known for a grant.
    fn ask_for(&mut self, rooms: [Headroom; 3], line: Line) {
        let (_, is_known) = self.from.starts.room(self.from.limits.rates.global(), || RateSubject::Global);
        if !is_known {
            self.plan.unknown.insert(RateSubject::Global);
        }
        let lanes = self.from.lanes;
        if !rooms[0].is_known {
            self.plan.unknown.insert(RateSubject::Tenant(lanes.tenants().value(line.tenant).clone()));
        }
        if let Some(workflow) = line.workflow.filter(|_| !rooms[1].is_known) {
            self.plan.unknown.insert(RateSubject::Workflow(lanes.workflows().value(workflow).clone()));
        }
        if let Some(number) = line.rate_key.filter(|_| !rooms[2].is_known) {
            let (tenant, key) = lanes.rate_keys().value(number);
            self.plan.unknown.insert(RateSubject::Key(tenant.clone(), key.clone()));
        }
    }

    /// Whether a limit cut a plan that is to be dropped then.
    fn is_dropped(&self) -> bool {
        self.mode.drops_limited && self.plan.limit_reached
    }

    fn record_turns(&mut self, tier: usize, tenant: u32, turns: &mut TenantTurns) {
        if let Some(undo) = self.mode.undo.as_deref_mut()
            && turns.recorded_at != self.planned_at
        {
            turns.recorded_at = self.planned_at;
            undo.record_tenant(tier, tenant, turns);
        }
    }

    fn refuse(&mut self, room: Headroom) {
        // No new count lets through what a rate keeps back.
        self.plan.limit_reached |= room.starts > 0 || self.firsts_only();
        self.is_contended |= room.is_used;
    }

    /// The lanes of a group that the claim asks for.
    fn admitted(&self, group: u32) -> impl Iterator<Item = &Member> {
        self.groups[group as usize]
            .lanes
            .iter()
            .filter(|member| self.admission.admits(member.tenant, member.job_type))
    }

    /// How many more jobs the group may be asked for.
    fn supply(&self, group: u32) -> u32 {
        let state = &self.groups[group as usize];
        if state.planned_at == self.planned_at {
            return self.supplies[state.grant as usize].left;
        }
        if self.admission.is_paused(self.from.lanes.group(group).workflow) {
            return 0;
        }
        self.admitted(group)
            .fold(0, |sum: u32, member| sum.saturating_add(member.depth.at_most.unwrap_or(u32::MAX)))
    }

    /// Adds to the group's grant, out of the `left` jobs that it may still be asked for; `firsts` of them may be such as
    /// were never claimed.
    fn grant(&mut self, group: u32, left: u32, take: u32, firsts: Option<u32>) {
        let caps = self.caps(group, take);
        let is_capped = firsts.is_some() || caps.iter().any(|&cap| cap < u32::MAX);
        let is_cut = firsts.is_some() || caps.iter().any(|&cap| cap < take);
        // A claim that cannot count takes nothing that has to be counted.
        self.plan.limit_reached |= self.from.starts.refuses(is_capped, is_cut);
        self.is_loose |= is_capped;
        self.is_certain &= !is_capped;
        let state = &mut self.groups[group as usize];
        if state.planned_at != self.planned_at {
            state.planned_at = self.planned_at;
            state.grant = self.plan.grants.len() as u32;
            let admitted =
                state.lanes.iter().filter(|member| self.admission.admits(member.tenant, member.job_type));
            let at_least =
                admitted.clone().fold(0, |sum: u32, member| sum.saturating_add(member.depth.at_least));
            let lanes: Vec<LaneId> = admitted.map(|member| member.lane).collect();
            let caps = vec![0; caps.len()];
            self.plan.grants.push(Grant { lanes, take: 0, caps, firsts: firsts.map(|_| 0) });
            self.supplies.push(Supply { group, at_least, left });
        }
        let place = state.grant;
        let grant = &mut self.plan.grants[place as usize];
        let supply = &mut self.supplies[place as usize];
        grant.take += take;
        for (cap, more) in grant.caps.iter_mut().zip(caps) {
            *cap = cap.saturating_add(more);
        }
        if let (Some(sum), Some(more)) = (&mut grant.firsts, firsts) {
            *sum += more;
        }
        supply.left -= take;
        self.is_certain &= grant.take <= supply.at_least;
        self.left -= take;
        match self.plan.turns.last_mut() {
            Some((last, taken)) if *last == place => *taken += take,
            _ => self.plan.turns.push((place, take)),
        }
    }

    /// How many jobs each lane of a group may give to a grant of `take` more, off the rooms of the job types.
    fn caps(&mut self, group: u32, take: u32) -> Vec<u32> {
        if self.firsts_only() || !self.from.limits.limits_job_types() {
            return Vec::new();
        }
        let members: Vec<Member> = self.admitted(group).copied().collect();
        let mut caps = Vec::with_capacity(members.len());
        for member in members {
            let [of_all, own] = self.type_rooms(member);
            if !of_all.is_known {
                let job_type = self.from.lanes.job_types().value(member.job_type);
                self.plan.unknown.insert(RateSubject::JobType(job_type.clone()));
            }
            if !own.is_known {
                let (tenant, job_type) = self.from.lanes.own_types().value(member.own_type).clone();
                self.plan.unknown.insert(RateSubject::TenantJobType(tenant, job_type));
            }
            if of_all.is_limited() || own.is_limited() {
                let cap = take.min(of_all.both()).min(own.both());
                self.headrooms.take_type(member.job_type, member.own_type, cap);
                caps.push(cap);
            } else {
                caps.push(u32::MAX);
            }
        }
        caps
    }
}
