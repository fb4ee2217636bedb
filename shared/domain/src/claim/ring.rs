//! Which lanes are not empty, and whose turn it is.
//!
//! A node keeps one ring per queue in memory: for each tier the tenants in the order of their turns, for each tenant
//! its workflows in the order of theirs, for each of those its lanes by job type. The ring only says where jobs may
//! be found and who comes next; it never decides how many may run. It is allowed to be out of date.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::filter::Filter;
use super::headrooms::Headrooms;
use super::lanes::{Census, Lanes, UnknownLane};
use super::rotation::Rotation;
use crate::names::{JobType, TenantName};
use crate::queue::LaneId;

/// What is known of the number of jobs that wait in a lane.
///
/// Knowing it saves round trips: lower tiers are planned along with a higher one only where it is certain that the
/// higher one has nothing more to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Depth {
    /// At least so many wait.
    pub at_least: u32,
    /// At most so many wait; `None` where that is not known.
    pub at_most: Option<u32>,
}

impl Depth {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { at_least: 0, at_most: None };

    /// So many wait, and there may be more.
    pub const fn at_least(count: u32) -> Self {
        Self { at_least: count, at_most: None }
    }

    /// So many wait and no more.
    pub const fn exactly(count: u32) -> Self {
        Self { at_least: count, at_most: Some(count) }
    }

    fn less(self, count: u32) -> Self {
        Self {
            at_least: self.at_least.saturating_sub(count),
            at_most: self.at_most.map(|at_most| at_most.saturating_sub(count)),
        }
    }
}

/// The lanes of one queue that are not empty, in the order of their turns.
#[derive(Debug)]
pub struct Ring {
    pub(super) quantum: u32,
    /// Each lane in the ring, with its group.
    pub(super) members: BTreeMap<LaneId, u32>,
    pub(super) census: Census,
    /// By group number. A group that lost its lanes stays in line until its turn.
    pub(super) groups: Vec<Group>,
    /// By tier code.
    pub(super) tiers: [TierTurns; 3],
    pub(super) headrooms: Headrooms,
    /// Counts plans and listings, to tell what was added before them from what was added after.
    pub(super) clock: u64,
    pub(super) planned_at: u64,
}

/// The non-empty lanes of one tier, tenant and workflow.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) lanes: Vec<Member>,
    /// Whether the group is in its tenant's rotation.
    pub(super) is_listed: bool,
    /// The plan that `grant` belongs to.
    pub(super) planned_at: u64,
    /// The group's place among the grants of that plan.
    pub(super) grant: u32,
}

/// One lane in the ring.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) lane: LaneId,
    pub(super) tenant: u32,
    pub(super) job_type: u32,
    /// The job type among those of its tenant.
    pub(super) own_type: u32,
    pub(super) depth: Depth,
    pub(super) added_at: u64,
    /// Whether every job that waits in it was never claimed, as far as is known: where only first claims wait for rates,
    /// a claim found no other.
    pub(super) is_first_only: bool,
}

/// The turns of one tier.
#[derive(Debug, Default)]
pub(super) struct TierTurns {
    pub(super) tenants: Rotation,
    /// By tenant number.
    pub(super) by_tenant: Vec<TenantTurns>,
}

/// The turns of one tenant on one tier.
#[derive(Debug, Default)]
pub(super) struct TenantTurns {
    pub(super) groups: Rotation,
    /// Whether the tenant is in the tier's rotation.
    pub(super) is_listed: bool,
    /// What is left of a turn that the end of a batch cut off. Without it, a batch that is no multiple of the quantum
    /// would give the same tenants short turns each time.
    pub(super) rest: u32,
    /// The last plan that recorded these turns, to be able to undo its own.
    pub(super) recorded_at: u64,
}

impl Default for Ring {
    fn default() -> Self {
        Self::new()
    }
}

impl Ring {
    /// An empty ring.
    pub fn new() -> Self {
        Self {
            quantum: 1,
            members: BTreeMap::new(),
            census: Census::default(),
            groups: Vec::new(),
            tiers: Default::default(),
            headrooms: Headrooms::default(),
            clock: 0,
            planned_at: 0,
        }
    }

    /// How many jobs a tenant gets per turn, at least one; one is the start. With more, a batch comes from fewer
    /// lanes, which is cheaper to take, and shares differ by up to so many jobs. See [`quantum`](super::rotation()).
    pub fn set_quantum(&mut self, quantum: u32) {
        self.quantum = quantum.max(1);
    }

