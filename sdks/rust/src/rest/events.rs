//! The stream of changes, opened again whenever it breaks.

use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt as _, stream};
use reqwest::Method;
use reqwest::header::ACCEPT;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

use super::http::{Connection, Rest, problem, read, retry_after};
use super::sse::Parser;
use crate::error::ClientError;
use crate::models::ChangeEvent;
use crate::retry;
use crate::transport::EventStream;

const CALL: &str = "events";
/// The server says something at least this often, if only a comment.
const SILENCE_MAX: Duration = Duration::from_mins(1);
/// How many events wait for whoever reads them; then the connection is read no further.
const WAITING_MAX: usize = 256;

type Item = Result<ChangeEvent, ClientError>;

/// Who reads the events.
struct Reader {
    opened: Option<oneshot::Sender<Result<(), ClientError>>>,
    items: mpsc::Sender<Item>,
}

impl Rest {
    pub(super) async fn open_events(&self) -> Result<EventStream, ClientError> {
        let (opened, is_open) = oneshot::channel();
        let (items, waiting) = mpsc::channel(WAITING_MAX);
        let connection = Arc::clone(&self.connection);
        let reader = Reader { opened: Some(opened), items };
        let task = self.background.spawn(async move { follow(&connection, reader).await });
        is_open.await.map_err(|error| ClientError::connection(CALL, error))??;
        let stream = stream::unfold((waiting, task), |(mut waiting, task)| async move {
            waiting.recv().await.map(|item| (item, (waiting, task)))
        });
        Ok(stream.boxed())
    }
}

/// Reads connections until nobody takes what comes, or the server refuses.
async fn follow(connection: &Connection, mut reader: Reader) {
    let mut failures = 0;
    loop {
        let error = match one_stream(connection, &mut reader, &mut failures).await {
            Ok(()) => return,
            Err(error) => error,
        };
        if !error.is_transient() {
            match reader.opened.take() {
                // Whoever gave up waiting need not know why.
                Some(opened) => drop(opened.send(Err(error))),
                None => drop(reader.items.send(Err(error)).await),
            }
            return;
        }
        sleep(retry::delay(&error, failures, retry::random())).await;
        failures += 1;
    }
}

/// Reads one connection to its end, which is an error always; without one, nobody reads any more.
async fn one_stream(
    connection: &Connection,
    reader: &mut Reader,
    failures: &mut u32,
) -> Result<(), ClientError> {
    let broken = |error: reqwest::Error| ClientError::connection(CALL, error.without_url());
    let silent = |_| ClientError::connection(CALL, "nothing came for a minute");
    let call = connection.request(Method::GET, "/v1/events", &[]).header(ACCEPT, "text/event-stream");
    let mut answer = timeout(SILENCE_MAX, call.send()).await.map_err(silent)?.map_err(broken)?;
    if !answer.status().is_success() {
        let (status, wait) = (answer.status().as_u16(), retry_after(&answer));
        let content = read(answer, CALL).await?;
        return Err(problem(status, wait, &content));
    }
    *failures = 0;
    match reader.opened.take() {
        Some(opened) => drop(opened.send(Ok(()))),
        None if !reader.give(ChangeEvent { kind: "resync".to_owned(), ..ChangeEvent::default() }).await => {
            return Ok(());
        }
        None => {}
    }
    let mut parser = Parser::default();
    loop {
        let piece = timeout(SILENCE_MAX, answer.chunk()).await.map_err(silent)?.map_err(broken)?;
        let piece = piece.ok_or_else(|| ClientError::connection(CALL, "the server ended the stream"))?;
        for data in parser.push(&piece).map_err(|error| ClientError::connection(CALL, error))? {
            let event = serde_json::from_str(&data).map_err(|error| ClientError::json(CALL, error))?;
            if !reader.give(event).await {
                return Ok(());
            }
        }
    }
}

impl Reader {
    async fn give(&self, event: ChangeEvent) -> bool {
        self.items.send(Ok(event)).await.is_ok()
    }
}
