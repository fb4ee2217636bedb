//! The order in which messages go out: those with the same key one behind the other, also where one of them fails.
//!
//! Messages of one key may be under way together, because a producer keeps their order. Where one fails and is to be sent
//! again, no other of its key is sent before all that are under way are answered; then the failed ones go first, in their
//! order. Other keys are not held up. Of keys of different ranks, those of the lower rank go first.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;

/// How many ranks there are: one a tier.
const RANKS: usize = 3;

/// Messages that wait to be sent or to be acknowledged, by key.
#[derive(Debug)]
pub struct Outbox<K, M> {
    lines: HashMap<K, Line<M>>,
    /// Keys that may have something to send, by rank, in the order in which they came to it.
    ready: [VecDeque<K>; RANKS],
    /// Keys with failed messages and nothing under way.
    failed: Vec<K>,
    next: u64,
    len: usize,
}

/// The messages of one key.
#[derive(Debug)]
struct Line<M> {
    rank: usize,
    waiting: VecDeque<(u64, M)>,
    sent: BTreeMap<u64, M>,
    failed: BTreeMap<u64, M>,
    is_ready: bool,
}

impl<K, M> Default for Outbox<K, M> {
    fn default() -> Self {
        Self {
            lines: HashMap::new(),
            ready: std::array::from_fn(|_| VecDeque::new()),
            failed: Vec::new(),
            next: 0,
            len: 0,
        }
    }
}

impl<M> Default for Line<M> {
    fn default() -> Self {
        Self {
            rank: 0,
            waiting: VecDeque::new(),
            sent: BTreeMap::new(),
            failed: BTreeMap::new(),
            is_ready: false,
        }
    }
}

impl<K: Clone + Eq + Hash, M> Outbox<K, M> {
    /// How many messages are not acknowledged.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether all are acknowledged.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a message behind those of its key. Messages of one key have one rank.
    pub fn push(&mut self, key: K, rank: usize, message: M) {
        let number = self.next;
        self.next += 1;
        self.len += 1;
        let line = self.lines.entry(key.clone()).or_default();
        line.rank = rank.min(RANKS - 1);
        line.waiting.push_back((number, message));
        if !line.is_ready {
            line.is_ready = true;
            self.ready[line.rank].push_back(key);
        }
    }

    /// The rank of the next message that may be sent now.
    pub fn next_rank(&self) -> Option<usize> {
        self.ready.iter().position(|keys| !keys.is_empty())
    }

    /// The next message that may be sent now, with the number under which its end is reported. The message stays here until
    /// [`acknowledged`](Self::acknowledged).
    pub fn take_next(&mut self) -> Option<(K, u64, &M)> {
        loop {
            let key = self.ready.iter_mut().find_map(VecDeque::pop_front)?;
            let Some(line) = self.lines.get_mut(&key) else {
                continue;
            };
            line.is_ready = false;
            if !line.failed.is_empty() {
                continue;
            }
            let Some((number, message)) = line.waiting.pop_front() else {
                continue;
            };
            line.sent.insert(number, message);
            if !line.waiting.is_empty() {
                line.is_ready = true;
                self.ready[line.rank].push_back(key.clone());
            }
            let message = self.lines.get(&key).and_then(|line| line.sent.get(&number))?;
            return Some((key, number, message));
        }
    }

    /// A sent message is acknowledged, or refused for good: it leaves.
    pub fn acknowledged(&mut self, key: &K, number: u64) -> Option<M> {
        let line = self.lines.get_mut(key)?;
        let message = line.sent.remove(&number)?;
        self.len -= 1;
        if line.sent.is_empty() && !line.failed.is_empty() {
            self.failed.push(key.clone());
        } else if line.sent.is_empty() && line.waiting.is_empty() {
            self.lines.remove(key);
        }
        Some(message)
    }

    /// A sent message failed and is to be sent again: its key waits for [`retry`](Self::retry).
    pub fn failed(&mut self, key: &K, number: u64) {
        let Some(line) = self.lines.get_mut(key) else {
            return;
        };
        let Some(message) = line.sent.remove(&number) else {
            return;
        };
        line.failed.insert(number, message);
        if line.sent.is_empty() {
            self.failed.push(key.clone());
        }
    }

    /// Whether keys wait to be sent again.
    pub fn has_failed(&self) -> bool {
        !self.failed.is_empty()
    }

    /// Lets failed messages be sent again, in front of the others of their key.
    pub fn retry(&mut self) {
        for key in std::mem::take(&mut self.failed) {
            let Some(line) = self.lines.get_mut(&key) else {
                continue;
            };
            while let Some((number, message)) = line.failed.pop_last() {
                line.waiting.push_front((number, message));
            }
            if !line.is_ready {
                line.is_ready = true;
                self.ready[line.rank].push_back(key);
            }
        }
    }

    /// Takes out the messages that are not under way, in no order.
    pub fn take_unsent(&mut self) -> Vec<M> {
        let mut unsent = Vec::new();
        for line in self.lines.values_mut() {
            unsent.extend(std::mem::take(&mut line.failed).into_values());
            unsent.extend(line.waiting.drain(..).map(|(_, message)| message));
            line.is_ready = false;
        }
        self.lines.retain(|_, line| !line.sent.is_empty());
        self.ready.iter_mut().for_each(VecDeque::clear);
        self.failed.clear();
        self.len -= unsent.len();
        unsent
    }

