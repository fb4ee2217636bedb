//! The claim against a naive reference, over random worlds: limits, tiers, order within a lane, turns, and that no
//! admissible job is left while the batch is not full.

use std::collections::BTreeSet;

use crate::claim_model::{
    Claimed, Hints, Place, Reference, UNLIMITED, World, at, job_type, limits, passes, tenant, workflow,
};
use domain::build::Withheld;
use domain::claim::{Filter, LimitTable};
use domain::limits::QueueLimits;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Step {
    Claim {
        filter: Filter,
        want: u32,
    },
    /// Ends one of the leased jobs.
    Complete(prop::sample::Index),
    Enqueue(Place),
    /// A job comes that is not recorded in the ring, and then a listing.
    List(Place),
}

#[derive(Debug, Clone)]
struct Scenario {
    hints: Hints,
    quantum: u32,
    limits: LimitTable,
    jobs: Vec<Place>,
    steps: Vec<Step>,
}

pub(crate) fn place() -> impl Strategy<Value = Place> {
    (0..3_u8, 0..4_u16, 0..4_u16, 0..2_u8).prop_map(|(tier, tenant, workflow, job_type)| Place {
        tier,
        tenant,
        workflow,
        job_type,
        rate_key: 0,
    })
}

fn limit(max: u32) -> impl Strategy<Value = Option<u32>> {
    prop::option::of(0..=max)
}

pub(crate) fn table() -> impl Strategy<Value = LimitTable> {
    (limit(15), limit(6), limit(4), limit(8), limit(6)).prop_map(
        |(global, tenant, workflow, tenant_0, workflow_1)| {
            limits(QueueLimits { global, tenant, workflow }, tenant_0, workflow_1)
        },
    )
}

pub(crate) fn filter() -> impl Strategy<Value = Filter> {
    let any = Just(Filter::default());
    let some = (
        prop::option::of(0..4_u16),
        prop::option::of(0..2_u8),
        prop::option::of(1..4_u16),
        prop::option::of(0..2_u8),
        prop::option::of((0..4_u16, 0..2_u8)),
    )
        .prop_map(|(of_tenant, of_type, paused, withheld, exception)| Filter {
            tenant: of_tenant.map(tenant),
            job_types: of_type.map(|number| BTreeSet::from([job_type(number)])),
            paused: paused.and_then(|number| workflow(0, number)).into_iter().collect(),
            withheld: Withheld {
                types: withheld.map(job_type).into_iter().collect(),
                exceptions: exception
                    .map(|(of, number)| (tenant(of), job_type(number)))
                    .into_iter()
                    .collect(),
            },
        });
    prop_oneof![2 => any, 1 => some]
}

fn claim_step() -> impl Strategy<Value = Step> {
    (filter(), 1..20_u32).prop_map(|(filter, want)| Step::Claim { filter, want })
}

fn complete_step() -> impl Strategy<Value = Step> {
    any::<prop::sample::Index>().prop_map(Step::Complete)
}

fn hints() -> impl Strategy<Value = Hints> {
    prop::sample::select(vec![Hints::Listed, Hints::Unknown, Hints::Exact, Hints::Mixed])
}

fn scenario() -> impl Strategy<Value = Scenario> {
    let step = prop_oneof![
        4 => claim_step(),
        4 => complete_step(),
        2 => place().prop_map(Step::Enqueue),
        1 => place().prop_map(Step::List),
    ];
    let jobs = prop::collection::vec(place(), 0..60);
    let steps = prop::collection::vec(step, 1..25);
    (hints(), 1..4_u32, table(), jobs, steps).prop_map(|(hints, quantum, limits, jobs, steps)| Scenario {
        hints,
        quantum,
        limits,
        jobs,
        steps,
    })
}

