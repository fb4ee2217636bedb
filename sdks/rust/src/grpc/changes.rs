//! The stream of changes.

use std::sync::Arc;

use futures::future::BoxFuture;
use tokio::time::{Instant, timeout};

use super::Shared;
use super::proto::event_service_client::EventServiceClient;
use super::proto::{self, WatchEventsRequest};
use super::status::error_of;
use crate::error::ClientError;
use crate::follow::{CALL, Reader, Source};
use crate::models::{ChangeEvent, QueueName};

/// Changes by one stream after another.
pub(super) struct Changes(pub(super) Arc<Shared>);

impl Source for Changes {
    fn read<'a>(&'a self, reader: &'a mut Reader) -> BoxFuture<'a, Result<(), ClientError>> {
        Box::pin(self.0.watch(reader))
    }
}

impl Shared {
    /// Reads one stream to its end, which is an error always; without one, nobody reads any more.
    async fn watch(&self, reader: &mut Reader) -> Result<(), ClientError> {
        let (link, silence) = (self.link(), *self.silence.lock());
        let silent = |asked: Instant| {
            self.replace(&link, asked + silence);
            ClientError::connection(CALL, "nothing came for too long")
        };
        let mut request = tonic::Request::new(WatchEventsRequest {});
        self.authorize(request.metadata_mut());
        let mut client = EventServiceClient::new(link.channel.clone());
        let asked = Instant::now();
        let answer = timeout(silence, client.watch(request)).await.map_err(|_| silent(asked))?;
        let mut inbound = answer.map_err(|status| error_of(CALL, status))?.into_inner();
        let mut is_open = false;
        loop {
            let asked = Instant::now();
            let next = timeout(silence, inbound.message()).await.map_err(|_| silent(asked))?;
            let next = next.map_err(|status| error_of(CALL, status))?;
            let change = next.ok_or_else(|| ClientError::connection(CALL, "the server ended the stream"))?;
            link.hear();
            // What has no kind says that the stream is there.
            let goes_on = match (change.kind.is_empty(), is_open) {
                (false, _) => reader.give(event_of(change)).await,
                (true, false) => reader.connected().await,
                (true, true) => true,
            };
            if !goes_on {
                return Ok(());
            }
            is_open = true;
        }
    }
}

fn event_of(change: proto::ChangeEvent) -> ChangeEvent {
    ChangeEvent {
        ended: change.ended,
        execution_id: change.execution_id,
        job_id: change.job_id,
        kind: change.kind,
        queue: change.queue.as_deref().map(QueueName::from),
    }
}
