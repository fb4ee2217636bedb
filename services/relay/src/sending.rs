//! Messages on their way: waiting, with the producer, failed, refused.

use std::collections::{BTreeMap, VecDeque};

use domain::dispatch::Outbox;
use domain::names::JobType;
use domain::queue::Tier;
use domain::time::Timestamp;
use engine::RefusedOffer;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use metrics::counter;
use store::jobs::LeaseRef;
use telemetry::names;
use tokio::time::Instant;

use crate::envelope::Message;
use crate::publisher::{PublishError, Publisher};

mod stalled;

/// How many messages of a type the producer has at most. What waits here can still be put behind jobs of a higher tier, and a
/// topic whose brokers are gone keeps no other type from the producer.
const UNDER_WAY_MAX: usize = 4_000;

/// How many messages of a type are sent before it is the turn of another.
const IN_A_TURN: usize = 64;

/// Messages of one key of one topic keep their order.
type Key = (String, String);

/// A message that the producer has.
pub(crate) type UnderWay = BoxFuture<'static, Ended>;

/// A message whose end is known.
#[derive(Debug)]
pub(crate) struct Ended {
    job_type: JobType,
    key: Key,
    number: u64,
    outcome: Result<(), PublishError>,
}

#[derive(Debug)]
struct Publication {
    lease: LeaseRef,
    message: Message,
}

/// The messages of a type.
#[derive(Debug)]
struct OfType {
    outbox: Outbox<Key, Publication>,
    /// How many the producer has, also of those that were taken out here.
    under_way: usize,
    /// When the producer last answered for one, or got the first of those that it has.
    answered_at: Instant,
    /// Where it answers for none.
    stall: Option<Stall>,
}

/// Messages on their way.
#[derive(Debug, Default)]
pub(crate) struct Sending {
    types: BTreeMap<JobType, OfType>,
    len: usize,
    bytes: usize,
    /// Which type begins the next time.
    turn: usize,
    /// When a stalled type was tried again.
    tried_at: Option<Instant>,
    refused: Vec<RefusedOffer>,
    missing_topics: Vec<JobType>,
    tally: Tally,
}

/// What became of messages since the relay began.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    /// How many the broker acknowledged.
    pub(crate) published: u64,
    /// How often one could not be published.
    pub(crate) errors: u64,
    /// The reason of the last of these.
    pub(crate) last_error: Option<&'static str>,
}

impl Tally {
    fn failed(&mut self, reason: &'static str) {
        counter!(names::DISPATCH_PUBLISH_ERRORS_TOTAL, names::REASON => reason).increment(1);
        self.errors += 1;
        self.last_error = Some(reason);
    }
}

/// What a type's turn came to.
enum Turn {
    /// It may have more to send.
    More,
    /// It has nothing more to send now.
    Over,
    /// The producer takes no more for now.
    Full,
}

impl Sending {
    /// How many are not acknowledged.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// What became of messages so far.
    pub(crate) const fn tally(&self) -> Tally {
        self.tally
    }