    /// Says that the non-empty lanes are about to be read, and answers the number to pass to [`rebuild`](Self::rebuild)
    /// afterwards: lanes added from now on are kept by it, because what is read may not show them. Several readings may
    /// be under way at once.
    pub fn begin_listing(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// Makes these the non-empty lanes, as they were read since `begun_at`. Tenants and workflows that are still there
    /// keep their turns; new ones come last, in the order given. What was known of depths is forgotten.
    pub fn rebuild(&mut self, lanes: &Lanes, nonempty: &[LaneId], begun_at: u64) -> Result<(), UnknownLane> {
        for &lane in nonempty {
            lanes.index(lane)?;
        }
        for group in &mut self.groups {
            group.lanes.retain(|member| {
                let is_kept = member.added_at >= begun_at;
                if !is_kept {
                    self.members.remove(&member.lane);
                    self.census.remove(member.tenant, member.job_type);
                }
                is_kept
            });
        }
        for &lane in nonempty {
            self.add(lanes, lane)?;
        }
        self.drop_empty();
        Ok(())
    }

    /// The same for the lanes with these numbers only, `nonempty` in ascending order: all parts together leave the ring
    /// with the lanes that one listing would. Answers which lanes are new in the ring.
    pub fn rebuild_part(
        &mut self,
        lanes: &Lanes,
        part: RangeInclusive<LaneId>,
        nonempty: &[LaneId],
        begun_at: u64,
    ) -> Result<Vec<LaneId>, UnknownLane> {
        for &lane in nonempty {
            lanes.index(lane)?;
        }
        let is_gone = |lane: &LaneId| nonempty.binary_search(lane).is_err();
        let gone: Vec<LaneId> = if part.is_empty() {
            Vec::new()
        } else {
            self.members.range(part).map(|(&lane, _)| lane).filter(is_gone).collect()
        };
        for lane in gone {
            if self.member(lane).is_some_and(|member| member.added_at < begun_at) {
                self.remove(lane);
            }
        }
        let mut new = Vec::new();
        for &lane in nonempty {
            if let Some(member) = self.member(lane) {
                member.depth = Depth::at_least(1);
                member.is_first_only = false;
            } else {
                self.add(lanes, lane)?;
                new.push(lane);
            }
        }
        Ok(new)
    }

    /// Whether the lane is in the ring.
    pub fn contains(&self, lane: LaneId) -> bool {
        self.members.contains_key(&lane)
    }

    /// Adds a lane, as a job was put into it. A lane that is in the ring keeps its turn and is no longer known to
    /// end; if a claim is under way, it stays in the ring even if that claim finds it empty.
    pub fn add(&mut self, lanes: &Lanes, lane: LaneId) -> Result<(), UnknownLane> {
        let known = lanes.lane(lanes.index(lane)?);
        if self.groups.len() < lanes.group_count() {
            self.groups.resize_with(lanes.group_count(), Group::default);
        }
        let group = &mut self.groups[known.group as usize];
        if self.members.insert(lane, known.group).is_some() {
            for member in group.lanes.iter_mut().filter(|member| member.lane == lane) {
                member.added_at = self.clock;
                member.depth.at_most = None;
                member.is_first_only = false;
            }
            return Ok(());
        }
        let depth = Depth::at_least(1);
        let (tenant, job_type) = (known.tenant, known.job_type);
        group.lanes.push(Member {
            lane,
            tenant,
            job_type,
            own_type: known.own_type,
            depth,
            added_at: self.clock,
            is_first_only: false,
        });
        self.census.add(tenant, job_type);
        let is_group_listed = std::mem::replace(&mut group.is_listed, true);
        let tier = &mut self.tiers[known.key.tier as usize];
        let tenant = known.tenant as usize;
        if tier.by_tenant.len() <= tenant {
            tier.by_tenant.resize_with(tenant + 1, TenantTurns::default);
        }
        let turns = &mut tier.by_tenant[tenant];
        if !is_group_listed {
            turns.groups.push(known.group);
        }
        if !std::mem::replace(&mut turns.is_listed, true) {
            tier.tenants.push(known.tenant);
        }
        Ok(())
    }

    /// Removes a lane. Does nothing where it is not in the ring.
    pub fn remove(&mut self, lane: LaneId) {
        if let Some(group) = self.members.remove(&lane) {
            let lanes = &mut self.groups[group as usize].lanes;
            if let Some(place) = lanes.iter().position(|member| member.lane == lane) {
                let member = lanes.remove(place);
                self.census.remove(member.tenant, member.job_type);
            }
        }
    }

    /// Whether any lane passes the tenant and the job types of a filter, whatever is running.
    pub fn may_serve(&self, lanes: &Lanes, filter: &Filter) -> bool {
        let job_types = filter.job_types.as_ref().map(IntoIterator::into_iter);
        self.holds(lanes, filter.tenant.as_ref(), job_types)
    }

    /// Whether any lane is of this tenant and of one of these job types; `None` is any. Costs a look for each type,
    /// however many lanes there are.
    pub fn holds<'a>(
        &self,
        lanes: &Lanes,
        tenant: Option<&TenantName>,
        job_types: Option<impl IntoIterator<Item = &'a JobType>>,
    ) -> bool {
        let tenant = match tenant.map(|tenant| lanes.tenants().find(tenant)) {
            Some(None) => return false,
            Some(number) => number,
            None => None,
        };
        match job_types {
            Some(asked) => asked
                .into_iter()
                .filter_map(|job_type| lanes.job_types().find(job_type))
                .any(|job_type| self.census.has(tenant, Some(job_type))),
            None => self.census.has(tenant, None),
        }
    }