    /// Takes out all messages, also those under way, in no order. What is reported of these later says nothing here.
    pub fn take_all(&mut self) -> Vec<M> {
        let mut all = self.take_unsent();
        all.extend(self.lines.drain().flat_map(|(_, line)| line.sent.into_values()));
        self.len = 0;
        all
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap as Map;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_failed_message_goes_before_those_behind_it() {
        let mut outbox = Outbox::default();
        for message in ["a1", "a2", "a3"] {
            outbox.push("a", 1, message);
        }
        outbox.push("b", 1, "b1");
        let (_, first, _) = outbox.take_next().expect("a1");
        let (_, other, message) = outbox.take_next().expect("b1 takes its turn");
        assert_eq!(*message, "b1");
        let (_, second, _) = outbox.take_next().expect("a2");
        outbox.failed(&"a", first);
        assert!(outbox.take_next().is_none(), "a3 waits, because a1 failed");
        assert!(!outbox.has_failed(), "a2 is under way");
        outbox.failed(&"a", second);
        outbox.retry();
        let order: Vec<&str> =
            std::iter::from_fn(|| outbox.take_next().map(|(_, _, message)| *message)).collect();
        assert_eq!(order, ["a1", "a2", "a3"]);
        assert_eq!(outbox.acknowledged(&"b", other), Some("b1"));
        assert_eq!(outbox.len(), 3);
    }

    #[test]
    fn what_is_not_under_way_can_be_taken_out() {
        let mut outbox = Outbox::default();
        for message in ["a1", "a2", "a3"] {
            outbox.push("a", 1, message);
        }
        outbox.push("b", 0, "b1");
        let (_, other, _) = outbox.take_next().expect("b1 has the lower rank");
        let (_, first, _) = outbox.take_next().expect("a1");
        let (_, second, _) = outbox.take_next().expect("a2");
        outbox.failed(&"a", second);
        let mut unsent = outbox.take_unsent();
        unsent.sort_unstable();
        assert_eq!((unsent, outbox.len()), (vec!["a2", "a3"], 2));
        outbox.failed(&"b", other);
        assert_eq!(outbox.take_unsent(), ["b1"]);
        assert!(!outbox.has_failed() && outbox.take_next().is_none());
        assert_eq!(outbox.acknowledged(&"a", first), Some("a1"));
        outbox.push("a", 1, "a4");
        assert_eq!(outbox.take_next().map(|(_, _, message)| *message), Some("a4"), "the key goes on");
    }

    #[test]
    fn what_is_reported_of_messages_that_were_taken_out_says_nothing() {
        let mut outbox = Outbox::default();
        for message in ["a1", "a2", "a3"] {
            outbox.push("a", 1, message);
        }
        let (_, first, _) = outbox.take_next().expect("a1");
        let (_, second, _) = outbox.take_next().expect("a2");
        outbox.failed(&"a", second);
        let mut all = outbox.take_all();
        all.sort_unstable();
        assert_eq!((all, outbox.len(), outbox.next_rank()), (vec!["a1", "a2", "a3"], 0, None));
        outbox.push("a", 1, "a4");
        let (_, fourth, _) = outbox.take_next().expect("a4");
        assert_eq!(outbox.acknowledged(&"a", first), None);
        outbox.failed(&"a", second);
        assert!(!outbox.has_failed());
        assert_eq!((outbox.acknowledged(&"a", fourth), outbox.len()), (Some("a4"), 0));
    }

    proptest! {
        /// Whatever fails, the last successful sends of each key are in order, nothing is lost, and a key is never sent
        /// past a failed message.
        #[test]
        fn order_holds_by_key(
            keys in prop::collection::vec(0..4_u8, 1..60),
            faults in prop::collection::vec(any::<bool>(), 1..40),
        ) {
            let mut outbox = Outbox::default();
            for (number, key) in keys.iter().enumerate() {
                outbox.push(*key, usize::from(*key), number);
            }
            let mut faults = faults.into_iter();
            let mut acknowledged: Map<u8, Vec<usize>> = Map::new();
            let mut rounds = 0;
            while !outbox.is_empty() {
                rounds += 1;
                prop_assert!(rounds < 200, "it comes to an end");
                outbox.retry();
                let mut sent = Vec::new();
                while let Some((key, number, _)) = outbox.take_next() {
                    sent.push((key, number));
                }
                // As a producer does: once one of a key has failed, so do those behind it.
                let mut broken = std::collections::HashSet::new();
                for (key, number) in sent {
                    if broken.contains(&key) || faults.next().unwrap_or(false) {
                        broken.insert(key);
                        outbox.failed(&key, number);
                    } else {
                        acknowledged.entry(key).or_default().extend(outbox.acknowledged(&key, number));
                    }
                }
            }
            let total: usize = acknowledged.values().map(Vec::len).sum();
            prop_assert_eq!(total, keys.len());
            for order in acknowledged.values() {
                prop_assert!(order.is_sorted());
            }
        }
    }
}
