//! The claim under rates and limits of job types, over random worlds: nobody gets more starts than there is room for,
//! and nothing that may be started is left while the batch is not full.

use std::collections::{BTreeMap, BTreeSet};

use domain::claim::{Counted, Filter, LimitTable, Plan, Planned, RateTable, StartRooms, plan_counted};
use domain::limits::{LimitOverride, LimitScope};
use domain::rate::{KeyRate, KeyRates, Rate, RateOverride, RateScope, RateSubject};
use proptest::prelude::*;

use crate::claim_model::{
    Claimed, Hints, Place, QUEUE, UNLIMITED, World, job_type, rate_key, tenant, workflow,
};
use crate::claim_properties::{filter, place};

/// A table in which everything that has room in `rooms` has a rate, and in which one type and all keys may have a limit.
fn table(rooms: &BTreeMap<RateSubject, u32>, of_type: Option<u32>, firsts_only: bool) -> LimitTable {
    let rate = Rate::parse("1/1h").expect("it is one");
    let overrides: Vec<RateOverride> = rooms
        .keys()
        .filter_map(|subject| {
            let scope = match subject.clone() {
                RateSubject::Global => RateScope::Global,
                RateSubject::Tenant(tenant) => RateScope::Tenant(tenant),
                RateSubject::Workflow(workflow) => RateScope::Workflow(workflow),
                RateSubject::JobType(job_type) => RateScope::JobType(job_type),
                RateSubject::TenantJobType(tenant, job_type) => RateScope::TenantJobType(tenant, job_type),
                RateSubject::Key(..) => return None,
            };
            Some(RateOverride { queue: QUEUE, scope, rate })
        })
        .collect();
    let keys = rooms.keys().filter_map(|subject| {
        let RateSubject::Key(tenant, key) = subject.clone() else { return None };
        Some(KeyRate { tenant, pattern: key.to_string(), rate, max_concurrent: of_type })
    });
    let keys = KeyRates::resolve(&keys.collect::<Vec<_>>());
    let limit = of_type.filter(|_| !firsts_only).map(|limit| LimitOverride {
        queue: QUEUE,
        scope: LimitScope::JobType(job_type(0)),
        max_concurrent: Some(limit),
    });
    let limits: Vec<_> = limit.into_iter().collect();
    let rates = RateTable::resolve(&overrides, &[], firsts_only).with_keys(keys);
    LimitTable::resolve(UNLIMITED, &limits, &[]).with_rates(rates)
}

/// A place with a rate key, or without one.
fn keyed_place() -> impl Strategy<Value = Place> {
    (place(), 0..3_u8).prop_map(|(place, rate_key)| Place { rate_key, ..place })
}

fn rooms() -> impl Strategy<Value = BTreeMap<RateSubject, u32>> {
    let subject = prop_oneof![
        1 => Just(RateSubject::Global),
        2 => (0..4_u16).prop_map(|number| RateSubject::Tenant(tenant(number))),
        2 => (1..3_u16).prop_map(|number| RateSubject::Workflow(workflow(0, number).expect("not none"))),
        2 => (0..2_u8).prop_map(|number| RateSubject::JobType(job_type(number))),
        2 => (0..4_u16, 0..2_u8).prop_map(|(of, number)| {
            RateSubject::TenantJobType(tenant(of), job_type(number))
        }),
        3 => (0..4_u16, 1..3_u8).prop_map(|(of, number)| {
            RateSubject::Key(tenant(of), rate_key(number).expect("not none"))
        }),
    ];
    prop::collection::btree_map(subject, 0..8_u32, 1..6)
}

struct Rated {
    world: World,
    rooms: BTreeMap<RateSubject, u32>,
    /// Jobs that were claimed before.
    resumed: BTreeSet<u64>,
    firsts_only: bool,
}

impl Rated {
    fn subjects(&self, job: Place) -> Vec<RateSubject> {
        let subjects = self.world.limits.rates.subjects(&job.key());
        subjects.into_iter().map(|(subject, _)| subject).collect()
    }

    fn counts(&self, position: u64) -> bool {
        !(self.firsts_only && self.resumed.contains(&position))
    }

    fn plan(&mut self, filter: &Filter, left: u32) -> Plan {
        let mut starts = StartRooms::counting();
        for _ in 0..50 {
            let world = &mut self.world;
            let counted = Counted { running: &world.running, limits: &world.limits, starts: &starts };
            match plan_counted(&mut world.ring, &world.lanes, &counted, filter, left, false) {
                Planned::Plan(plan) => return plan,
                Planned::Limited => panic!("counts are exact"),
                Planned::Unknown(subjects) => {
                    assert!(!subjects.is_empty());
                    for subject in subjects {
                        let room = self.rooms[&subject];
                        assert_eq!(starts.get(&subject), None, "{subject:?} was asked for twice");
                        starts.set(subject, room);
                    }
                }
            }
        }
        panic!("the plan asks without end");
    }