    /// How much memory they take, about.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn push(&mut self, lease: LeaseRef, job_type: JobType, tier: Tier, message: Message) {
        self.bytes += message.size();
        self.len += 1;
        let key = (message.topic.clone(), message.key.clone());
        let rank = usize::try_from(tier.code()).unwrap_or_default();
        let of_type = self.types.entry(job_type).or_insert_with(OfType::new);
        of_type.outbox.push(key, rank, Publication { lease, message });
    }

    /// Adds an offer that can never be published.
    pub(crate) fn refuse(&mut self, offer: LeaseRef, code: &'static str, message: String) {
        self.tally.failed(code);
        self.refused.push(RefusedOffer { offer, code, message });
    }

    /// Counts that something could not be published for now.
    pub(crate) fn count(&mut self, error: &PublishError) {
        self.tally.failed(error.reason());
    }

    /// Whether messages wait to be sent again.
    pub(crate) fn has_failed(&self) -> bool {
        self.types.values().any(|of_type| of_type.outbox.has_failed())
    }

    /// Lets failed messages be sent again.
    pub(crate) fn retry(&mut self) {
        for of_type in self.types.values_mut() {
            of_type.outbox.retry();
        }
    }

    /// Gives messages to the producer, those of higher tiers first, and types in turns. Those of offers that do not stand any
    /// more are dropped.
    pub(crate) fn send(
        &mut self,
        publisher: &dyn Publisher,
        stands: impl Fn(LeaseRef) -> bool,
        mut under_way: impl FnMut(UnderWay),
    ) {
        for rank in 0..Tier::ALL.len() {
            let of_rank = self.types.iter().filter(|(_, of_type)| of_type.may_send(rank));
            let mut turns: VecDeque<JobType> = of_rank.map(|(job_type, _)| job_type.clone()).collect();
            let first = self.turn.checked_rem(turns.len()).unwrap_or(0);
            turns.rotate_left(first);
            self.turn = self.turn.wrapping_add(1);
            while let Some(job_type) = turns.pop_front() {
                match self.send_some(&job_type, rank, publisher, &stands, &mut under_way) {
                    Turn::More => turns.push_back(job_type),
                    Turn::Over => {}
                    Turn::Full => return,
                }
            }
        }
    }

    fn send_some(
        &mut self,
        job_type: &JobType,
        rank: usize,
        publisher: &dyn Publisher,
        stands: &impl Fn(LeaseRef) -> bool,
        under_way: &mut impl FnMut(UnderWay),
    ) -> Turn {
        for _ in 0..IN_A_TURN {
            let Some(of_type) = self.types.get_mut(job_type).filter(|of_type| of_type.may_send(rank)) else {
                return Turn::Over;
            };
            let Some((key, number, publication)) = of_type.outbox.take_next() else {
                return Turn::Over;
            };
            if !stands(publication.lease) {
                self.remove(job_type, &key, number);
                continue;
            }
            match publisher.publish(&publication.message) {
                Ok(receipt) => {
                    if of_type.under_way == 0 {
                        of_type.answered_at = Instant::now();
                    }
                    of_type.under_way += 1;
                    let job_type = job_type.clone();
                    under_way(receipt.map(move |outcome| Ended { job_type, key, number, outcome }).boxed());
                }
                Err(error) => {
                    let is_later = matches!(error, PublishError::Later { .. });
                    self.failed(job_type, &key, number, error);
                    if is_later {
                        return Turn::Full;
                    }
                }
            }
        }
        Turn::More
    }

    /// What became of a message. Answers the offer that it published.
    pub(crate) fn end(&mut self, ended: Ended) -> Option<LeaseRef> {
        let Ended { job_type, key, number, outcome } = ended;
        if let Some(of_type) = self.types.get_mut(&job_type) {
            of_type.under_way -= 1;
            of_type.answered_at = Instant::now();
            // Where one is heard of again, so may others.
            if outcome.is_ok() && of_type.stall.take().is_some() {
                self.tried_at = None;
            }
        }
        let published = match outcome {
            Ok(()) => self.remove(&job_type, &key, number),
            Err(error) => {
                self.failed(&job_type, &key, number, error);
                None
            }
        };
        self.forget_idle(&job_type);
        let publication = published?;
        counter!(names::DISPATCH_PUBLISHED_TOTAL).increment(1);
        self.tally.published += 1;
        Some(publication.lease)
    }

    /// Types whose topics turned out not to be there.
    pub(crate) fn take_missing_topics(&mut self) -> Vec<JobType> {
        std::mem::take(&mut self.missing_topics)
    }

    /// Offers that will never be published.
    pub(crate) fn take_refused(&mut self) -> Vec<RefusedOffer> {
        std::mem::take(&mut self.refused)
    }

    /// Takes out the messages that the producer does not have, and answers their offers.
    pub(crate) fn take_unsent(&mut self) -> Vec<LeaseRef> {
        let unsent: Vec<Publication> =
            self.types.values_mut().flat_map(|of_type| of_type.outbox.take_unsent()).collect();
        self.types.retain(|_, of_type| !of_type.is_idle());
        self.leave_out(unsent)
    }

    /// Counts messages no longer that were taken out, and answers their offers.
    fn leave_out(&mut self, taken: Vec<Publication>) -> Vec<LeaseRef> {
        self.len -= taken.len();
        self.bytes -= taken.iter().map(|publication| publication.message.size()).sum::<usize>();
        taken.into_iter().map(|publication| publication.lease).collect()
    }

    fn failed(&mut self, job_type: &JobType, key: &Key, number: u64, error: PublishError) {
        match error {
            PublishError::Later { reason, .. } => {
                self.tally.failed(reason);
                if let Some(of_type) = self.types.get_mut(job_type) {
                    of_type.outbox.failed(key, number);
                }
            }
            PublishError::Refused { code, message } => {
                let Some(publication) = self.remove(job_type, key, number) else {
                    return;
                };
                tracing::warn!(
                    job.id = %publication.lease.id,
                    job.r#type = %job_type,
                    code,
                    "the broker rejects an offer; its job becomes a dead letter"
                );
                if code == "topic_unknown" {
                    self.missing_topics.push(job_type.clone());
                }
                self.refuse(publication.lease, code, message);
            }
        }
    }

    /// Takes out a message that is done with.
    fn remove(&mut self, job_type: &JobType, key: &Key, number: u64) -> Option<Publication> {
        let of_type = self.types.get_mut(job_type)?;
        let publication = of_type.outbox.acknowledged(key, number)?;
        self.len -= 1;
        self.bytes -= publication.message.size();
        self.forget_idle(job_type);
        Some(publication)
    }

    fn forget_idle(&mut self, job_type: &JobType) {
        if self.types.get(job_type).is_some_and(OfType::is_idle) {
            self.types.remove(job_type);
        }
    }
}

