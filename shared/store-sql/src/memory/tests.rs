//! What a node makes of jobs that others enqueued.

use domain::claim::Depth;
use domain::names::{JobType, TenantName};
use domain::queue::{LaneId, LaneKey, QueueName, Tier};

use super::Memory;
use crate::arrivals::Arrival;

const QUEUE: QueueName = QueueName::Node;
const LANE: LaneId = LaneId(1);

/// A memory that knows the lane and holds nothing in its ring.
fn memory() -> Memory {
    let memory = Memory::default();
    let key = LaneKey {
        queue: QUEUE,
        tier: Tier::Normal,
        tenant: TenantName::trusted("tenant"),
        workflow: None,
        job_type: JobType::trusted("encode"),
        rate_key: None,
    };
    memory.queue(QUEUE).lanes().lanes.insert(LANE, key);
    memory
}

fn arrival(lane: LaneId, first: i64) -> Arrival {
    Arrival { lane, first }
}

#[test]
fn a_known_lane_joins_the_ring_without_a_listing() {
    let memory = memory();
    memory.on_remote_arrival(QUEUE, arrival(LANE, 9));
    let lanes = memory.queue(QUEUE).lanes();
    assert!(lanes.ring.contains(LANE) && !lanes.is_stale());
}

#[test]
fn an_unknown_lane_joins_the_ring_once_its_key_is_read() {
    let memory = memory();
    memory.on_remote_arrival(QUEUE, arrival(LaneId(2), 9));
    let mut lanes = memory.queue(QUEUE).lanes();
    assert!(!lanes.ring.contains(LaneId(2)) && !lanes.is_stale(), "nothing else has to be read");
    assert!(lanes.may_hold(Some(&TenantName::trusted("nobody")), None), "it may be anybody's");
    assert_eq!(lanes.unheard(), [LaneId(2)]);
    let key = LaneKey { tier: Tier::High, ..lanes.lanes.get(LANE).expect("it is known").clone() };
    lanes.lanes.insert(LaneId(2), key);
    lanes.hear(&[LaneId(2)]);
    assert!(lanes.ring.contains(LaneId(2)) && lanes.unheard().is_empty());
}

#[test]
fn what_a_lost_connection_leaves_is_used_no_more() {
    let memory = memory();
    memory.on_remote_arrival(QUEUE, arrival(LANE, 9));
    memory.forget();
    let mut lanes = memory.queue(QUEUE).lanes();
    assert!(lanes.is_lost() && !lanes.is_known_empty() && !lanes.is_known_without(None, None));
    lanes.renew();
    assert!(lanes.lanes.is_empty() && lanes.ring.is_empty() && !lanes.is_lost());
    assert!(lanes.is_stale(), "the lanes are read anew");
}

#[test]
fn an_older_job_lowers_the_floor_before_and_during_a_claim() {
    let memory = memory();
    memory.queue(QUEUE).lanes().counts.begin_claim();
    memory.queue(QUEUE).lanes().counts.raise_floor(LANE, 50);
    memory.on_remote_arrival(QUEUE, arrival(LANE, 40));
    assert_eq!(memory.queue(QUEUE).lanes().counts.floor(LANE), 39);
    memory.queue(QUEUE).lanes().counts.begin_claim();
    memory.on_remote_arrival(QUEUE, arrival(LANE, 60));
    memory.queue(QUEUE).lanes().counts.raise_floor(LANE, 70);
    assert_eq!(memory.queue(QUEUE).lanes().counts.floor(LANE), 59, "it came while the claim was under way");
}

#[test]
fn an_announced_lane_outlives_a_listing_that_began_before() {
    let memory = memory();
    let begun_at = memory.queue(QUEUE).lanes().begin_listing();
    memory.on_remote_arrival(QUEUE, arrival(LANE, 9));
    let mut lanes = memory.queue(QUEUE).lanes();
    let lanes = &mut *lanes;
    lanes.ring.rebuild(&lanes.lanes, &[], begun_at).expect("no lane is unknown");
    assert!(lanes.ring.contains(LANE));
    lanes.ring.record_depth(LANE, Depth::exactly(0));
    assert!(lanes.ring.is_empty());
}