/// Claims and completions only, everything known, one job per turn.
fn known_scenario() -> impl Strategy<Value = Scenario> {
    let steps = prop::collection::vec(prop_oneof![claim_step(), complete_step()], 1..25);
    (table(), prop::collection::vec(place(), 0..60), steps).prop_map(|(limits, jobs, steps)| Scenario {
        hints: Hints::Exact,
        quantum: 1,
        limits,
        jobs,
        steps,
    })
}

impl Scenario {
    fn world(&self) -> World {
        let mut world = World::new(self.limits.clone(), self.hints);
        world.ring.set_quantum(self.quantum);
        for &job in &self.jobs {
            world.insert(job);
        }
        world.list();
        world
    }

    /// Plays the steps; `check` sees the world after each claim, the claim, and what was claimed.
    fn simulate(
        &self,
        mut check: impl FnMut(&World, &Filter, u32, &[Claimed]) -> Result<(), TestCaseError>,
    ) -> Result<(), TestCaseError> {
        self.simulate_in(&mut self.world(), &mut check)
    }

    fn simulate_in(
        &self,
        world: &mut World,
        mut check: impl FnMut(&World, &Filter, u32, &[Claimed]) -> Result<(), TestCaseError>,
    ) -> Result<(), TestCaseError> {
        for step in &self.steps {
            match step {
                Step::Claim { filter, want } => {
                    let batch = world.claim(filter, *want);
                    check(world, filter, *want, &batch)?;
                }
                Step::Complete(index) => complete(world, *index),
                Step::Enqueue(job) => world.enqueue(*job),
                Step::List(job) => {
                    world.insert(*job);
                    world.list();
                }
            }
        }
        Ok(())
    }
}