impl OfType {
    fn new() -> Self {
        Self { outbox: Outbox::default(), under_way: 0, answered_at: Instant::now(), stall: None }
    }

    /// Whether there is nothing to know of it.
    fn is_idle(&self) -> bool {
        self.outbox.is_empty() && self.under_way == 0 && self.stall.is_none()
    }

    /// Whether the next message that may be sent has this rank.
    fn may_send(&self, rank: usize) -> bool {
        !self.is_held() && self.under_way < UNDER_WAY_MAX && self.outbox.next_rank() == Some(rank)
    }
}

/// The producer does not answer for a type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stall {
    pub(super) since: Timestamp,
    /// Since when nothing of the type is sent; `None` where it is tried again.
    pub(super) held_at: Option<Instant>,
}

#[cfg(test)]
mod tests {
    use domain::id::{JobId, LeaseToken};
    use domain::time::Timestamp;
    use parking_lot::Mutex;
    use uuid::Uuid;

    use super::*;
    use crate::publisher::Receipt;

    /// Takes messages, and acknowledges none.
    #[derive(Default)]
    pub(super) struct Stalled(pub(super) Mutex<Vec<String>>);

    #[async_trait::async_trait]
    impl Publisher for Stalled {
        fn publish(&self, message: &Message) -> Result<Receipt, PublishError> {
            self.0.lock().push(message.topic.clone());
            Ok(std::future::pending().boxed())
        }

        async fn ensure_topics(&self, topics: &[String]) -> Vec<Result<(), PublishError>> {
            vec![Ok(()); topics.len()]
        }

        fn away_since(&self) -> Option<Timestamp> {
            None
        }

        async fn recall(&self) {}
    }

    pub(super) fn push(sending: &mut Sending, job_type: &str, tier: Tier, numbers: std::ops::Range<u128>) {
        for number in numbers {
            let id = JobId::from_uuid(Uuid::from_u128(number));
            let lease = LeaseRef { id, token: LeaseToken(Uuid::from_u128(number)) };
            let topic = format!("{job_type}.{tier}");
            let message = Message { topic, key: id.to_string(), headers: Vec::new(), value: vec![b'x'; 10] };
            sending.push(lease, JobType::trusted(job_type), tier, message);
        }
    }

    fn count(of: &[String], topic: &str) -> usize {
        of.iter().filter(|sent| *sent == topic).count()
    }

    #[test]
    fn a_type_whose_brokers_are_gone_keeps_no_other_from_the_producer() {
        let (mut sending, stalled) = (Sending::default(), Stalled::default());
        push(&mut sending, "gone", Tier::Normal, 0..5_000);
        push(&mut sending, "other", Tier::Normal, 5_000..5_500);
        let mut under_way = Vec::new();
        sending.send(&stalled, |_| true, |receipt| under_way.push(receipt));
        let sent = std::mem::take(&mut *stalled.0.lock());
        assert_eq!((count(&sent, "gone.normal"), count(&sent, "other.normal")), (UNDER_WAY_MAX, 500));
        assert_eq!(under_way.len(), UNDER_WAY_MAX + 500);
        let last = sent.iter().rposition(|topic| topic == "other.normal").expect("they are sent");
        assert!(last < 1_200, "types take turns: the last of 500 was number {last}");
        // Acknowledged: there is room again, and what is of a higher tier goes first.
        push(&mut sending, "gone", Tier::High, 6_000..6_001);
        let ended = Ended {
            job_type: JobType::trusted("gone"),
            key: ("gone.normal".to_owned(), JobId::from_uuid(Uuid::from_u128(0)).to_string()),
            number: 0,
            outcome: Ok(()),
        };
        assert!(sending.end(ended).is_some());
        sending.send(&stalled, |_| true, |receipt| under_way.push(receipt));
        assert_eq!(*stalled.0.lock(), ["gone.high"]);
        assert_eq!(sending.len(), 5_500);
        assert_eq!(sending.take_unsent().len(), 1_000);
        assert_eq!((sending.len(), under_way.len()), (UNDER_WAY_MAX + 500, UNDER_WAY_MAX + 501));
    }

    #[test]
    fn higher_tiers_of_all_types_go_first() {
        let (mut sending, stalled) = (Sending::default(), Stalled::default());
        push(&mut sending, "a", Tier::Low, 0..100);
        push(&mut sending, "b", Tier::High, 100..200);
        push(&mut sending, "a", Tier::High, 200..300);
        sending.send(&stalled, |lease| lease.id.uuid().as_u128() != 250, drop);
        let sent = stalled.0.lock();
        assert!(sent[..199].iter().all(|topic| topic.contains(".high")), "{sent:?}");
        assert_eq!((count(&sent, "a.high"), count(&sent, "a.low")), (99, 100), "one does not stand any more");
        assert_eq!(sending.len(), 299);
    }
}
