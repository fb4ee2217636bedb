//! Watching the sessions of other processes: one that has been away for a while, and did not come back, has ended.
//!
//! A session also breaks where its process is well: the connection is cut, the server ends it. Such a process connects
//! again at once. So what counts is that the session was away at every look for [`LOST_AFTER`].

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::time::DurationMs;

/// For how long a session is away until its process is taken for lost.
pub const LOST_AFTER: DurationMs = DurationMs::from_secs(3);

/// Which processes have no session, and since when.
#[derive(Debug, Clone, Default)]
pub struct NodeWatch {
    away: BTreeMap<Uuid, DurationMs>,
}

impl NodeWatch {
    /// Takes in which processes have no session at this time, since any origin on a clock that never steps. Answers those
    /// that are lost. They are answered again at the next look, if they are still away then.
    pub fn observe(&mut self, away: &[Uuid], at: DurationMs) -> Vec<Uuid> {
        self.away.retain(|node, _| away.contains(node));
        let lost = away.iter().copied().filter(|&node| {
            let since = *self.away.entry(node).or_insert(at);
            at.0.saturating_sub(since.0) >= LOST_AFTER.0
        });
        lost.collect()
    }

    /// Forgets what was seen: another server may answer next.
    pub fn forget(&mut self) {
        self.away.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    const NOBODY: [Uuid; 0] = [];

    fn at(ms: i64) -> DurationMs {
        DurationMs(ms)
    }

    #[test]
    fn a_process_is_lost_when_it_was_away_for_three_seconds() {
        let mut watch = NodeWatch::default();
        assert_eq!(watch.observe(&[node(1)], at(10_000)), NOBODY);
        assert_eq!(watch.observe(&[node(1), node(2)], at(12_999)), NOBODY);
        assert_eq!(watch.observe(&[node(1), node(2)], at(13_000)), [node(1)]);
        assert_eq!(watch.observe(&[node(1), node(2)], at(15_999)), [node(1), node(2)]);
    }

    #[test]
    fn a_process_that_comes_back_is_not_lost() {
        let mut watch = NodeWatch::default();
        for second in 0..100 {
            // It connects again every other second, and is seen without a session in between.
            let away = if second % 2 == 0 { vec![node(1)] } else { vec![] };
            assert_eq!(watch.observe(&away, at(second * 1_000)), NOBODY);
        }
    }

    #[test]
    fn another_server_knows_nothing_of_what_was_seen_before() {
        let mut watch = NodeWatch::default();
        watch.observe(&[node(1)], at(0));
        watch.forget();
        assert_eq!(watch.observe(&[node(1)], at(3_000)), NOBODY);
        assert_eq!(watch.observe(&[node(1)], at(6_000)), [node(1)]);
    }
}
