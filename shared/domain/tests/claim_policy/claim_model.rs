//! A small world for the tests of the claim: jobs in memory, the store's loop around `plan`, and a naive reference
//! that serves one job at a time.

use std::collections::{BTreeMap, BTreeSet};

use domain::claim::{
    Depth, Filter, Lanes, LimitTable, Plan, Ring, Running, compact, plan, plan_unless_limited,
};
use domain::limits::{LimitOverride, LimitScope, QueueLimits};
use domain::names::{CallerKey, JobType, TenantName, WorkflowName};
use domain::queue::{LaneId, LaneKey, QueueName, Tier, WorkflowRef};

pub(crate) const QUEUE: QueueName = QueueName::Execution;

/// A job is its position; this is where it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) tier: u8,
    pub(crate) tenant: u16,
    /// 0 is none, 1 and 2 are shared definitions, others are owned by the tenant.
    pub(crate) workflow: u16,
    pub(crate) job_type: u8,
    /// 0 is none.
    pub(crate) rate_key: u8,
}

/// The lanes of one tier, tenant, workflow and rate key.
pub(crate) type Line = (u8, u16, u16, u8);

impl Place {
    pub(crate) fn line(self) -> Line {
        (self.tier, self.tenant, self.workflow, self.rate_key)
    }

    pub(crate) fn key(self) -> LaneKey {
        LaneKey {
            queue: QUEUE,
            tier: Tier::ALL[usize::from(self.tier)],
            tenant: tenant(self.tenant),
            workflow: workflow(self.tenant, self.workflow),
            job_type: job_type(self.job_type),
            rate_key: rate_key(self.rate_key),
        }
    }
}

pub(crate) fn at(tier: u8, tenant: u16, workflow: u16, job_type: u8) -> Place {
    Place { tier, tenant, workflow, job_type, rate_key: 0 }
}

pub(crate) fn tenant(number: u16) -> TenantName {
    TenantName::trusted(format!("t{number}"))
}

pub(crate) fn job_type(number: u8) -> JobType {
    JobType::trusted(format!("j{number}"))
}

pub(crate) fn rate_key(number: u8) -> Option<CallerKey> {
    (number > 0).then(|| CallerKey::trusted(format!("k{number}")))
}

pub(crate) fn workflow(owner: u16, number: u16) -> Option<WorkflowRef> {
    let owner = if number > 2 { Some(tenant(owner)) } else { None };
    (number > 0).then(|| WorkflowRef { owner, name: WorkflowName::trusted(format!("w{number}")) })
}

/// What is recorded in the ring about depths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hints {
    /// Nothing but that the lane was listed.
    Listed,
    /// Nothing at all.
    Unknown,
    /// The true number.
    Exact,
    /// Sometimes this, sometimes that, always true.
    Mixed,
}

/// A claimed job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Claimed {
    pub(crate) position: u64,
    pub(crate) place: Place,
}

pub(crate) struct World {
    pub(crate) lanes: Lanes,
    pub(crate) ring: Ring,
    pub(crate) running: Running,
    pub(crate) limits: LimitTable,
    pub(crate) hints: Hints,
    pub(crate) waiting: BTreeMap<u64, Place>,
    pub(crate) leased: BTreeMap<u64, Place>,
    places: BTreeMap<LaneId, Place>,
    position: u64,
    /// How many plans of the last claim went to the store.
    pub(crate) trips: u32,
    /// Whether claims first try counts that are too high by so much, and count only where these cut the plan.
    pub(crate) remembered: Option<u32>,
    /// Whether lanes that are not used are forgotten after each listing.
    pub(crate) forgets: bool,
    /// How often lanes were forgotten.
    pub(crate) forgot: u32,
}

impl World {
    pub(crate) fn new(limits: LimitTable, hints: Hints) -> Self {
        Self {
            lanes: Lanes::new(),
            ring: Ring::new(),
            running: Running::default(),
            limits,
            hints,
            waiting: BTreeMap::new(),
            leased: BTreeMap::new(),
            places: BTreeMap::new(),
            position: 0,
            trips: 0,
            remembered: None,
            forgets: false,
            forgot: 0,
        }
    }

    pub(crate) fn lane(&mut self, place: Place) -> LaneId {
        let key = place.key();
        if let Some(lane) = self.lanes.find(&key) {
            return lane;
        }
        // One that was forgotten keeps its number, which is in the database.
        let known = self.places.iter().find(|(_, known)| **known == place).map(|(&lane, _)| lane);
        let lane = known.unwrap_or(LaneId(self.places.len() as i32 + 1));
        self.lanes.insert(lane, key);
        self.places.insert(lane, place);
        lane
    }

    /// All lanes that ever had a job.
    pub(crate) fn places(&self) -> impl Iterator<Item = (&LaneId, &Place)> {
        self.places.iter()
    }

