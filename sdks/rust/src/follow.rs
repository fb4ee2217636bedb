//! Changes over connections that break: opened again, with a word that something may have been missed.

use futures::future::BoxFuture;
use futures::{StreamExt as _, stream};
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

use crate::background::Background;
use crate::error::ClientError;
use crate::models::ChangeEvent;
use crate::repeat;
use crate::transport::EventStream;

/// What errors say was called.
pub(crate) const CALL: &str = "events";
/// How many events wait for whoever reads them; then the connection is read no further.
const WAITING_MAX: usize = 256;

/// Where changes come from, by one connection after another.
pub(crate) trait Source: Send + Sync + 'static {
    /// Reads one connection to its end, which is an error always; without one, nobody reads any more.
    fn read<'a>(&'a self, reader: &'a mut Reader) -> BoxFuture<'a, Result<(), ClientError>>;
}

/// Who reads the events.
pub(crate) struct Reader {
    opened: Option<oneshot::Sender<Result<(), ClientError>>>,
    items: mpsc::Sender<Result<ChangeEvent, ClientError>>,
    failures: u32,
}

impl Reader {
    /// A connection is open. Answers whether somebody still reads.
    pub(crate) async fn connected(&mut self) -> bool {
        self.failures = 0;
        match self.opened.take() {
            Some(opened) => opened.send(Ok(())).is_ok(),
            None => self.give(ChangeEvent { kind: "resync".to_owned(), ..ChangeEvent::default() }).await,
        }
    }

    /// An event came. Answers whether somebody still reads.
    pub(crate) async fn give(&self, event: ChangeEvent) -> bool {
        self.items.send(Ok(event)).await.is_ok()
    }
}

/// Follows a source in the background, once its first connection is open.
pub(crate) async fn open(background: &Background, source: impl Source) -> Result<EventStream, ClientError> {
    let (opened, is_open) = oneshot::channel();
    let (items, waiting) = mpsc::channel(WAITING_MAX);
    let reader = Reader { opened: Some(opened), items, failures: 0 };
    let task = background.spawn(follow(source, reader));
    is_open.await.map_err(|error| ClientError::connection(CALL, error))??;
    let stream = stream::unfold((waiting, task), |(mut waiting, task)| async move {
        waiting.recv().await.map(|item| (item, (waiting, task)))
    });
    Ok(stream.boxed())
}

/// Reads connections until nobody takes what comes, or the server refuses.
async fn follow(source: impl Source, mut reader: Reader) {
    loop {
        let Err(error) = source.read(&mut reader).await else { return };
        if !error.is_transient() {
            match reader.opened.take() {
                // Whoever gave up waiting need not know why.
                Some(opened) => drop(opened.send(Err(error))),
                None => drop(reader.items.send(Err(error)).await),
            }
            return;
        }
        sleep(repeat::delay(&error, reader.failures, repeat::random())).await;
        reader.failures += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// Connections that break after one event, and one that is refused.
    struct Script(AtomicU32);

    impl Source for Script {
        fn read<'a>(&'a self, reader: &'a mut Reader) -> BoxFuture<'a, Result<(), ClientError>> {
            Box::pin(async move {
                let number = self.0.fetch_add(1, Ordering::Relaxed);
                if number == 3 {
                    return Err(ClientError::Configuration("refused".to_owned()));
                }
                if number > 0 {
                    assert!(reader.connected().await);
                    let event = ChangeEvent { kind: number.to_string(), ..ChangeEvent::default() };
                    assert!(reader.give(event).await);
                }
                Err(ClientError::connection(CALL, "cut"))
            })
        }
    }

    #[tokio::test]
    async fn a_broken_connection_is_followed_by_another_and_a_refusal_is_the_end() {
        let background = Background::start("test").expect("a thread");
        let events = open(&background, Script(AtomicU32::new(0))).await.expect("open at the second try");
        let seen: Vec<String> = events
            .map(|event| event.map_or_else(|error| error.to_string(), |event| event.kind))
            .collect()
            .await;
        assert_eq!(seen[..3], ["1", "resync", "2"]);
        assert_eq!(seen.len(), 4);
        assert!(seen[3].contains("refused"), "{}", seen[3]);
    }
}