    /// Whether no lane is in the ring.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// How many lanes are in the ring.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Says how many jobs wait in a lane. Does nothing where it is not in the ring. [`add`](Self::add) and
    /// [`record_claimed`](Self::record_claimed) keep the depth right from then on. A depth that is too high, because
    /// others took or cancelled jobs, breaks no limit; it may let a lower tier go ahead by so many jobs. A lane in
    /// which none waits leaves the ring.
    pub fn record_depth(&mut self, lane: LaneId, depth: Depth) {
        if depth.at_most == Some(0) {
            self.remove(lane);
        } else if let Some(member) = self.member(lane) {
            member.depth = depth;
        }
    }

    /// Says what a grant of the last plan gave: the lane of each claimed job, and how many of these were claimed for the
    /// first time, where the grant bounds that. When it came short, its lanes are empty and leave the ring, except those
    /// added since the plan; one that gave as many jobs as it may is not known to be empty. Returns whether it came short.
    pub fn record_claimed(&mut self, grant: &Grant, claimed: &[LaneId], firsts: u32) -> bool {
        let is_short = claimed.len() < grant.take as usize;
        let are_firsts_left = grant.firsts.is_some_and(|most| firsts >= most);
        for (place, &lane) in grant.lanes.iter().enumerate() {
            let planned_at = self.planned_at;
            let Some(member) = self.member(lane) else { continue };
            let count = claimed.iter().filter(|&&from| from == lane).count() as u32;
            member.depth = member.depth.less(count);
            let is_new = member.added_at >= planned_at;
            let is_capped = grant.caps.get(place).is_some_and(|&cap| count >= cap);
            if is_short && is_new {
                member.depth = Depth::UNKNOWN;
            } else if is_short && are_firsts_left {
                member.is_first_only = true;
            } else if (is_short && !is_capped) || member.depth.at_most == Some(0) {
                self.remove(lane);
            }
        }
        is_short
    }

    /// Starts a plan and returns its number, which is never zero.
    pub(super) fn begin_plan(&mut self) -> u64 {
        self.clock += 1;
        self.planned_at = self.clock;
        self.headrooms.begin(self.planned_at);
        self.planned_at
    }

    fn member(&mut self, lane: LaneId) -> Option<&mut Member> {
        let group = *self.members.get(&lane)?;
        self.groups[group as usize].lanes.iter_mut().find(|member| member.lane == lane)
    }

    /// Takes groups and tenants without lanes out of their lines, so that a plan does not meet them.
    pub(super) fn drop_empty(&mut self) {
        let groups = &mut self.groups;
        for tier in &mut self.tiers {
            let by_tenant = &mut tier.by_tenant;
            tier.tenants.retain(|tenant| {
                let turns = &mut by_tenant[tenant as usize];
                turns.groups.retain(|number| {
                    let group = &mut groups[number as usize];
                    group.is_listed = !group.lanes.is_empty();
                    group.is_listed
                });
                turns.is_listed = !turns.groups.is_empty();
                if !turns.is_listed {
                    turns.rest = 0;
                }
                turns.is_listed
            });
        }
    }
}

/// Up to `take` jobs, in order of position over all these lanes (one tier, tenant, workflow and rate key).
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Grant {
    /// The lanes, differing in job type only.
    pub lanes: Vec<LaneId>,
    /// How many jobs at most; at least one.
    pub take: u32,
    /// For each of the lanes how many jobs at most; empty where limits and rates of job types keep none back.
    pub caps: Vec<u32>,
    /// How many of the jobs at most may be such as were never claimed; `None` where no rate keeps those back.
    pub firsts: Option<u32>,
}
