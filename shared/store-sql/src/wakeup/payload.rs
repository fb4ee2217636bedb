//! Hints as the text of a notification, and hints that gather until they can be sent.
//!
//! The text is the sender's node, then one word a hint: `q1` (a queue's code), `q1.12.345` (a queue's code, one of its
//! lanes, and the position of the first job that came to it), `e1` (slots of a queue became free), `i<uuid>` (an
//! inbox), `f<uuid>` (a finished execution), `l<uuid>` (a job that logged), `s` (settings), `a` (alerts), `d` (the
//! intake), `p` (the sender's probe), `*` (everything).

use std::collections::BTreeSet;

use domain::id::{ExecutionId, JobId};
use domain::queue::{LaneId, QueueName};
use store::wakeup::Hint;
use uuid::Uuid;

use crate::arrivals::{Arrival, Arrived};

/// PostgreSQL refuses payloads of 8,000 bytes and more.
const PAYLOAD_MAX_BYTES: usize = 7_900;

/// Beyond so many executions a hint about everything is cheaper for everybody.
const EXECUTIONS_MAX: usize = 2_000;

/// More jobs than this that logged at once are not announced: whoever follows one of them hears of its next lines.
const LOGGED_MAX: usize = 500;

/// What a word of a notification says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// A hint.
    Hint(Hint),
    /// Jobs came to a lane.
    Arrived(QueueName, Arrival),
    /// Slots of a queue became free: nothing but a reason to look.
    Freed(QueueName),
    /// The sender tries whether notifications come back to it.
    Probe,
    /// Anything may have happened.
    Everything,
}

/// Hints that wait to be sent, each once.
#[expect(clippy::struct_excessive_bools, reason = "each is a hint of its own")]
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Gathered {
    queues: BTreeSet<QueueName>,
    /// Queues to which jobs came; which jobs, is asked when the payloads are made.
    enqueued: BTreeSet<QueueName>,
    /// Queues with slots that became free; so are those of the jobs that came back.
    freed: BTreeSet<QueueName>,
    inboxes: BTreeSet<ExecutionId>,
    finished: BTreeSet<ExecutionId>,
    logged: BTreeSet<JobId>,
    settings: bool,
    alerts: bool,
    intake: bool,
    everything: bool,
}

impl Gathered {
    /// Adds a hint.
    pub(super) fn add(&mut self, hint: Hint) {
        match hint {
            Hint::Queue(queue) => drop(self.queues.insert(queue)),
            Hint::Enqueued(queue) => drop(self.enqueued.insert(queue)),
            Hint::Freed(queue) => drop(self.freed.insert(queue)),
            Hint::Inbox(execution) => drop(self.inboxes.insert(execution)),
            Hint::Finished(execution) => drop(self.finished.insert(execution)),
            Hint::Logged(job) if self.logged.len() < LOGGED_MAX => drop(self.logged.insert(job)),
            Hint::Logged(_) => {}
            Hint::Settings => self.settings = true,
            Hint::Alerts => self.alerts = true,
            Hint::Intake => self.intake = true,
        }
        if self.inboxes.len() + self.finished.len() > EXECUTIONS_MAX {
            *self = Self { everything: true, ..Self::default() };
        }
    }

