//! Tables of what can start.

use super::*;
use crate::claim::RateTable;
use crate::limits::{LimitOverride, LimitScope, QueueLimits};
use crate::names::{CallerKey, WorkflowName};
use crate::queue::QueueName;
use crate::rate::{KeyRate, KeyRates, Rate, RateOverride, RateScope};

fn workflow(name: &str) -> WorkflowRef {
    WorkflowRef { owner: None, name: WorkflowName::trusted(name) }
}

fn lane(tenant: &str, of: Option<&str>, tier: Tier, queued: u64, processing: u64) -> LaneLoad {
    LaneLoad {
        key: LaneKey {
            queue: QueueName::Execution,
            tier,
            tenant: TenantName::trusted(tenant),
            workflow: of.map(workflow),
            job_type: JobType::trusted("x"),
            rate_key: None,
        },
        queued,
        blocked: 0,
        processing,
        offered: 0,
        oldest_at: (queued > 0).then_some(Timestamp(5)),
    }
}

fn load(lanes: Vec<LaneLoad>, limits: QueueLimits) -> QueueLoad {
    QueueLoad {
        lanes,
        limits: LimitTable::resolve(limits, &[], &[]),
        is_paused: false,
        paused: Vec::new(),
        is_exact: true,
        starts: BTreeMap::new(),
        as_of: Timestamp(10),
    }
}

const NONE: QueueLimits = QueueLimits { global: None, tenant: None, workflow: None };

fn figures(load: &QueueLoad) -> (u64, u64, u64, u64) {
    let Scaling { queued, startable, held_by_limit, processing, .. } = load.scaling(&Selection::default());
    (queued, startable, held_by_limit, processing)
}

#[test]
fn without_limits_everything_can_start() {
    let lanes = vec![lane("a", None, Tier::High, 5, 2), lane("b", Some("w"), Tier::Low, 7, 0)];
    assert_eq!(figures(&load(lanes, NONE)), (12, 12, 0, 2));
}

#[test]
fn the_tightest_limit_holds() {
    let lanes = || vec![lane("a", Some("w"), Tier::Normal, 50, 1), lane("b", Some("w"), Tier::Normal, 50, 0)];
    let limited =
        |global, tenant, workflow| figures(&load(lanes(), QueueLimits { global, tenant, workflow })).1;
    assert_eq!(limited(Some(10), None, None), 9);
    assert_eq!(limited(None, Some(4), None), 3 + 4);
    assert_eq!(limited(None, None, Some(6)), 5);
    assert_eq!(limited(Some(2), Some(4), Some(6)), 1);
    assert_eq!(limited(Some(1), None, None), 0, "a full limit wants no more workers");
}

/// Tenant a could use either workflow, tenant b only one: taking a's jobs from the wrong one would lose a slot.
#[test]
fn limits_of_tenants_and_workflows_are_brought_together() {
    let lanes = vec![
        lane("a", Some("v"), Tier::Normal, 1, 0),
        lane("a", Some("w"), Tier::Normal, 1, 0),
        lane("b", Some("v"), Tier::Normal, 5, 0),
    ];
    let limits = QueueLimits { global: None, tenant: Some(1), workflow: Some(1) };
    assert_eq!(figures(&load(lanes, limits)), (7, 2, 5, 0));
}

#[test]
fn pauses_hold_without_being_limits() {
    let mut paused =
        load(vec![lane("a", Some("w"), Tier::High, 3, 1), lane("a", None, Tier::High, 2, 0)], NONE);
    paused.paused = vec![workflow("w")];
    assert_eq!(figures(&paused), (5, 2, 0, 1));
    paused.is_paused = true;
    assert_eq!(figures(&paused), (5, 0, 0, 1));
}

#[test]
fn a_selection_counts_its_jobs_under_the_limits_of_all() {
    let limits = QueueLimits { global: Some(10), ..NONE };
    let load = load(vec![lane("a", None, Tier::High, 8, 4), lane("b", None, Tier::High, 3, 5)], limits);
    let of_b = Selection { tenant: Some(TenantName::trusted("b")), job_types: None };
    let scaling = load.scaling(&of_b);
    assert_eq!((scaling.queued, scaling.startable, scaling.processing), (3, 1, 5));
    assert_eq!(scaling.oldest_at, Some(Timestamp(5)));
    let other = Selection { tenant: None, job_types: Some(vec![JobType::trusted("y")]) };
    assert_eq!(load.scaling(&other), Scaling::default());
}

#[test]
fn jobs_behind_a_concurrency_key_are_held() {
    let mut one = lane("a", None, Tier::High, 1, 0);
    one.blocked = 4;
    assert_eq!(figures(&load(vec![one], NONE)), (5, 1, 4, 0));
}

#[test]
fn higher_tiers_take_the_room_first() {
    let limits = QueueLimits { global: Some(4), ..NONE };
    let lanes = vec![lane("a", None, Tier::High, 3, 0), lane("a", None, Tier::Low, 3, 0)];
    let by_tier = load(lanes, limits).by_tier();
    let held: Vec<(u64, u64)> = by_tier.iter().map(|(_, of)| (of.startable, of.held_by_limit)).collect();
    assert_eq!(held, [(3, 0), (0, 0), (1, 2)]);
}

