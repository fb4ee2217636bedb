//! What a relay does while its broker is away: nothing is claimed, and what was claimed goes back to the store.
//!
//! Otherwise the windows would be full of what came first, and jobs of higher tiers that come meanwhile would wait behind it. The
//! same holds for a type where those brokers are away that lead its partitions, while others are there.

use std::time::Duration;

use engine::{EngineError, OFFERS_PER_CLAIM_MAX};
use futures::stream::StreamExt as _;
use store::jobs::LeaseRef;
use tokio::time::Instant;

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

    /// Gives back the offers of types of which nothing is acknowledged. The producer goes on with what it has of them, up to as much
    /// as a relay may have under way in all.
    pub(super) async fn give_back_stalled(&mut self) -> Result<(), EngineError> {
        let now = self.engine.now();
        let stalled = self.sending.take_stalled(self.options.stalled_after, Instant::now(), now);
        self.give_back(stalled).await?;
        if self.sending.stalled_under_way() > self.options.unacknowledged_max {
            self.recall().await;
        }
        Ok(())
    }

    /// Gives back offers whose messages the producer does not have.
    pub(super) async fn give_back_unsent(&mut self) -> Result<(), EngineError> {
        let unsent = self.sending.take_unsent();
        self.give_back(unsent).await
    }

    /// Gives back offers. Where the store does not answer, they are found there by a later look, as those of a relay that died.
    async fn give_back(&mut self, mut offers: Vec<LeaseRef>) -> Result<(), EngineError> {
        offers.retain(|lease| self.book.holds(lease.id, lease.token));
        for lease in &offers {
            self.book.moved(lease.id, lease.token, None);
        }
        for chunk in offers.chunks(OFFERS_PER_CLAIM_MAX as usize) {
            self.engine.release(chunk.to_vec()).await?;
        }
        Ok(())
    }
}
