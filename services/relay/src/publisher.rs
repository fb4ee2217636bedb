//! What a relay needs of a broker.

use async_trait::async_trait;
use domain::time::Timestamp;
use futures::future::BoxFuture;

use crate::envelope::Message;

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
        /// A stable word: `queue_full`, `broker_away`, `not_acknowledged`, `topic_not_created`.
        reason: &'static str,
        /// What went wrong.
        message: String,
    },
}

impl PublishError {
    /// A stable word for it.
    pub(crate) fn reason(&self) -> &'static str {
        match *self {
            Self::Refused { code: word, .. } | Self::Later { reason: word, .. } => word,
        }
    }
}

/// Resolves when all replicas that are in sync have a message, or when that failed.
pub type Receipt = BoxFuture<'static, Result<(), PublishError>>;

/// A producer.
#[async_trait]
pub trait Publisher: Send + Sync {
    /// Takes a message to be sent behind those that it took before. Of messages of one topic and key that it took, one that
    /// comes later is not acknowledged before an earlier one.
    fn publish(&self, message: &Message) -> Result<Receipt, PublishError>;

    /// Sees to it that topics are there. Answers for each in order; also `Ok` where it cannot tell, because the messages will.
    async fn ensure_topics(&self, topics: &[String]) -> Vec<Result<(), PublishError>>;

    /// Since when no broker is reached.
    fn away_since(&self) -> Option<Timestamp>;

    /// Finds out whether a broker is reached again. Called while none is, and nothing is published that would show it.
    async fn probe(&self) {}

    /// Drops the messages that are not acknowledged: their receipts fail soon. The broker may have some of them all the same.
    async fn recall(&self);
}