    /// Whether there is nothing to send.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The payloads for all of it. `take` answers what came to a queue, and counts as announced then.
    pub(super) fn payloads(&self, node: Uuid, take: impl Fn(QueueName) -> Arrived) -> Vec<String> {
        let mut queues = self.queues.clone();
        let mut arrived: Vec<String> = Vec::new();
        let announced: BTreeSet<QueueName> =
            self.queues.iter().chain(&self.enqueued).chain(&self.freed).copied().collect();
        for queue in announced {
            match take(queue) {
                Arrived::Lanes(lanes) if !queues.contains(&queue) => {
                    let word = |Arrival { lane, first }| format!("q{}.{}.{first}", queue.code(), lane.0);
                    arrived.extend(lanes.into_iter().map(word));
                }
                // Whoever looks at the whole queue finds them.
                Arrived::Lanes(_) | Arrived::Many => drop(queues.insert(queue)),
            }
        }
        let head = node.simple().to_string();
        if self.everything {
            return vec![format!("{head} *")];
        }
        let settings = self.settings.then(|| "s".to_owned());
        let alerts = self.alerts.then(|| "a".to_owned());
        let intake = self.intake.then(|| "d".to_owned());
        let freed: Vec<String> =
            self.freed.difference(&queues).map(|queue| format!("e{}", queue.code())).collect();
        let queues = queues.iter().map(|queue| format!("q{}", queue.code()));
        let inboxes = self.inboxes.iter().map(|id| format!("i{}", id.uuid().simple()));
        let finished = self.finished.iter().map(|id| format!("f{}", id.uuid().simple()));
        let logged = self.logged.iter().map(|id| format!("l{}", id.uuid().simple()));
        let of_queues =
            settings.into_iter().chain(alerts).chain(intake).chain(queues).chain(freed).chain(arrived);
        let mut payloads: Vec<String> = Vec::new();
        for word in of_queues.chain(inboxes).chain(finished).chain(logged) {
            match payloads.last_mut() {
                Some(payload) if payload.len() + 1 + word.len() <= PAYLOAD_MAX_BYTES => {
                    payload.push(' ');
                    payload.push_str(&word);
                }
                _ => payloads.push(format!("{head} {word}")),
            }
        }
        payloads
    }
}

/// A payload up to the lane of its only word, which is of an arrival.
pub(super) fn head_of_arrival(node: Uuid, queue: QueueName) -> String {
    format!("{} q{}.", node.simple(), queue.code())
}

/// The payload of a probe.
pub(super) fn probe(node: Uuid) -> String {
    format!("{} p", node.simple())
}

/// The sender of a payload and what it says. Words that a newer version may send are left out.
pub(super) fn read(payload: &str) -> Option<(Uuid, Vec<Word>)> {
    let mut words = payload.split(' ');
    let node = Uuid::try_parse(words.next()?).ok()?;
    Some((node, words.filter_map(word).collect()))
}