    /// Lists so many numbers at a time.
    pub(crate) fn list_in_parts(&mut self, size: i32) {
        let found: BTreeSet<_> = self.waiting.values().copied().collect();
        let mut found: Vec<_> = found.into_iter().map(|place| self.lane(place)).collect();
        found.sort_unstable();
        let begun_at = self.ring.begin_listing();
        for first in (0..=self.places.len() as i32).step_by(size as usize) {
            let part = LaneId(first)..=LaneId(first + size - 1);
            let of_part: Vec<_> = found.iter().copied().filter(|lane| part.contains(lane)).collect();
            let rebuilt = self.ring.rebuild_part(&self.lanes, part, &of_part, begun_at);
            rebuilt.expect("the lanes are known");
        }
    }

    /// Forgets the lanes that are not in the ring, and counts again, as the store does.
    fn forget_lanes(&mut self) {
        for _ in 0..3 {
            self.forgot += u32::from(compact(&mut self.lanes, &mut self.ring, 0).is_some());
        }
        let held: Vec<_> = self.leased.values().copied().collect();
        let held: Vec<_> = held.into_iter().map(|place| (self.lane(place), 1)).collect();
        self.running = Running::count(&self.lanes, &held).expect("the lanes are known");
    }

    /// Inserts a job without telling the ring.
    pub(crate) fn insert(&mut self, place: Place) -> LaneId {
        self.position += 1;
        self.waiting.insert(self.position, place);
        self.lane(place)
    }

    /// Inserts a job and wakes.
    pub(crate) fn enqueue(&mut self, place: Place) {
        let lane = self.insert(place);
        self.ring.add(&self.lanes, lane).expect("the lane is known");
    }

    pub(crate) fn list(&mut self) {
        let found: BTreeSet<_> = self.waiting.values().copied().collect();
        let found: Vec<_> = found.into_iter().map(|place| self.lane(place)).collect();
        let begun_at = self.ring.begin_listing();
        self.ring.rebuild(&self.lanes, &found, begun_at).expect("the lanes are known");
        self.record_depths();
        if self.forgets {
            self.forget_lanes();
        }
    }

    pub(crate) fn record_depths(&mut self) {
        let mut depths = BTreeMap::<Place, u32>::new();
        for &place in self.waiting.values() {
            *depths.entry(place).or_default() += 1;
        }
        for (number, (place, depth)) in depths.into_iter().enumerate() {
            let depth = match (self.hints, number % 4) {
                (Hints::Listed, _) | (Hints::Mixed, 0) => continue,
                (Hints::Unknown, _) | (Hints::Mixed, 1) => Depth::UNKNOWN,
                (Hints::Exact, _) | (Hints::Mixed, 2) => Depth::exactly(depth),
                (Hints::Mixed, _) => Depth { at_least: depth / 2, at_most: Some(depth + 1) },
            };
            let lane = self.lane(place);
            self.ring.record_depth(lane, depth);
        }
    }

    pub(crate) fn complete(&mut self, position: u64) {
        if let Some(place) = self.leased.remove(&position) {
            let lane = self.lane(place);
            self.running.subtract(&self.lanes, lane, 1).expect("the lane is known");
        }
    }

    /// The store's loop.
    pub(crate) fn claim(&mut self, filter: &Filter, want: u32) -> Vec<Claimed> {
        let mut batch = Vec::new();
        self.trips = 0;
        loop {
            let left = want - batch.len() as u32;
            let plan = self.plan(filter, left);
            assert!(plan.grants.iter().map(|grant| grant.take).sum::<u32>() <= left, "more than was wanted");
            if plan.grants.is_empty() {
                assert!(!plan.has_more, "a plan without grants leaves nothing out");
                break;
            }
            self.trips += 1;
            assert!(self.trips < 1_000, "the claim does not end");
            let is_short = self.take(&plan, &mut batch);
            if batch.len() as u32 == want || !(is_short || plan.has_more) {
                break;
            }
        }
        batch
    }

    fn plan(&mut self, filter: &Filter, left: u32) -> Plan {
        if let Some(surplus) = self.remembered {
            let mut running = self.running.clone();
            for &lane in self.places.keys() {
                running.add(&self.lanes, lane, surplus).expect("the lane is known");
            }
            if let Some(plan) =
                plan_unless_limited(&mut self.ring, &self.lanes, &running, &self.limits, filter, left)
            {
                return plan;
            }
        }
        plan(&mut self.ring, &self.lanes, &self.running, &self.limits, filter, left)
    }

    fn take(&mut self, plan: &Plan, batch: &mut Vec<Claimed>) -> bool {
        let mut is_short = false;
        let mut by_grant = Vec::new();
        for grant in &plan.grants {
            let places: Vec<_> = grant.lanes.iter().map(|lane| self.places[lane]).collect();
            let found = self.waiting.iter().filter(|(_, place)| places.contains(place));
            let found: Vec<_> = found
                .take(grant.take as usize)
                .map(|(&position, &place)| Claimed { position, place })
                .collect();
            let mut gave = Vec::new();
            for job in &found {
                self.waiting.remove(&job.position);
                self.leased.insert(job.position, job.place);
                let lane = self.lane(job.place);
                self.running.add(&self.lanes, lane, 1).expect("the lane is known");
                gave.push(lane);
            }
            is_short |= self.ring.record_claimed(grant, &gave, 0);
            by_grant.push(found);
        }
        batch.extend(plan.arrange(by_grant));
        is_short
    }

