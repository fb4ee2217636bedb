//! What a relay does while its broker is away: nothing is claimed, and what was claimed goes back to the store.
//!
//! Otherwise the windows would be full of what came first, and jobs of higher tiers that come meanwhile would wait behind it.

use std::time::Duration;

use engine::{EngineError, OFFERS_PER_CLAIM_MAX};
use futures::stream::StreamExt as _;

use super::Relay;

/// How long a producer may take to answer for the messages that it is to drop.
const RECALL_WITHIN: Duration = Duration::from_secs(2);

impl Relay {
    /// Finds out whether the broker is away. If so, what it has not acknowledged goes back.
    pub(super) async fn check_broker(&mut self) -> Result<(), EngineError> {
        if self.publisher.away_since().is_some() {
            self.publisher.probe().await;
        }
        self.is_away = self.publisher.away_since().is_some();
        if self.is_away {
            self.recall().await;
            self.give_back_unsent().await?;
        }
        Ok(())
    }

    /// Takes back what the producer has. A message that the broker got all the same is answered `lease_lost` when a worker
    /// accepts it.
    async fn recall(&mut self) {
        if self.under_way.is_empty() {
            return;
        }
        self.publisher.recall().await;
        let within = tokio::time::sleep(RECALL_WITHIN);
        tokio::pin!(within);
        while !self.under_way.is_empty() {
            tokio::select! {
                Some(ended) = self.under_way.next() => self.settle(ended).await,
                () = &mut within => return,
            }
        }
    }

    /// Gives back offers whose messages the producer does not have. Where the store does not answer, they are found there by a
    /// later look, as those of a relay that died.
    pub(super) async fn give_back_unsent(&mut self) -> Result<(), EngineError> {
        let mut unsent = self.sending.take_unsent();
        unsent.retain(|lease| self.book.holds(lease.id, lease.token));
        for lease in &unsent {
            self.book.moved(lease.id, lease.token, None);
        }
        for chunk in unsent.chunks(OFFERS_PER_CLAIM_MAX as usize) {
            self.engine.release(chunk.to_vec()).await?;
        }
        Ok(())
    }
}
