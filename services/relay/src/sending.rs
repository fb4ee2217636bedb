//! Messages on their way: waiting, with the producer, failed, refused.

use async_trait::async_trait;
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

use crate::envelope::Message;

/// How many messages the producer has at most: what waits here can still be put behind jobs of a higher tier.
const UNDER_WAY_MAX: usize = 4_000;

/// Messages of one key of one topic keep their order.
type Key = (String, String);

/// A message that the producer has.
pub(crate) type UnderWay = BoxFuture<'static, Ended>;

/// A message whose end is known.
#[derive(Debug)]
pub(crate) struct Ended {
    key: Key,
    number: u64,
    outcome: Result<(), PublishError>,
}

#[derive(Debug)]
struct Publication {
    lease: LeaseRef,
    job_type: JobType,
    message: Message,
}

/// Messages on their way.
#[derive(Debug, Default)]
pub(crate) struct Sending {
    outbox: Outbox<Key, Publication>,
    bytes: usize,
    under_way: usize,
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

impl Sending {
    /// How many are not acknowledged.
    pub(crate) fn len(&self) -> usize {
        self.outbox.len()
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
        let key = (message.topic.clone(), message.key.clone());
        let rank = usize::try_from(tier.code()).unwrap_or_default();
        self.outbox.push(key, rank, Publication { lease, job_type, message });
    }

    /// Adds an offer that can never be published.
    pub(crate) fn refuse(&mut self, offer: LeaseRef, code: &'static str, message: String) {
        self.tally.failed(code);
        self.refused.push(RefusedOffer { offer, code, message });
    }

    /// Whether messages wait to be sent again.
    pub(crate) fn has_failed(&self) -> bool {
        self.outbox.has_failed()
    }

    /// Lets failed messages be sent again.
    pub(crate) fn retry(&mut self) {
        self.outbox.retry();
    }

    /// Gives messages to the producer. Those of offers that do not stand any more are dropped.
    pub(crate) fn send(
        &mut self,
        publisher: &dyn Publisher,
        stands: impl Fn(LeaseRef) -> bool,
        mut under_way: impl FnMut(UnderWay),
    ) {
        while self.under_way < UNDER_WAY_MAX {
            let Some((key, number, publication)) = self.outbox.take_next() else {
                return;
            };
            let receipt =
                if stands(publication.lease) { Some(publisher.publish(&publication.message)) } else { None };
            match receipt {
                None => self.forget(&key, number),
                Some(Ok(receipt)) => {
                    self.under_way += 1;
                    under_way(receipt.map(move |outcome| Ended { key, number, outcome }).boxed());
                }
                Some(Err(error)) => {
                    let is_later = matches!(error, PublishError::Later { .. });
                    self.failed(&key, number, error);
                    if is_later {
                        // The producer takes no more for now.
                        return;
                    }
                }
            }
        }
    }

    /// What became of a message. Answers the offer that it published.
    pub(crate) fn end(&mut self, ended: Ended) -> Option<LeaseRef> {
        let Ended { key, number, outcome } = ended;
        self.under_way -= 1;
        match outcome {
            Ok(()) => {
                let publication = self.outbox.acknowledged(&key, number)?;
                self.bytes -= publication.message.size();
                counter!(names::DISPATCH_PUBLISHED_TOTAL).increment(1);
                self.tally.published += 1;
                Some(publication.lease)
            }
            Err(error) => {
                self.failed(&key, number, error);
                None
            }
        }
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
        let unsent = self.outbox.take_unsent();
        self.bytes -= unsent.iter().map(|publication| publication.message.size()).sum::<usize>();
        unsent.into_iter().map(|publication| publication.lease).collect()
    }

    fn failed(&mut self, key: &Key, number: u64, error: PublishError) {
        match error {
            PublishError::Later { reason, .. } => {
                self.tally.failed(reason);
                self.outbox.failed(key, number);
            }
            PublishError::Refused { code, message } => {
                let Some(publication) = self.outbox.acknowledged(key, number) else {
                    return;
                };
                self.bytes -= publication.message.size();
                tracing::warn!(
                    job.id = %publication.lease.id,
                    job.r#type = %publication.job_type,
                    code,
                    "the broker refuses an offer; its job becomes a dead letter"
                );
                if code == "topic_unknown" {
                    self.missing_topics.push(publication.job_type);
                }
                self.refuse(publication.lease, code, message);
            }
        }
    }

    fn forget(&mut self, key: &Key, number: u64) {
        if let Some(publication) = self.outbox.acknowledged(key, number) {
            self.bytes -= publication.message.size();
        }
    }
}

// What a relay needs of a broker.

/// A message was not published.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// It never will be: the job becomes a dead letter.
    #[error("{code}: {message}")]
    Refused {
        /// A stable word: `message_too_large`, `topic_unknown`, `topic_invalid`, `not_authorized`, `message_refused`.
        code: &'static str,
        /// What the broker said.
        message: String,
    },
    /// It may be later.
    #[error("{reason}: {message}")]
    Later {
        /// A stable word: `queue_full`, `broker_away`, `not_acknowledged`.
        reason: &'static str,
        /// What went wrong.
        message: String,
    },
}

/// Resolves when all replicas that are in sync have a message, or when that failed.
pub type Receipt = BoxFuture<'static, Result<(), PublishError>>;

/// A producer.
#[async_trait]
pub trait Publisher: Send + Sync {
    /// Takes a message to be sent behind those that it took before. Of messages of one topic and key that it took, one that
    /// comes later is not acknowledged before an earlier one.
    fn publish(&self, message: &Message) -> Result<Receipt, PublishError>;

    /// Sees to it that topics are there.
    async fn ensure_topics(&self, topics: &[String]) -> Result<(), PublishError>;

    /// Since when no broker is reached.
    fn away_since(&self) -> Option<Timestamp>;

    /// Finds out whether a broker is reached again. Called while none is, and nothing is published that would show it.
    async fn probe(&self) {}

    /// Drops the messages that are not acknowledged: their receipts fail soon. The broker may have some of them all the same.
    async fn recall(&self);
}
