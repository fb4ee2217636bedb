//! Jobs that start as they come, against admitting them one by one.

use crate::claim_model::{Hints, Place, World, at, limits};
use crate::claim_properties::{filter, place, table};
use domain::claim::{Filter, all_may_start};
use domain::limits::QueueLimits;
use domain::queue::LaneId;
use proptest::prelude::*;

/// A world in which these jobs are leased, whatever its limits.
fn leased(mut world: World, jobs: &[Place]) -> World {
    for (&job, position) in jobs.iter().zip(1..) {
        let lane = world.lane(job);
        world.running.add(&world.lanes, lane, 1).expect("the lane is known");
        world.leased.insert(position, job);
    }
    world
}

fn may_start(world: &mut World, filter: &Filter, jobs: &[Place]) -> bool {
    let lanes: Vec<LaneId> = jobs.iter().map(|&job| world.lane(job)).collect();
    all_may_start(&world.lanes, &world.running, &world.limits, filter, &lanes)
}

proptest! {
    #[test]
    fn i03_all_start_if_each_may_after_the_others(
        table in table(),
        filter in filter(),
        running in prop::collection::vec(place(), 0..12),
        jobs in prop::collection::vec(place(), 0..6),
    ) {
        let mut world = leased(World::new(table, Hints::Unknown), &running);
        let mut held = running;
        let mut one_by_one = true;
        for &job in &jobs {
            one_by_one &= world.admits(job, &filter, held.iter());
            held.push(job);
        }
        // Where no job comes, a filter for somebody unknown makes no difference.
        prop_assume!(!jobs.is_empty());
        prop_assert_eq!(may_start(&mut world, &filter, &jobs), one_by_one);
    }
}

#[test]
fn i03_jobs_that_fit_alone_but_not_together_do_not_start() {
    let defaults = QueueLimits { global: None, tenant: Some(2), workflow: None };
    let mut world = leased(World::new(limits(defaults, None, None), Hints::Unknown), &[at(1, 1, 0, 0)]);
    assert!(may_start(&mut world, &Filter::default(), &[at(1, 1, 0, 0)]));
    assert!(!may_start(&mut world, &Filter::default(), &[at(1, 1, 0, 0), at(0, 1, 0, 0)]));
    assert!(may_start(&mut world, &Filter::default(), &[at(1, 1, 0, 0), at(0, 2, 0, 0)]));
}

#[test]
fn a_lane_that_is_not_known_does_not_start() {
    let world = World::new(
        limits(QueueLimits { global: None, tenant: None, workflow: None }, None, None),
        Hints::Unknown,
    );
    assert!(!all_may_start(&world.lanes, &world.running, &world.limits, &Filter::default(), &[LaneId(1)]));
}