    /// Whether a job may be leased now, beside those in `leased`.
    pub(crate) fn admits<'a>(
        &self,
        job: Place,
        filter: &Filter,
        leased: impl Iterator<Item = &'a Place> + Clone,
    ) -> bool {
        let reference = workflow(job.tenant, job.workflow);
        let fits = |limit: Option<u32>, count: usize| limit.is_none_or(|limit| count < limit as usize);
        passes(job, filter)
            && fits(self.limits.global, leased.clone().count())
            && fits(
                self.limits.tenant(&tenant(job.tenant)),
                leased.clone().filter(|other| other.tenant == job.tenant).count(),
            )
            && reference.as_ref().is_none_or(|reference| {
                let held =
                    leased.filter(|other| workflow(other.tenant, other.workflow).as_ref() == Some(reference));
                fits(self.limits.workflow(reference), held.count())
            })
    }
}

pub(crate) fn passes(job: Place, filter: &Filter) -> bool {
    filter.tenant.as_ref().is_none_or(|it| *it == tenant(job.tenant))
        && filter.job_types.as_ref().is_none_or(|types| types.contains(&job_type(job.job_type)))
        && workflow(job.tenant, job.workflow).is_none_or(|it| !filter.paused.contains(&it))
        && filter.withheld.types.contains(&job_type(job.job_type))
            == filter.withheld.exceptions.contains(&(tenant(job.tenant), job_type(job.job_type)))
}

/// The reference: the order of turns as plain lists, one job at a time.
#[derive(Debug, Default)]
pub(crate) struct Reference {
    tenants: [Vec<u16>; 3],
    lines: Vec<Line>,
}

impl Reference {
    /// Starts with the turns in the order of the lanes.
    pub(crate) fn new(world: &World) -> Self {
        let mut reference = Self::default();
        for place in world.waiting.values().copied().collect::<BTreeSet<_>>() {
            let tenants = &mut reference.tenants[usize::from(place.tier)];
            if !tenants.contains(&place.tenant) {
                tenants.push(place.tenant);
            }
            if !reference.lines.contains(&place.line()) {
                reference.lines.push(place.line());
            }
        }
        reference
    }

    /// Serves up to `want` jobs from what waits in `world`, which stays as it is.
    pub(crate) fn claim(&mut self, world: &World, filter: &Filter, want: u32) -> Vec<Claimed> {
        let mut waiting = world.waiting.clone();
        let mut leased: Vec<_> = world.leased.values().copied().collect();
        let mut served = Vec::new();
        while served.len() < want as usize {
            let Some((position, place)) = self.next(world, filter, &waiting, &leased) else {
                break;
            };
            waiting.remove(&position);
            leased.push(place);
            served.push(Claimed { position, place });
            self.lines.retain(|line| *line != place.line());
            self.lines.push(place.line());
            if filter.tenant.is_none() {
                let tenants = &mut self.tenants[usize::from(place.tier)];
                tenants.retain(|tenant| *tenant != place.tenant);
                tenants.push(place.tenant);
            }
        }
        served
    }

    fn next(
        &self,
        world: &World,
        filter: &Filter,
        waiting: &BTreeMap<u64, Place>,
        leased: &[Place],
    ) -> Option<(u64, Place)> {
        for (tier, tenants) in self.tenants.iter().enumerate() {
            for &tenant in tenants {
                for line in self.lines.iter().filter(|line| usize::from(line.0) == tier && line.1 == tenant) {
                    let mut jobs = waiting.iter().filter(|(_, job)| job.line() == *line);
                    if let Some((&position, &job)) =
                        jobs.find(|(_, job)| world.admits(**job, filter, leased.iter()))
                    {
                        return Some((position, job));
                    }
                }
            }
        }
        None
    }
}

/// A limit table from plain numbers: the three defaults, a limit for tenant 0 and one for workflow 1.
pub(crate) fn limits(defaults: QueueLimits, tenant_0: Option<u32>, workflow_1: Option<u32>) -> LimitTable {
    let set =
        |scope, max_concurrent| LimitOverride { queue: QUEUE, scope, max_concurrent: Some(max_concurrent) };
    let of_tenant = tenant_0.map(|limit| set(LimitScope::Tenant(tenant(0)), limit));
    let of_workflow = workflow_1.and_then(|limit| Some(set(LimitScope::Workflow(workflow(0, 1)?), limit)));
    let overrides: Vec<_> = of_tenant.into_iter().chain(of_workflow).collect();
    LimitTable::resolve(defaults, &overrides, &[])
}

pub(crate) const UNLIMITED: QueueLimits = QueueLimits { global: None, tenant: None, workflow: None };
