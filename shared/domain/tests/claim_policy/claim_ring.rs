//! What the ring remembers: whose turn it is, what was added meanwhile, what is known of depths.

use std::collections::BTreeSet;

use domain::claim::{Depth, Filter, plan};
use domain::queue::LaneId;

use crate::claim_model::{Hints, UNLIMITED, World, at, job_type, limits};

#[test]
fn job_types_of_one_line_are_granted_together() {
    let mut world = World::new(limits(UNLIMITED, None, None), Hints::Listed);
    for job_type in [0, 1, 0, 2] {
        world.insert(at(1, 0, 1, job_type));
    }
    world.list();
    let job_types = Some(BTreeSet::from([job_type(0), job_type(1), job_type(7)]));
    let batch = world.claim(&Filter { job_types, ..Filter::default() }, 10);
    assert_eq!(batch.iter().map(|job| job.position).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(world.ring.contains(LaneId(3)));
}

#[test]
fn claims_with_different_filters_do_not_take_each_others_turns() {
    let mut world = World::new(limits(UNLIMITED, None, None), Hints::Listed);
    for _ in 0..10 {
        for tenant in 0..4 {
            world.insert(at(1, tenant, 0, u8::from(tenant == 3)));
        }
    }
    world.list();
    let of_type =
        |number| Filter { job_types: Some(BTreeSet::from([job_type(number)])), ..Filter::default() };
    let mut served = BTreeSet::new();
    for _ in 0..3 {
        served.extend(world.claim(&of_type(0), 1).iter().map(|job| job.place.tenant));
        world.claim(&of_type(1), 1);
    }
    assert_eq!(served, BTreeSet::from([0, 1, 2]));
}

#[test]
fn a_rebuild_keeps_the_turns() {
    let mut world = World::new(limits(UNLIMITED, None, None), Hints::Listed);
    for _ in 0..2 {
        for tenant in 0..4 {
            world.insert(at(1, tenant, 0, 0));
        }
    }
    world.list();
    let mut order = Vec::new();
    for _ in 0..4 {
        order.extend(world.claim(&Filter::default(), 1).iter().map(|job| job.place.tenant));
        world.list();
    }
    assert_eq!(order, [0, 1, 2, 3]);
}

#[test]
fn a_job_that_comes_during_a_claim_or_a_listing_is_not_forgotten() {
    let mut world = World::new(limits(UNLIMITED, None, None), Hints::Listed);
    let lane = world.insert(at(1, 0, 0, 0));
    world.list();
    let any = Filter::default();
    let planned = plan(&mut world.ring, &world.lanes, &world.running, &world.limits, &any, 2);
    world.ring.add(&world.lanes, lane).expect("the lane is known");
    assert!(world.ring.record_claimed(&planned.grants[0], &[lane], 0), "one of two came");
    assert!(world.ring.contains(lane), "a job was added while the claim was under way");

    let planned = plan(&mut world.ring, &world.lanes, &world.running, &world.limits, &any, 2);
    assert!(world.ring.record_claimed(&planned.grants[0], &[lane], 0));
    assert!(!world.ring.contains(lane), "nothing was added since");

    let begun_at = world.ring.begin_listing();
    world.ring.add(&world.lanes, lane).expect("the lane is known");
    world.ring.rebuild(&world.lanes, &[], begun_at).expect("the lanes are known");
    assert!(world.ring.contains(lane), "a job was added while the lanes were read");
    let begun_at = world.ring.begin_listing();
    world.ring.rebuild(&world.lanes, &[], begun_at).expect("the lanes are known");
    assert!(world.ring.is_empty());
}

#[test]
fn readings_that_overlap_lose_no_lane() {
    let mut world = World::new(limits(UNLIMITED, None, None), Hints::Unknown);
    let lane = world.insert(at(1, 0, 0, 0));
    let rebuild = |world: &mut World, begun_at| {
        let World { ring, lanes, .. } = world;
        ring.rebuild(lanes, &[], begun_at).expect("the lanes are known");
    };
    let first = world.ring.begin_listing();
    let second = world.ring.begin_listing();
    world.ring.add(&world.lanes, lane).expect("the lane is known");
    rebuild(&mut world, first);
    assert!(world.ring.contains(lane), "added while the first reading was under way");
    rebuild(&mut world, second);
    assert!(world.ring.contains(lane), "added while the second reading was under way");
}

#[test]
fn a_known_depth_is_kept_right() {
    let mut world = World::new(limits(UNLIMITED, None, None), Hints::Exact);
    let lane = world.insert(at(1, 0, 0, 0));
    world.insert(at(1, 0, 0, 0));
    world.list();
    let any = Filter::default();
    assert_eq!(world.claim(&any, 1).len(), 1);
    let next = plan(&mut world.ring, &world.lanes, &world.running, &world.limits, &any, 5);
    assert_eq!(next.grants[0].take, 1, "one of two is left");
    world.enqueue(at(1, 0, 0, 0));
    let next = plan(&mut world.ring, &world.lanes, &world.running, &world.limits, &any, 5);
    assert_eq!(next.grants[0].take, 5, "more came");
    world.ring.record_depth(lane, Depth::exactly(0));
    assert!(!world.ring.contains(lane));
}
