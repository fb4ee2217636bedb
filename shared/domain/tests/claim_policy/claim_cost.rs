//! What a plan costs: what it looks at, and how often the store is asked.

use domain::claim::{Depth, Filter, Grant, plan};
use domain::limits::QueueLimits;

use crate::claim_model::{Hints, UNLIMITED, World, at, limits};

/// Tenants 0 to 999 hold a job each and may hold no more; tenants 1000 to 1099 hold none. All have a lane in which
/// `depth` jobs wait.
fn saturated(depth: u32) -> World {
    let one_each = QueueLimits { tenant: Some(1), ..UNLIMITED };
    let mut world = World::new(limits(one_each, None, None), Hints::Listed);
    for tenant in 0..1100 {
        let lane = world.lane(at(1, tenant, 0, 0));
        if tenant < 1000 {
            world.running.add(&world.lanes, lane, 1).expect("the lane is known");
        }
        world.ring.add(&world.lanes, lane).expect("the lane is known");
        world.ring.record_depth(lane, Depth::exactly(depth));
    }
    world
}

#[test]
fn i06_the_cost_of_a_plan_does_not_grow_with_what_waits_behind_full_lanes() {
    let mut costs = Vec::new();
    for depth in [1, 1_000] {
        let mut world = saturated(depth);
        let plan =
            plan(&mut world.ring, &world.lanes, &world.running, &world.limits, &Filter::default(), 100);
        assert_eq!(plan.grants.len(), 100);
        for grant in &plan.grants {
            let key = world.lanes.get(grant.lanes[0]).expect("the lane is known");
            assert_eq!(world.running.tenant(&world.lanes, &key.tenant), 0, "a full lane got a grant");
        }
        assert!(plan.limit_reached);
        costs.push(plan.looked_at);
    }
    assert_eq!(costs[0], costs[1]);
    assert!(costs[0] <= 2 * (1_000 + 100), "{costs:?}");
}

#[test]
fn i06_a_full_batch_ends_the_walk() {
    let mut world = World::new(limits(UNLIMITED, None, None), Hints::Listed);
    for tenant in 0..10_000 {
        for workflow in 0..5 {
            world.insert(at(1, tenant, workflow, 0));
        }
    }
    world.list();
    let plan = plan(&mut world.ring, &world.lanes, &world.running, &world.limits, &Filter::default(), 100);
    assert_eq!(plan.grants.len(), 100);
    assert!(plan.looked_at <= 200, "{}", plan.looked_at);
    assert!(!plan.limit_reached);
}

#[test]
fn one_lane_is_served_in_one_grant() {
    let mut world = World::new(limits(UNLIMITED, None, None), Hints::Listed);
    let lane = world.insert(at(1, 0, 1, 0));
    world.list();
    let plan = plan(&mut world.ring, &world.lanes, &world.running, &world.limits, &Filter::default(), 500);
    assert_eq!(plan.grants, [Grant { lanes: vec![lane], take: 500, ..Grant::default() }]);
}

#[test]
fn few_jobs_on_three_tiers_take_one_plan_where_depths_are_known() {
    for (hints, trips) in [(Hints::Exact, 1), (Hints::Listed, 3)] {
        let mut world = World::new(limits(UNLIMITED, None, None), hints);
        for tier in 0..3 {
            for tenant in 0..3 {
                world.insert(at(tier, tenant, 1, 0));
            }
        }
        world.list();
        assert_eq!(world.claim(&Filter::default(), 100).len(), 9);
        assert!(world.trips <= trips, "{hints:?} took {}", world.trips);
        assert!(world.ring.is_empty());
    }
}

#[test]
fn a_full_tier_does_not_hold_up_the_next() {
    let mut world =
        World::new(limits(QueueLimits { tenant: Some(2), ..UNLIMITED }, None, None), Hints::Listed);
    for tenant in [0, 0, 0, 1] {
        world.insert(at(u8::from(tenant == 1), tenant, 1, 0));
    }
    world.list();
    let claimed: Vec<_> = world.claim(&Filter::default(), 10).iter().map(|job| job.place.tenant).collect();
    assert_eq!(claimed, [0, 0, 1]);
    world.insert(at(1, 1, 1, 0));
    world.list();
    assert_eq!(world.claim(&Filter::default(), 10).len(), 1);
    assert_eq!(world.trips, 1, "a tier that was full before the plan is no reason to plan again");
}
