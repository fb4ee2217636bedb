//! When lanes are read again, and which of them.

use domain::queue::{LaneKey, QueueName, Tier};

use super::*;

fn ring_of(count: usize) -> LaneMemory {
    let mut memory = LaneMemory::default();
    for number in 1..=count {
        let key = LaneKey {
            queue: QueueName::Node,
            tier: Tier::Normal,
            tenant: TenantName::trusted(format!("tenant{number}")),
            workflow: None,
            job_type: JobType::trusted("encode"),
            rate_key: None,
        };
        let lane = LaneId(i32::try_from(number).expect("few lanes"));
        memory.lanes.insert(lane, key);
        memory.add(lane, 1);
    }
    let begun_at = memory.begin_listing();
    memory.end_listing(begun_at, &[], Duration::ZERO);
    memory
}

#[test]
fn few_lanes_are_read_again_at_once_and_many_part_by_part() {
    let (mut few, mut many) = (ring_of(LANES_LISTED_MAX), ring_of(LANES_LISTED_MAX + 1));
    assert_eq!((few.look(), many.look()), (Look::Nothing, Look::Nothing));
    few.mark_stale();
    many.mark_stale();
    assert_eq!((few.look(), many.look()), (Look::ListFirst, Look::Part));
    assert!(!many.net.begin(), "new lanes were looked for a moment ago");
    assert_eq!(many.look(), Look::Nothing, "a part at a time");
    many.net.make_due();
    assert_eq!(many.look(), Look::Part);
}

#[test]
fn a_dear_listing_is_followed_by_looks_at_known_lanes_until_it_is_old_or_in_doubt() {
    let dear = |memory: &mut LaneMemory| {
        let begun_at = memory.begin_listing();
        memory.end_listing(begun_at, &[], LISTING_DEAR);
    };
    let mut memory = ring_of(3);
    memory.ring = Ring::new();
    assert_eq!(memory.look(), Look::ListFirst, "a cheap one is repeated");
    dear(&mut memory);
    assert!(memory.is_listing_dear());
    assert_eq!(memory.look(), Look::ListFirst, "not all lanes are known");
    memory.mark_complete(Some(3));
    assert_eq!(memory.look(), Look::Probe);
    memory.mark_stale();
    assert_eq!(memory.look(), Look::ListFirst);
    dear(&mut memory);
    memory.mark_complete(Some(3));
    memory.read_at = None;
    assert_eq!(memory.look(), Look::ListFirst, "the listing is old");
}

#[test]
fn an_empty_listing_is_believed_until_a_notification() {
    let mut memory = ring_of(0);
    let tenant = TenantName::trusted("tenant");
    let types = [JobType::trusted("encode")];
    assert!(memory.is_known_without(None, Some(&types)) && memory.is_known_empty());
    memory.add(LaneId(7), 1);
    assert!(!memory.is_known_without(None, Some(&types)) && !memory.is_known_empty());
    assert!(memory.may_hold(Some(&tenant), Some(&types)), "whose lane it is was not read yet");
}

#[test]
fn an_empty_listing_is_believed_while_the_next_one_is_under_way_unless_that_is_because_of_a_doubt() {
    let mut memory = ring_of(0);
    let begun_at = memory.begin_listing();
    assert!(memory.is_known_empty(), "nothing came since the last one");
    memory.mark_stale();
    assert!(!memory.is_known_empty());
    let again = memory.begin_listing();
    assert!(!memory.is_known_empty(), "what came meanwhile is not known yet");
    memory.end_listing(begun_at, &[], Duration::ZERO);
    assert!(!memory.is_known_empty(), "it began before the doubt");
    memory.end_listing(again, &[], Duration::ZERO);
    assert!(memory.is_known_empty());
    memory.mark_complete(Some(0));
    memory.begin_probe();
    assert!(memory.is_known_empty());
}

#[test]
fn a_look_knows_for_which_tenants_and_types_there_is_a_lane() {
    let memory = ring_of(3);
    let (one, other) = ([JobType::trusted("encode")], [JobType::trusted("resize")]);
    let (tenant, nobody) = (TenantName::trusted("tenant2"), TenantName::trusted("nobody"));
    assert!(memory.may_hold(None, Some(&one)) && memory.may_hold(Some(&tenant), Some(&one)));
    assert!(!memory.may_hold(None, Some(&other)) && !memory.may_hold(Some(&nobody), Some(&one)));
    assert!(memory.is_known_without(None, Some(&other)) && !memory.is_known_without(None, Some(&one)));
}

#[test]
fn a_mark_during_a_look_begins_the_round_anew() {
    let mut memory = ring_of(LANES_LISTED_MAX + 1);
    memory.mark_stale();
    let first = memory.begin_part();
    memory.end_part(first, Some(500));
    assert_eq!(memory.begin_part(), 500);
    memory.mark_stale();
    memory.end_part(500, None);
    assert!(memory.is_stale(), "the first lanes were read before it");
    // So it does while the first part is read.
    assert_eq!(memory.begin_part(), first);
    memory.mark_stale();
    memory.end_part(first, Some(500));
    assert_eq!(memory.begin_part(), first, "it may have been read before the mark");
    memory.end_part(first, None);
    assert!(!memory.is_stale());
}