#[test]
fn full_limits_are_those_that_keep_jobs_waiting() {
    let overrides = [LimitOverride {
        queue: QueueName::Execution,
        scope: LimitScope::Tenant(TenantName::trusted("idle")),
        max_concurrent: Some(0),
    }];
    let mut load =
        load(vec![lane("a", Some("w"), Tier::High, 1, 2), lane("b", Some("v"), Tier::High, 0, 2)], NONE);
    let limits = QueueLimits { global: Some(4), tenant: Some(2), workflow: Some(3) };
    load.limits = LimitTable::resolve(limits, &overrides, &[]);
    assert_eq!(load.full_limits(), FullLimits { global: true, tenants: 1, ..FullLimits::default() });
}

/// The flow equals what trying every assignment finds.
#[test]
fn the_flow_is_the_largest_there_is() {
    for seed in 0..300_u64 {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut draw = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        let mut lanes = Vec::new();
        for tenant in ["a", "b", "c"] {
            for of in ["u", "v"] {
                lanes.push(lane(tenant, Some(of), Tier::High, draw(3), 0));
            }
        }
        let (tenant, of) = (draw(4), draw(4));
        let limits = QueueLimits { global: None, tenant: Some(tenant as u32), workflow: Some(of as u32) };
        let found = load(lanes.clone(), limits).scaling(&Selection::default()).startable;
        assert_eq!(found, by_trying(&lanes, tenant, of), "{lanes:?} {tenant} {of}");
    }
}

fn by_trying(lanes: &[LaneLoad], tenant: u64, workflow: u64) -> u64 {
    let mut best = 0;
    let mut taken = vec![0_u64; lanes.len()];
    loop {
        let sum = |of: &dyn Fn(&LaneKey) -> bool| -> u64 {
            lanes.iter().zip(&taken).filter(|(lane, _)| of(&lane.key)).map(|(_, taken)| taken).sum()
        };
        let fits = lanes.iter().all(|lane| {
            sum(&|key| key.tenant == lane.key.tenant) <= tenant
                && sum(&|key| key.workflow == lane.key.workflow) <= workflow
        });
        if fits {
            best = best.max(taken.iter().sum());
        }
        let Some(place) = (0..lanes.len()).find(|&place| taken[place] < lanes[place].queued) else {
            return best;
        };
        taken[place] += 1;
        taken[..place].fill(0);
    }
}

fn set(scope: RateScope, rate: &str) -> RateOverride {
    RateOverride { queue: QueueName::Node, scope, rate: Rate::parse(rate).expect("valid") }
}

#[test]
fn rates_hold_back_what_they_do_not_let_through() {
    let with_key = |key: &str, queued| {
        let mut load = lane("a", None, Tier::Normal, queued, 1);
        load.key.rate_key = Some(CallerKey::trusted(key));
        load
    };
    let mut load =
        load(vec![with_key("k1", 5), with_key("k2", 5), lane("b", None, Tier::Normal, 9, 0)], NONE);
    assert_eq!(figures(&load), (19, 19, 0, 2));
    let tenant = TenantName::trusted("a");
    let keys = [KeyRate {
        tenant: tenant.clone(),
        pattern: "k*".to_owned(),
        rate: Rate::parse("3/1m").expect("valid"),
        max_concurrent: Some(3),
    }];
    let rates = |overrides: &[RateOverride]| {
        RateTable::resolve(overrides, &[], false).with_keys(KeyRates::resolve(&keys))
    };
    load.limits = load.limits.with_rates(rates(&[]));
    // Two slots of each key are left, and all starts.
    assert_eq!(figures(&load), (19, 13, 6, 2));
    load.starts.insert(RateSubject::Key(tenant.clone(), CallerKey::trusted("k1")), 0);
    assert_eq!(figures(&load), (19, 11, 8, 2));
    assert_eq!(load.full_limits(), FullLimits { rate_keys: 1, ..FullLimits::default() });
    let of_b = RateScope::Tenant(TenantName::trusted("b"));
    let of_type = RateScope::JobType(JobType::trusted("x"));
    load.limits = load.limits.with_rates(rates(&[set(of_b, "4/1m")]));
    assert_eq!(figures(&load), (19, 6, 13, 2));
    load.limits = load.limits.with_rates(rates(&[set(of_type, "1/1m")]));
    assert_eq!(figures(&load), (19, 1, 18, 2));
    load.starts.insert(RateSubject::JobType(JobType::trusted("x")), 0);
    let full = FullLimits { rate_keys: 1, job_types: 1, ..FullLimits::default() };
    assert_eq!((figures(&load), load.full_limits()), ((19, 0, 19, 2), full));
    load.limits = load.limits.with_rates(RateTable::resolve(&[set(RateScope::Global, "2/1m")], &[], true));
    assert_eq!(figures(&load), (19, 19, 0, 2), "of executions nobody knows which were claimed before");
}
