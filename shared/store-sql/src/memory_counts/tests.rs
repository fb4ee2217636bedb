//! When counts are trusted, and what is added to and taken off them.

use std::collections::HashMap;

use domain::claim::{Lanes, Running};
use domain::names::{JobType, TenantName};
use domain::queue::{LaneId, LaneKey, QueueName, Tier};

use super::{Change, Counts, Epoch, QUIET_CLAIMS};

const LANE: LaneId = LaneId(1);
const OTHER: LaneId = LaneId(2);
/// How many changes were no claims.
const RETURNS: i64 = 40;

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

/// A claim finds this epoch, and that claims alone have changed it.
fn found(counts: &mut Counts, epoch: Epoch) -> Option<Running> {
    counts.found(epoch, RETURNS).cloned()
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
    assert!(found(&mut counts, at(6)).is_none());
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
    assert!(found(&mut counts, at(5)).is_none(), "the counts are of another epoch");
    counts.remember(at(6), counted(&lanes, 1));
    for claim in 0..i64::from(QUIET_CLAIMS) {
        assert_eq!(global(&counts), None, "trusted after {claim} claims");
        assert!(found(&mut counts, at(6 + claim)).is_some(), "nobody claimed in between");
        counts.add_claimed(&lanes, after(6 + claim), [LANE].into_iter());
    }
    assert!(global(&counts).is_some());
}

#[test]
fn two_claims_that_meet_another_epoch_are_followed_by_claims_that_look() {
    let (lanes, mut counts) = (lanes(), Counts::default());
    counts.remember(at(1), counted(&lanes, 1));
    for foreign in [3, 6] {
        counts.was_wrong();
        assert_eq!(global(&counts), None);
        assert!(found(&mut counts, at(foreign)).is_none());
        counts.remember(at(foreign + 1), counted(&lanes, 1));
        assert_eq!(global(&counts).is_some(), foreign == 3, "trusted at once after the first");
    }
}

#[test]
fn a_claim_that_expected_the_right_epoch_costs_no_count() {
    let (lanes, mut counts) = (lanes(), Counts::default());
    counts.remember(at(1), counted(&lanes, 1));
    for _ in 1..5 {
        assert!(counts.expected().is_some());
        counts.was_wrong();
        assert_eq!(global(&counts), None, "the next claim looks");
        assert!(found(&mut counts, at(1)).is_some(), "what is known still holds");
    }
    assert!(counts.expected().is_some());
}

#[test]
fn floors_outlive_claims_that_find_nothing_and_claims_of_others() {
    let (lanes, mut counts) = (lanes(), Counts::default());
    assert!(found(&mut counts, at(0)).is_none());
    counts.remember(at(1), counted(&lanes, 1));
    counts.begin_claim();
    counts.raise_floor(LANE, 10);
    counts.was_wrong();
    assert!(found(&mut counts, at(1)).is_some());
    assert_eq!(counts.floor(LANE), 10, "its lanes were empty");
    counts.was_wrong();
    assert!(found(&mut counts, at(9)).is_none(), "others have claimed");
    assert_eq!(counts.floor(LANE), 10);
    counts.remember(at(10), counted(&lanes, 1));
    counts.record_own_bump(after(10));
    counts.was_wrong();
    assert!(counts.found(at(11), RETURNS + 1).is_some(), "a change of its own that is known");
    assert_eq!(counts.floor(LANE), 10);
}

#[test]
fn i04_floors_are_gone_where_somebody_else_made_a_job_claimable() {
    for returns in [RETURNS + 1, RETURNS + 7, RETURNS - 1] {
        let (lanes, mut counts) = (lanes(), Counts::default());
        assert!(found(&mut counts, at(0)).is_none());
        counts.remember(at(1), counted(&lanes, 1));
        counts.begin_claim();
        counts.raise_floor(LANE, 10);
        assert!(counts.found(at(4), returns).is_none());
        assert_eq!(counts.floor(LANE), 0);
    }
}

#[test]
fn a_look_from_the_beginnings_sets_floors() {
    let mut counts = Counts::default();
    let look = counts.begin_look();
    assert!(!counts.end_look(look, &[LANE, OTHER], &HashMap::from([(LANE, 8)]), Some(50)));
    assert_eq!(
        (counts.floor(LANE), counts.floor(OTHER)),
        (7, 50),
        "the first that waits, and all there were"
    );
    let look = counts.begin_look();
    assert!(!counts.end_look(look, &[LANE, OTHER], &HashMap::from([(LANE, 30)]), None));
    assert_eq!((counts.floor(LANE), counts.floor(OTHER)), (29, 50));
    counts.raise_floor(OTHER, 70);
    let look = counts.begin_look();
    assert!(!counts.end_look(look, &[OTHER], &HashMap::new(), Some(60)));
    assert_eq!(counts.floor(OTHER), 70, "a claim has come further meanwhile");
}