    /// What the store takes for a plan. Answers whether a grant came short.
    fn take(&mut self, plan: &Plan, batch: &mut Vec<Claimed>) -> bool {
        let mut is_short = false;
        for grant in &plan.grants {
            let (mut left, mut firsts_left) = (grant.take, grant.firsts.unwrap_or(u32::MAX));
            let mut caps: Vec<u32> = grant.caps.clone();
            caps.resize(grant.lanes.len(), u32::MAX);
            let (mut gave, mut firsts) = (Vec::new(), 0);
            let waiting: Vec<(u64, Place)> =
                self.world.waiting.iter().map(|(&position, &place)| (position, place)).collect();
            for (position, place) in waiting {
                let lane = self.world.lane(place);
                let Some(index) = grant.lanes.iter().position(|&granted| granted == lane) else { continue };
                let is_first = self.firsts_only && self.counts(position);
                if left == 0 || caps[index] == 0 || (is_first && firsts_left == 0) {
                    continue;
                }
                left -= 1;
                caps[index] = caps[index].saturating_sub(1);
                if is_first {
                    firsts_left -= 1;
                    firsts += 1;
                }
                if self.counts(position) {
                    for subject in self.subjects(place) {
                        let room = self.rooms.get_mut(&subject).expect("it has a rate");
                        assert!(*room > 0, "{subject:?} has no room for {place:?}");
                        *room -= 1;
                    }
                }
                self.world.waiting.remove(&position);
                self.world.leased.insert(position, place);
                self.world.running.add(&self.world.lanes, lane, 1).expect("the lane is known");
                gave.push(lane);
                batch.push(Claimed { position, place });
            }
            is_short |= self.world.ring.record_claimed(grant, &gave, firsts);
        }
        is_short
    }

    fn claim(&mut self, filter: &Filter, want: u32) -> Vec<Claimed> {
        let mut batch = Vec::new();
        for trip in 0.. {
            assert!(trip < 200, "the claim does not end");
            let plan = self.plan(filter, want - batch.len() as u32);
            if plan.grants.is_empty() {
                break;
            }
            let is_short = self.take(&plan, &mut batch);
            if batch.len() as u32 == want || !(is_short || plan.has_more) {
                break;
            }
        }
        batch
    }

    fn may_start(&self, position: u64, job: Place, filter: &Filter) -> bool {
        let of_type = self.world.limits.job_type(&job_type(job.job_type));
        let running = self.world.leased.values().filter(|other| other.job_type == job.job_type).count();
        let of_key = rate_key(job.rate_key).and_then(|key| {
            let key_limit = self.world.limits.rates.key_limit(&tenant(job.tenant), &key)?;
            Some(key_limit as usize)
        });
        let is_alike = |other: &&Place| (other.tenant, other.rate_key) == (job.tenant, job.rate_key);
        let with_key = self.world.leased.values().filter(is_alike).count();
        crate::claim_model::passes(job, filter)
            && of_type.is_none_or(|limit| running < limit as usize)
            && of_key.is_none_or(|limit| with_key < limit)
            && (!self.counts(position) || self.subjects(job).iter().all(|subject| self.rooms[subject] > 0))
    }
}

#[derive(Debug, Clone)]
enum Step {
    Claim(Filter, u32),
    /// A job comes, claimed before or not.
    Enqueue(Place, bool),
    /// Time passes: this subject has so much more room.
    Refill(prop::sample::Index, u32),
    Complete(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (filter(), 1..12_u32).prop_map(|(filter, want)| Step::Claim(filter, want)),
        3 => (keyed_place(), any::<bool>()).prop_map(|(place, resumed)| Step::Enqueue(place, resumed)),
        2 => (any::<prop::sample::Index>(), 1..5_u32).prop_map(|(which, more)| Step::Refill(which, more)),
        1 => any::<prop::sample::Index>().prop_map(Step::Complete),
    ]
}

proptest! {
    #[test]
    fn i03_rates_are_kept_and_used(
        rooms in rooms(), of_type in prop::option::of(0..4_u32), firsts_only: bool,
        jobs in prop::collection::vec((keyed_place(), any::<bool>()), 0..40),
        steps in prop::collection::vec(step(), 1..25), quantum in 1..4_u32,
    ) {
        let mut rated = Rated {
            world: World::new(table(&rooms, of_type, firsts_only), Hints::Listed),
            rooms,
            resumed: BTreeSet::new(),
            firsts_only,
        };
        rated.world.ring.set_quantum(quantum);
        let begin = jobs.into_iter().map(|(place, resumed)| Step::Enqueue(place, resumed));
        for step in begin.chain(steps) {
            match step {
                Step::Enqueue(place, resumed) => {
                    rated.world.enqueue(place);
                    if resumed {
                        let newest = rated.world.waiting.keys().next_back().copied();
                        rated.resumed.extend(newest);
                    }
                }
                Step::Refill(which, more) => {
                    let subjects: Vec<_> = rated.rooms.keys().cloned().collect();
                    *rated.rooms.get_mut(which.get(&subjects)).expect("it is one of them") += more;
                }
                Step::Complete(which) => {
                    let leased: Vec<u64> = rated.world.leased.keys().copied().collect();
                    if !leased.is_empty() {
                        rated.world.complete(*which.get(&leased));
                    }
                }
                Step::Claim(filter, want) => {
                    let claimed = rated.claim(&filter, want);
                    if claimed.len() < want as usize {
                        let left: Vec<_> = rated
                            .world
                            .waiting
                            .iter()
                            .filter(|(position, place)| rated.may_start(**position, **place, &filter))
                            .collect();
                        prop_assert!(left.is_empty(), "left: {left:?} with room {:?}", rated.rooms);
                    }
                }
            }
        }
    }
}