fn word(text: &str) -> Option<Word> {
    let execution = |hex: &str| Uuid::try_parse(hex).ok().map(ExecutionId::from_uuid);
    match text.split_at_checked(1)? {
        ("q", of_queue) => {
            let (code, arrival) =
                of_queue.split_once('.').map_or((of_queue, None), |(code, rest)| (code, Some(rest)));
            let queue = code.parse().ok().and_then(QueueName::from_code)?;
            let Some(arrival) = arrival else {
                return Some(Word::Hint(Hint::Queue(queue)));
            };
            let (lane, first) = arrival.split_once('.')?;
            let arrival = Arrival { lane: LaneId(lane.parse().ok()?), first: first.parse().ok()? };
            Some(Word::Arrived(queue, arrival))
        }
        ("e", code) => code.parse().ok().and_then(QueueName::from_code).map(Word::Freed),
        ("i", hex) => execution(hex).map(|id| Word::Hint(Hint::Inbox(id))),
        ("f", hex) => execution(hex).map(|id| Word::Hint(Hint::Finished(id))),
        ("l", hex) => Uuid::try_parse(hex).ok().map(|id| Word::Hint(Hint::Logged(JobId::from_uuid(id)))),
        ("s", "") => Some(Word::Hint(Hint::Settings)),
        ("a", "") => Some(Word::Hint(Hint::Alerts)),
        ("d", "") => Some(Word::Hint(Hint::Intake)),
        ("p", "") => Some(Word::Probe),
        ("*", "") => Some(Word::Everything),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: Uuid = Uuid::from_u128(7);

    fn nothing(_: QueueName) -> Arrived {
        Arrived::Lanes(Vec::new())
    }

    fn execution(number: u128) -> ExecutionId {
        ExecutionId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn hints_come_back_once_each() {
        let hints = [
            Hint::Settings,
            Hint::Alerts,
            Hint::Intake,
            Hint::Queue(QueueName::Node),
            Hint::Inbox(execution(1)),
            Hint::Finished(execution(2)),
            Hint::Logged(JobId::from_uuid(Uuid::from_u128(3))),
        ];
        let mut gathered = Gathered::default();
        hints.iter().chain(&hints).for_each(|&hint| gathered.add(hint));
        let payloads = gathered.payloads(NODE, nothing);
        assert_eq!(payloads.len(), 1);
        let words = hints.map(Word::Hint).to_vec();
        assert_eq!(read(&payloads[0]), Some((NODE, words)));
    }

    #[test]
    fn arrivals_come_back_unless_all_of_their_queue_is_announced() {
        let arrival = Arrival { lane: LaneId(12), first: 345 };
        let lanes = |_| Arrived::Lanes(vec![arrival]);
        let all = vec![Word::Hint(Hint::Queue(QueueName::Node))];
        let payload_of = |gathered: &Gathered, take: &dyn Fn(QueueName) -> Arrived| {
            let payloads = gathered.payloads(NODE, take);
            assert_eq!(payloads.len(), 1);
            read(&payloads[0]).expect("a payload").1
        };
        let mut gathered = Gathered::default();
        gathered.add(Hint::Enqueued(QueueName::Node));
        assert_eq!(payload_of(&gathered, &lanes), [Word::Arrived(QueueName::Node, arrival)]);
        assert_eq!(payload_of(&gathered, &|_| Arrived::Many), all);
        assert!(gathered.payloads(NODE, nothing).is_empty(), "the insert has announced it");
        gathered.add(Hint::Queue(QueueName::Node));
        assert_eq!(payload_of(&gathered, &lanes), all);
        assert_eq!(payload_of(&gathered, &nothing), all);
    }

    #[test]
    fn free_slots_are_announced_with_the_jobs_that_came_back_and_not_where_all_of_the_queue_is() {
        let arrival = Arrival { lane: LaneId(12), first: 345 };
        let lanes = |_| Arrived::Lanes(vec![arrival]);
        let mut gathered = Gathered::default();
        gathered.add(Hint::Freed(QueueName::Node));
        let words = |gathered: &Gathered, take: &dyn Fn(QueueName) -> Arrived| {
            read(&gathered.payloads(NODE, take)[0]).expect("a payload").1
        };
        let (freed, came) = (Word::Freed(QueueName::Node), Word::Arrived(QueueName::Node, arrival));
        assert_eq!(words(&gathered, &nothing), [freed]);
        assert_eq!(words(&gathered, &lanes), [freed, came]);
        let all = [Word::Hint(Hint::Queue(QueueName::Node))];
        assert_eq!(words(&gathered, &|_| Arrived::Many), all);
        gathered.add(Hint::Queue(QueueName::Node));
        assert_eq!(words(&gathered, &nothing), all);
    }

    #[test]
    fn many_hints_are_spread_over_payloads_and_too_many_become_one() {
        let mut gathered = Gathered::default();
        (0..EXECUTIONS_MAX as u128).for_each(|number| gathered.add(Hint::Inbox(execution(number))));
        let payloads = gathered.payloads(NODE, nothing);
        assert!(payloads.iter().all(|payload| payload.len() <= PAYLOAD_MAX_BYTES));
        let words: usize =
            payloads.iter().filter_map(|payload| read(payload)).map(|(_, words)| words.len()).sum();
        assert_eq!(words, EXECUTIONS_MAX);
        gathered.add(Hint::Finished(execution(1)));
        assert_eq!(read(&gathered.payloads(NODE, nothing)[0]), Some((NODE, vec![Word::Everything])));
    }

    #[test]
    fn foreign_text_is_no_hint() {
        assert_eq!(read("hello"), None);
        assert_eq!(read(""), None);
        assert_eq!(read(&format!("{NODE} q9 zz ü i12 q1x q1. q1.2 q1.2.x q9.1.1")), Some((NODE, vec![])));
    }
}
