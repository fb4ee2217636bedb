//! When counts are trusted, and what is added to and taken off them.

use domain::claim::{Lanes, Running};
use domain::lane::{LaneId, LaneKey};
use domain::names::{JobType, TenantName};
use domain::queue::{QueueName, Tier};

use super::{Change, Counts, Epoch, QUIET_CLAIMS};

const LANE: LaneId = LaneId(1);

fn lanes() -> Lanes {
    let mut lanes = Lanes::new();
    let key = LaneKey {
        queue: QueueName::Node,
        tier: Tier::Normal,
        tenant: TenantName::trusted("tenant"),
        workflow: None,
        job_type: JobType::trusted("encode"),
        rate_key: None,
    };
    lanes.insert(LANE, key);
    lanes
}

fn counted(lanes: &Lanes, count: u32) -> Running {
    Running::count(lanes, &[(LANE, count)]).expect("the lane is known")
}

fn global(counts: &Counts) -> Option<(i64, u32)> {
    counts.expected().map(|(epoch, running)| (epoch.number, running.global()))
}

/// The epoch with this number, in the history that the tests have in common.
fn at(number: i64) -> Epoch {
    Epoch { number, nonce: 1_000 + number }
}

/// The change after this epoch.
fn after(number: i64) -> Change {
    Change { before: at(number), after: at(number + 1) }
}

#[test]
fn own_claims_and_own_completions_keep_the_counts_right() {
    let (lanes, mut counts) = (lanes(), Counts::default());
    assert_eq!(global(&counts), None);
    assert!(counts.found(at(6)).is_none());
    counts.remember(at(7), counted(&lanes, 2));
    counts.add_claimed(&lanes, after(7), [LANE, LANE, LANE].into_iter());
    assert_eq!(global(&counts), Some((8, 5)));
    let number = counts.number();
    counts.subtract(&lanes, number, [LANE].into_iter());
    assert_eq!(global(&counts), Some((8, 4)));
}

#[test]
fn what_ended_before_the_present_count_is_not_taken_off_it() {
    let (lanes, mut counts) = (lanes(), Counts::default());
    let before_any = counts.number();
    counts.remember(at(1), counted(&lanes, 3));
    let before = counts.number();
    counts.remember(at(2), counted(&lanes, 2));
    counts.subtract(&lanes, before, [LANE].into_iter());
    counts.subtract(&lanes, before_any, [LANE].into_iter());
    assert_eq!(global(&counts), Some((2, 2)));
}

#[test]
fn a_foreign_change_is_followed_by_claims_that_look() {
    let (lanes, mut counts) = (lanes(), Counts::default());
    counts.remember(at(1), counted(&lanes, 1));
    assert!(counts.found(at(5)).is_none(), "the counts are of another epoch");
    counts.remember(at(6), counted(&lanes, 1));
    for claim in 0..i64::from(QUIET_CLAIMS) {
        assert_eq!(global(&counts), None, "trusted after {claim} claims");
        assert!(counts.found(at(6 + claim)).is_some(), "nobody claimed in between");
        counts.add_claimed(&lanes, after(6 + claim), [LANE].into_iter());
    }
    assert!(global(&counts).is_some());
}

#[test]
fn two_claims_that_get_nothing_are_followed_by_claims_that_look() {
    let (lanes, mut counts) = (lanes(), Counts::default());
    for wrong in 1..=2 {
        counts.remember(at(wrong), counted(&lanes, 1));
        counts.was_wrong();
        assert_eq!(global(&counts), None);
    }
    counts.remember(at(3), counted(&lanes, 1));
    assert_eq!(global(&counts), None, "trusted at once");
}

#[test]
fn a_lane_that_was_empty_costs_one_count() {
    let (lanes, mut counts) = (lanes(), Counts::default());
    for epoch in 1..5 {
        counts.remember(at(epoch), counted(&lanes, 1));
        assert!(counts.expected().is_some());
        counts.was_wrong();
        counts.remember(at(epoch), counted(&lanes, 1));
        counts.was_right();
    }
}

