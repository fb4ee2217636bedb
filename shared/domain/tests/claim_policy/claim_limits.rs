//! Limits and counts: where a limit comes from, and what counts against it.

use domain::claim::{Filter, Lanes, LimitTable, Ring, Running, UnknownLane, plan};
use domain::limits::{LimitOverride, LimitScope, LimitSource, QueueLimits, default_limits};
use domain::queue::{LaneId, WorkflowRef};

use crate::claim_model::{Hints, QUEUE, UNLIMITED, World, at, limits, tenant, workflow};

#[test]
fn a_full_queue_is_cut_by_its_limit_and_an_empty_one_is_not() {
    let mut world =
        World::new(limits(QueueLimits { global: Some(1), ..UNLIMITED }, None, None), Hints::Listed);
    let any = Filter::default();
    let lane = world.lane(at(1, 0, 0, 0));
    world.running.add(&world.lanes, lane, 3).expect("the lane is known");
    let empty = plan(&mut world.ring, &world.lanes, &world.running, &world.limits, &any, 5);
    assert!(empty.grants.is_empty() && !empty.limit_reached);
    world.enqueue(at(1, 0, 0, 0));
    let full = plan(&mut world.ring, &world.lanes, &world.running, &world.limits, &any, 5);
    assert!(full.grants.is_empty() && full.limit_reached);
}

#[test]
fn an_unknown_lane_is_an_error() {
    let (lanes, lane) = (Lanes::new(), LaneId(7));
    assert_eq!(Running::count(&lanes, &[(lane, 1)]), Err(UnknownLane(lane)));
    assert_eq!(Ring::new().rebuild(&lanes, &[lane], 0), Err(UnknownLane(lane)));
}

#[test]
fn a_workflow_counts_over_all_tenants_and_an_owned_one_for_its_owner() {
    let mut world = World::new(limits(UNLIMITED, None, None), Hints::Listed);
    let counts = [
        (at(0, 0, 1, 0), 1),
        (at(2, 1, 1, 1), 2),
        (at(1, 0, 3, 0), 4),
        (at(1, 1, 3, 0), 8),
        (at(1, 1, 0, 0), 16),
    ];
    let by_lane: Vec<_> = counts.iter().map(|&(place, count)| (world.lane(place), count)).collect();
    let running = Running::count(&world.lanes, &by_lane).expect("the lanes are known");
    let of = |owner, number| running.workflow(&world.lanes, &workflow(owner, number).expect("not none"));
    assert_eq!((of(0, 1), of(1, 1), of(0, 3), of(1, 3)), (3, 3, 4, 8));
    assert_eq!(running.tenant(&world.lanes, &tenant(0)), 5);
    assert_eq!(running.tenant(&world.lanes, &tenant(1)), 26);
    assert_eq!(running.global(), 31);
}

fn named(number: u16) -> WorkflowRef {
    workflow(0, number).expect("not none")
}

/// The product's defaults with limits in two definitions, as they are and with one override of each kind.
fn tables() -> [LimitTable; 2] {
    let set = |scope, max_concurrent| LimitOverride { queue: QUEUE, scope, max_concurrent };
    let overrides = [
        set(LimitScope::Global, Some(50)),
        set(LimitScope::TenantDefault, Some(4)),
        set(LimitScope::WorkflowDefault, None),
        set(LimitScope::Tenant(tenant(1)), None),
        set(LimitScope::Workflow(named(1)), Some(9)),
    ];
    let by_definition = [(named(1), 3), (named(2), 7)];
    [&[], overrides.as_slice()].map(|set| LimitTable::resolve(default_limits(QUEUE), set, &by_definition))
}

#[test]
fn a_limit_comes_from_the_nearest_source() {
    use LimitScope::{Global, Tenant, TenantDefault, Workflow, WorkflowDefault};
    use LimitSource::{Definition, OverriddenDefault, Override, Settings};
    let cases = [
        (Global, [(Some(100), Settings), (Some(50), Override)]),
        (TenantDefault, [(Some(10), Settings), (Some(4), OverriddenDefault)]),
        (WorkflowDefault, [(Some(5), Settings), (None, OverriddenDefault)]),
        (Tenant(tenant(0)), [(Some(10), Settings), (Some(4), OverriddenDefault)]),
        (Tenant(tenant(1)), [(Some(10), Settings), (None, Override)]),
        (Workflow(named(1)), [(Some(3), Definition), (Some(9), Override)]),
        (Workflow(named(2)), [(Some(7), Definition), (Some(7), Definition)]),
        (Workflow(named(3)), [(Some(5), Settings), (None, OverriddenDefault)]),
    ];
    for (scope, expected) in cases {
        for (table, (max_concurrent, source)) in tables().iter().zip(expected) {
            let effective = table.effective(&scope);
            assert_eq!((effective.max_concurrent, effective.source), (max_concurrent, source), "{scope:?}");
            let planned = match &scope {
                Tenant(tenant) => table.tenant(tenant),
                Workflow(workflow) => table.workflow(workflow),
                _ => continue,
            };
            assert_eq!(planned, max_concurrent, "{scope:?}");
        }
    }
}
