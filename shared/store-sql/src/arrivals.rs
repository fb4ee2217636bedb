//! Jobs that became claimable by calls of this node and of which the other nodes are to be notified: the lanes they lie
//! in, so that no node has to list all lanes for them.
//!
//! PostgreSQL only: elsewhere there is no other node. Sends nothing by itself, except that the insert of a job that
//! comes alone may carry its own notification.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use domain::queue::LaneId;
use parking_lot::Mutex;

/// Beyond so many lanes a hint about the whole queue is cheaper for everybody. A lane takes about 20 bytes.
const LANES_MAX: usize = 1_024;

/// Commits with a notification wait for one another until they are on the disk, on all nodes. So an insert carries one
/// only after a pause as long as this, and the hints of a busy node share notifications of their own.
const PAUSE: Duration = Duration::from_millis(10);

/// Jobs that came to a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// The lane.
    pub(crate) lane: LaneId,
    /// The position of the first of them.
    pub(crate) first: i64,
}

/// What came to a queue.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Arrived {
    /// Jobs of these lanes, each once.
    Lanes(Vec<Arrival>),
    /// Jobs of many lanes.
    Many,
}

/// Arrivals of one queue of which the other nodes were not notified yet.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    /// What a notification of one arrival begins with. Not set where there are no other nodes.
    head: OnceLock<String>,
    unannounced: Mutex<Unannounced>,
}

#[derive(Debug, Default)]
struct Unannounced {
    /// The position of the first job by lane.
    lanes: BTreeMap<LaneId, i64>,
    is_many: bool,
    /// When the last job came of which an insert could have notified.
    last_at: Option<Instant>,
}

impl Arrivals {
    /// Says that there may be other nodes, and what a notification begins with that has the lane, a dot and the
    /// position after it.
    pub(crate) fn tell_others(&self, head: String) {
        self.head.get_or_init(|| head);
    }

    /// Records jobs that can be claimed now, and of which a hint is to follow.
    pub(crate) fn record(&self, arrival: Arrival) {
        if self.head.get().is_none() {
            return;
        }
        let mut unannounced = self.unannounced.lock();
        if unannounced.is_many {
            return;
        }
        let first = unannounced.lanes.entry(arrival.lane).or_insert(arrival.first);
        *first = arrival.first.min(*first);
        if unannounced.lanes.len() > LANES_MAX {
            unannounced.lanes.clear();
            unannounced.is_many = true;
        }
    }

    /// What was recorded since the last call.
    pub(crate) fn take(&self) -> Arrived {
        let mut unannounced = self.unannounced.lock();
        let lanes = std::mem::take(&mut unannounced.lanes);
        if std::mem::take(&mut unannounced.is_many) {
            return Arrived::Many;
        }
        Arrived::Lanes(lanes.into_iter().map(|(lane, first)| Arrival { lane, first }).collect())
    }

    /// What the insert of a single job is to notify of, up to the job's lane and position; `None` where it is left to a
    /// hint.
    pub(crate) fn head_for_insert(&self, now: Instant) -> Option<&str> {
        let head = self.head.get()?;
        let last_at = self.unannounced.lock().last_at.replace(now);
        last_at.is_none_or(|at| now.duration_since(at) >= PAUSE).then_some(head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(lane: i32, first: i64) -> Arrival {
        Arrival { lane: LaneId(lane), first }
    }

    fn known_arrivals() -> Arrivals {
        let arrivals = Arrivals::default();
        arrivals.tell_others("head".to_owned());
        arrivals
    }

    #[test]
    fn each_lane_is_announced_once_with_its_first_job() {
        let arrivals = known_arrivals();
        for known in [arrival(2, 9), arrival(1, 7), arrival(2, 8), arrival(2, 10)] {
            arrivals.record(known);
        }
        assert_eq!(arrivals.take(), Arrived::Lanes(vec![arrival(1, 7), arrival(2, 8)]));
        assert_eq!(arrivals.take(), Arrived::Lanes(vec![]));
    }

    #[test]
    fn many_lanes_are_announced_as_one_queue() {
        let arrivals = known_arrivals();
        (0..=LANES_MAX as i32).for_each(|lane| arrivals.record(arrival(lane, 1)));
        arrivals.record(arrival(0, 2));
        assert_eq!(arrivals.take(), Arrived::Many);
        assert_eq!(arrivals.take(), Arrived::Lanes(vec![]));
    }

    #[test]
    fn an_insert_tells_by_itself_only_after_a_pause() {
        let (arrivals, start) = (known_arrivals(), Instant::now());
        assert_eq!(arrivals.head_for_insert(start), Some("head"));
        assert_eq!(arrivals.head_for_insert(start + PAUSE / 2), None);
        // The pause is one between jobs, however often it was asked.
        assert_eq!(arrivals.head_for_insert(start + PAUSE), None);
        assert_eq!(arrivals.head_for_insert(start + PAUSE * 2), Some("head"));
    }

    #[test]
    fn without_other_nodes_nothing_is_kept() {
        let arrivals = Arrivals::default();
        arrivals.record(arrival(1, 1));
        assert_eq!(arrivals.take(), Arrived::Lanes(vec![]));
        assert_eq!(arrivals.head_for_insert(Instant::now()), None);
    }
}