#[test]
fn own_bumps_are_no_foreign_changes_and_lower_floors_where_jobs_came_back() {
    let (lanes, mut counts) = (lanes(), Counts::default());
    counts.remember(at(1), counted(&lanes, 1));
    counts.raise_floor(LANE, 10);
    counts.raise_floor(LaneId(LANE.0 + 1), 10);
    counts.lower_floor(LANE, 4);
    counts.record_own_bump(after(1));
    assert_eq!((global(&counts), counts.floor(LANE)), (Some((2, 1)), 3));
    assert_eq!(counts.floor(LaneId(LANE.0 + 1)), 10, "nothing came back there");
    // Somebody changed it to 3 in between.
    counts.record_own_bump(after(3));
    assert_eq!(global(&counts), Some((2, 1)), "the next claim finds out");
    assert!(counts.found(at(4)).is_none());
}

#[test]
fn a_claim_that_follows_on_another_epoch_is_not_added() {
    let (lanes, mut counts) = (lanes(), Counts::default());
    counts.remember(at(1), counted(&lanes, 1));
    counts.record_own_bump(after(1));
    counts.add_claimed(&lanes, after(1), [LANE].into_iter());
    assert_eq!(global(&counts), None);
}

#[test]
fn floors_follow_what_is_taken_and_what_comes() {
    let mut counts = Counts::default();
    counts.raise_floor(LANE, 10);
    counts.lower_floor(LANE, 20);
    assert_eq!(counts.floor(LANE), 10);
    counts.lower_floor(LANE, 7);
    assert_eq!(counts.floor(LANE), 6);
    counts.begin_claim();
    counts.raise_floor(LANE, 30);
    assert_eq!(counts.floor(LANE), 30);
    counts.drop_floors();
    assert_eq!(counts.floor(LANE), 0);
}

#[test]
fn a_claim_that_was_planned_before_the_floors_were_dropped_raises_none() {
    let mut counts = Counts::default();
    counts.begin_claim();
    counts.raise_floor(LANE, 10);
    // It looks after 10 only, and a listing that ends meanwhile says that a job may lie before.
    counts.begin_claim();
    counts.drop_floors();
    counts.raise_floor(LANE, 20);
    assert_eq!(counts.floor(LANE), 0);
    counts.begin_claim();
    counts.raise_floor(LANE, 30);
    assert_eq!(counts.floor(LANE), 30);
}

#[test]
fn a_listing_leaves_the_floors_of_lanes_in_which_nothing_waits() {
    let mut counts = Counts::default();
    let other = LaneId(LANE.0 + 1);
    counts.begin_claim();
    counts.raise_floor(LANE, 10);
    counts.raise_floor(other, 10);
    counts.begin_claim();
    counts.drop_floors_of(&[LANE]);
    counts.raise_floor(LANE, 20);
    assert_eq!(
        (counts.floor(LANE), counts.floor(other)),
        (0, 10),
        "a claim that was planned before raises none"
    );
}

#[test]
fn jobs_that_come_during_a_claim_stay_above_the_floor() {
    let mut counts = Counts::default();
    counts.begin_claim();
    counts.lower_floor(LANE, 7);
    counts.raise_floor(LANE, 10);
    assert_eq!(counts.floor(LANE), 6);
}

/// A failover lost the claims 6 and 7 of another node, and others made two.
#[test]
fn i03_an_epoch_that_comes_again_with_another_nonce_is_another_one() {
    let (lanes, mut counts) = (lanes(), Counts::default());
    counts.remember(at(7), counted(&lanes, 1));
    assert!(counts.found(Epoch { nonce: 5, ..at(7) }).is_none(), "somebody else brought it to seven");
    assert_eq!(global(&counts), None);
    counts.remember(at(7), counted(&lanes, 1));
    counts.record_own_bump(Change { before: Epoch { nonce: 5, ..at(7) }, after: at(8) });
    assert_eq!(counts.epoch(), Some(at(7)), "it did not follow on what is known");
}