fn complete(world: &mut World, index: prop::sample::Index) {
    if !world.leased.is_empty() {
        let position = *index.get(&world.leased.keys().copied().collect::<Vec<_>>());
        world.complete(position);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4 * ProptestConfig::default().cases, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn i03_plan_never_exceeds_limits(scenario in scenario()) {
        scenario.simulate(|world, filter, _, batch| {
            let held: Vec<_> = world.leased.values().copied().collect();
            prop_assert!(batch.iter().all(|job| passes(job.place, filter)), "outside of the filter");
            prop_assert!(world.limits.global.is_none_or(|limit| held.len() <= limit as usize), "global");
            for job in &held {
                let count = held.iter().filter(|other| other.tenant == job.tenant).count();
                let limit = world.limits.tenant(&tenant(job.tenant));
                prop_assert!(limit.is_none_or(|limit| count <= limit as usize), "tenant: {count} of {limit:?}");
                if let Some(reference) = workflow(job.tenant, job.workflow) {
                    let of = |other: &&Place| workflow(other.tenant, other.workflow).as_ref() == Some(&reference);
                    let count = held.iter().filter(of).count();
                    let limit = world.limits.workflow(&reference);
                    prop_assert!(limit.is_none_or(|limit| count <= limit as usize), "workflow: {count} of {limit:?}");
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn i04_a_lane_is_served_in_order_of_position(scenario in scenario()) {
        scenario.simulate(|world, filter, _, batch| {
            for (index, job) in batch.iter().enumerate() {
                let line = job.place.line();
                let earlier = batch[..index].iter().filter(|other| other.place.line() == line);
                prop_assert!(earlier.clone().all(|other| other.position < job.position), "handed out out of order");
                let left = world.waiting.iter().filter(|(_, place)| place.line() == line && passes(**place, filter));
                prop_assert!(left.clone().all(|(&position, _)| position > job.position), "an older job was left");
            }
            Ok(())
        })?;
    }

    #[test]
    fn i05_a_higher_tier_is_served_first(scenario in scenario()) {
        scenario.simulate(|world, filter, _, batch| {
            prop_assert!(batch.is_sorted_by_key(|job| job.place.tier), "handed out out of order");
            let lowest = batch.iter().map(|job| job.place.tier).max().unwrap_or(0);
            for tier in 0..lowest {
                // Had the claim stopped before the lower tiers, no job of this tier could have been added.
                let lower: BTreeSet<_> =
                    batch.iter().filter(|job| job.place.tier > tier).map(|job| job.position).collect();
                let held: Vec<_> =
                    world.leased.iter().filter(|(position, _)| !lower.contains(position)).map(|(_, place)| *place).collect();
                let passed = world.waiting.values().find(|job| job.tier == tier && world.admits(**job, filter, held.iter()));
                prop_assert!(passed.is_none(), "{passed:?} was passed over");
            }
            Ok(())
        })?;
    }

    #[test]
    fn no_admissible_job_is_left_while_the_batch_is_not_full(scenario in scenario()) {
        scenario.simulate(|world, filter, want, batch| {
            if batch.len() < want as usize {
                let left = world.waiting.values().find(|job| world.admits(**job, filter, world.leased.values()));
                prop_assert!(left.is_none(), "{left:?} was left");
            }
            Ok(())
        })?;
    }

    /// Counts that are too high, and a plan that is dropped where they cut it, change nothing about who is served.
    #[test]
    fn remembered_counts_change_nothing(scenario in scenario(), surplus in 0..4_u32) {
        let mut counted = Vec::new();
        scenario.simulate(|_, _, _, batch| { counted.push(batch.to_vec()); Ok(()) })?;
        let mut world = scenario.world();
        world.remembered = Some(surplus);
        let mut counted = counted.into_iter();
        scenario.simulate_in(&mut world, |_, _, _, batch| {
            let expected = counted.next();
            prop_assert_eq!(Some(batch), expected.as_deref());
            Ok(())
        })?;
    }

    /// Lanes that are forgotten and come again, with other numbers in memory, change neither turns nor limits.
    #[test]
    fn forgetting_lanes_changes_nothing(scenario in scenario()) {
        let mut kept = Vec::new();
        scenario.simulate(|_, _, _, batch| { kept.push(batch.to_vec()); Ok(()) })?;
        let mut world = scenario.world();
        world.forgets = true;
        world.list();
        let mut kept = kept.into_iter();
        scenario.simulate_in(&mut world, |_, _, _, batch| {
            let expected = kept.next();
            prop_assert_eq!(Some(batch), expected.as_deref());
            Ok(())
        })?;
    }

    /// A ring that is read a part at a time serves the same jobs as one that is read at once.
    #[test]
    fn a_listing_in_parts_finds_what_one_listing_finds(
        scenario in scenario(),
        unheard in prop::collection::vec(place(), 0..20),
        part in 1..9_i32,
    ) {
        let mut worlds = [scenario.world(), scenario.world()];
        for world in &mut worlds {
            scenario.simulate_in(world, |_, _, _, _| Ok(()))?;
            for &place in &unheard {
                world.insert(place);
            }
        }
        let [at_once, in_parts] = &mut worlds;
        at_once.list();
        in_parts.list_in_parts(part);
        prop_assert_eq!(in_parts.ring.len(), at_once.ring.len());
        let served = worlds.each_mut().map(|world| {
            world.limits = limits(UNLIMITED, None, None);
            let served = world.claim(&Filter::default(), 1_000);
            served.iter().map(|job| job.position).collect::<BTreeSet<_>>()
        });
        prop_assert_eq!(&served[0], &served[1]);
        prop_assert!(worlds.iter().all(|world| world.waiting.is_empty()), "all that waits is found");
    }

    /// A look by number says the same as a look at each lane.
    #[test]
    fn the_ring_knows_for_whom_it_has_lanes(scenario in scenario(), filter in filter()) {
        let mut world = scenario.world();
        scenario.simulate_in(&mut world, |_, _, _, _| Ok(()))?;
        let asked = Filter { paused: BTreeSet::new(), withheld: Withheld::default(), ..filter };
        let in_ring = world.places().filter(|(lane, _)| world.ring.contains(**lane));
        let has_lane = in_ring.into_iter().any(|(_, place)| passes(*place, &asked));
        prop_assert_eq!(world.ring.may_serve(&world.lanes, &asked), has_lane);
    }

    /// What is never offered to a claim is nothing that it could have taken.
    #[test]
    fn a_claim_that_may_not_be_served_takes_nothing(scenario in scenario(), filter in filter()) {
        let mut world = scenario.world();
        if !world.ring.may_serve(&world.lanes, &filter) {
            prop_assert!(world.claim(&filter, 5).is_empty());
        }
    }

    #[test]
    fn with_known_depths_one_plan_serves_exactly_as_the_reference(scenario in known_scenario()) {
        let mut world = scenario.world();
        let mut reference = Reference::new(&world);
        for step in &scenario.steps {
            match step {
                Step::Claim { filter, want } => {
                    let expected = reference.claim(&world, filter, *want);
                    prop_assert_eq!(world.claim(filter, *want), expected);
                    prop_assert!(world.trips <= 1, "{} trips", world.trips);
                }
                Step::Complete(index) => complete(&mut world, *index),
                Step::Enqueue(_) | Step::List(_) => {}
            }
        }
    }

    #[test]
    fn with_equal_backlog_shares_differ_by_at_most_a_turn(
        hints in hints(),
        quantum in 1..6_u32,
        tenants in 1..8_u16,
        workflows in 1..4_u16,
        wants in prop::collection::vec(1..12_u32, 1..8),
    ) {
        let mut world = World::new(limits(UNLIMITED, None, None), hints);
        world.ring.set_quantum(quantum);
        for _ in 0..100 {
            for tenant in 0..tenants {
                for workflow in 0..workflows {
                    world.insert(Place { tier: 1, tenant, workflow, job_type: 0, rate_key: 0 });
                }
            }
        }
        world.list();
        for want in wants {
            prop_assert_eq!(world.claim(&Filter::default(), want).len(), want as usize);
            let of_tenant = |tenant| world.leased.values().filter(move |job| job.tenant == tenant);
            let shares = (0..tenants).map(|tenant| of_tenant(tenant).count() as u32);
            prop_assert!(shares.clone().max().unwrap_or(0) - shares.min().unwrap_or(0) <= quantum);
            for tenant in 0..tenants {
                let shares = (0..workflows).map(|workflow| of_tenant(tenant).filter(|job| job.workflow == workflow).count() as u32);
                prop_assert!(shares.clone().max().unwrap_or(0) - shares.min().unwrap_or(0) <= quantum);
            }
        }
    }
}

/// Found by `remembered_counts_change_nothing`: the first plan takes the only job and comes short; the next one has no
/// room by the remembered counts. The tenant that has no lane any more must lose its turn in both worlds, else it is
/// served before a tenant whose job came earlier.
#[test]
fn a_plan_without_room_leaves_no_turn_to_a_tenant_without_lanes() {
    let limits = limits(QueueLimits { global: Some(2), ..UNLIMITED }, None, None);
    let scenario = Scenario {
        hints: Hints::Listed,
        quantum: 1,
        limits,
        jobs: vec![at(0, 0, 0, 0)],
        steps: vec![
            Step::Claim { filter: Filter::default(), want: 2 },
            Step::Enqueue(at(0, 1, 0, 0)),
            Step::Enqueue(at(0, 0, 0, 0)),
            Step::Claim { filter: Filter::default(), want: 1 },
        ],
    };
    for remembered in [None, Some(1), Some(3)] {
        let mut world = scenario.world();
        world.remembered = remembered;
        let mut tenants = Vec::new();
        scenario
            .simulate_in(&mut world, |_, _, _, batch| {
                tenants.push(batch.iter().map(|job| job.place.tenant).collect::<Vec<_>>());
                Ok(())
            })
            .expect("nothing is checked on the way");
        assert_eq!(tenants, [vec![0], vec![1]], "remembered {remembered:?}");
    }
}
