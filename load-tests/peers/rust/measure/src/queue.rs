//! What a peer has to be able to do.

use std::sync::Arc;

use anyhow::Result;
use async_trait::async_trait;

use crate::handled::Handled;

/// One peer on one database.
#[async_trait]
pub trait Queue: Send + Sync {
    /// Enqueues so many jobs in bulk.
    async fn enqueue(&self, count: usize) -> Result<()>;
    /// Enqueues one job.
    async fn enqueue_one(&self, number: usize) -> Result<()>;
    /// Starts workers whose handler calls [`Handled::start`] and does nothing else.
    async fn start(&mut self, handled: Arc<Handled>) -> Result<()>;
    /// Ends the workers.
    async fn stop(&mut self) -> Result<()>;
    /// How many jobs the store holds as unfinished.
    async fn unfinished(&self) -> Result<usize>;
    /// Closes every connection.
    async fn close(&self);
}