#[test]
fn i04_a_look_finds_what_nobody_announced_before_a_floor() {
    let mut counts = Counts::default();
    counts.begin_claim();
    counts.raise_floor(LANE, 20);
    let look = counts.begin_look();
    // A claim that was planned before takes what it sees after 20.
    counts.begin_claim();
    assert!(counts.end_look(look, &[LANE], &HashMap::from([(LANE, 9)]), Some(40)));
    assert_eq!(counts.floor(LANE), 8);
    counts.raise_floor(LANE, 25);
    assert_eq!(counts.floor(LANE), 8, "the claim has not passed it");
}

#[test]
fn i04_what_comes_during_a_look_stays_above_the_floor() {
    let mut counts = Counts::default();
    let look = counts.begin_look();
    counts.lower_floor(LANE, 12);
    counts.begin_claim();
    assert!(!counts.end_look(look, &[LANE, OTHER], &HashMap::new(), Some(50)));
    assert_eq!((counts.floor(LANE), counts.floor(OTHER)), (11, 50));
}

#[test]
fn i04_a_look_sets_no_floors_after_they_were_dropped_or_another_began() {
    let mut counts = Counts::default();
    let look = counts.begin_look();
    assert!(counts.found(at(4), RETURNS).is_none(), "a job may have come back since");
    assert!(!counts.end_look(look, &[LANE], &HashMap::new(), Some(50)));
    assert_eq!(counts.floor(LANE), 0);
    let first = counts.begin_look();
    counts.lower_floor(LANE, 12);
    let second = counts.begin_look();
    assert!(!counts.end_look(first, &[LANE], &HashMap::new(), Some(50)));
    assert_eq!(counts.floor(LANE), 0, "what came before the second look is not known to the first");
    assert!(!counts.end_look(second, &[LANE], &HashMap::new(), Some(50)));
    assert_eq!(counts.floor(LANE), 50);
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
    assert!(found(&mut counts, at(4)).is_none());
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
    assert!(found(&mut counts, Epoch { nonce: 5, ..at(7) }).is_none(), "somebody else brought it to seven");
    assert_eq!(global(&counts), None);
    counts.remember(at(7), counted(&lanes, 1));
    counts.record_own_bump(Change { before: Epoch { nonce: 5, ..at(7) }, after: at(8) });
    assert_eq!(counts.epoch(), Some(at(7)), "it did not follow on what is known");
}

/// A failover that lost commits: others bring the number of returns to where it was by other changes.
#[test]
fn i04_floors_are_gone_where_the_epoch_went_back() {
    for epoch in [Epoch { number: 7, nonce: 5 }, Epoch { number: 3, nonce: 6 }] {
        let (lanes, mut counts) = (lanes(), Counts::default());
        assert!(found(&mut counts, at(6)).is_none());
        counts.remember(at(7), counted(&lanes, 1));
        counts.begin_claim();
        counts.raise_floor(LANE, 10);
        assert!(found(&mut counts, epoch).is_none());
        assert_eq!(counts.floor(LANE), 0, "{epoch:?}");
    }
}

/// The same where a claim of this node had not followed on what was remembered, so that the counts were forgotten.
#[test]
fn i04_floors_are_gone_where_the_epoch_went_back_after_the_counts_were_forgotten() {
    for epoch in [Epoch { number: 9, nonce: 5 }, Epoch { number: 3, nonce: 6 }] {
        let (lanes, mut counts) = (lanes(), Counts::default());
        assert!(found(&mut counts, at(6)).is_none());
        counts.remember(at(7), counted(&lanes, 1));
        counts.begin_claim();
        counts.raise_floor(LANE, 10);
        counts.add_claimed(&lanes, after(8), [LANE].into_iter());
        assert_eq!((global(&counts), counts.floor(LANE)), (None, 10), "the claim before was another node's");
        assert!(found(&mut counts, epoch).is_none());
        assert_eq!(counts.floor(LANE), 0, "{epoch:?}");
    }
}
