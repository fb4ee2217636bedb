//! The stream of change events: what REST sends as server-sent events, as messages.

use std::time::Duration;

use axum::Router;
use axum::body::{Body, BodyDataStream};
use futures::StreamExt as _;
use futures::future;
use futures::stream::{self, BoxStream};
use prost_reflect::{DynamicMessage, MessageDescriptor};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::contract::Call;
use crate::door::Head;
use crate::{json, status, unary};

/// Messages of a stream, until it ends.
pub(crate) type Messages = BoxStream<'static, Result<DynamicMessage, Status>>;

/// How long a stream goes on.
pub(crate) struct Keeping {
    /// After which silence an empty message says that the stream is there.
    pub(crate) alive_interval: Duration,
    /// Says that the connection is about to end.
    pub(crate) connection: CancellationToken,
}

/// Opens the stream that a call of REST answers with. Its first message is empty.
pub(crate) async fn open(
    call: &Call,
    rest: Router,
    head: &Head,
    message: &DynamicMessage,
    keeping: Keeping,
) -> Result<tonic::Response<Messages>, Status> {
    let response = unary::ask(call, rest, head, message).await?;
    Ok(tonic::Response::new(messages(response.into_body(), call.output.clone(), keeping)))
}

fn messages(body: Body, output: MessageDescriptor, keeping: Keeping) -> Messages {
    let first = stream::once(future::ready(Ok(DynamicMessage::new(output.clone()))));
    let feed = Feed { events: Events { body: body.into_data_stream(), unread: Vec::new() }, output, keeping };
    first.chain(stream::unfold(feed, Feed::next)).boxed()
}

/// One caller's stream.
struct Feed {
    events: Events,
    output: MessageDescriptor,
    keeping: Keeping,
}

impl Feed {
    async fn next(mut self) -> Option<(Result<DynamicMessage, Status>, Self)> {
        let next = tokio::select! {
            next = timeout(self.keeping.alive_interval, self.events.next()) => next,
            () = self.keeping.connection.cancelled() => return None,
        };
        let data = match next {
            Ok(Some(data)) => data,
            Ok(None) => return None,
            Err(_idle) => Vec::new(),
        };
        Some((self.message(&data), self))
    }

    fn message(&self, data: &[u8]) -> Result<DynamicMessage, Status> {
        if data.is_empty() {
            return Ok(DynamicMessage::new(self.output.clone()));
        }
        json::read(&self.output, data).map_err(|error| {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "a REST event does not match the gRPC contract"
            );
            status::of_problem(engine::Problem::internal())
        })
    }
}

/// Server-sent events as they come. REST writes them, one line of data each.
struct Events {
    body: BodyDataStream,
    unread: Vec<u8>,
}

impl Events {
    /// The data of the next event, empty for a comment; `None` at the end. Loses nothing where it is not waited for.
    async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(place) = self.unread.windows(2).position(|pair| pair == b"\n\n") {
                let event: Vec<u8> = self.unread.drain(..place + 2).collect();
                return Some(data_of(&event));
            }
            self.unread.extend_from_slice(&self.body.next().await?.ok()?);
        }
    }
}

fn data_of(event: &[u8]) -> Vec<u8> {
    let lines = event.split(|byte| *byte == b'\n');
    lines.filter_map(|line| line.strip_prefix(b"data:")).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Contract;

    /// What comes of a body in these pieces, as JSON without the first message.
    async fn read(pieces: &[&'static str]) -> Vec<String> {
        let contract = Contract::read();
        let output = contract.call("/trunkline.v1.EventService/Watch").expect("a method").output.clone();
        let pieces: Vec<_> = pieces.iter().copied().map(Ok::<_, std::convert::Infallible>).collect();
        let body = Body::from_stream(stream::iter(pieces));
        let keeping =
            Keeping { alive_interval: Duration::from_mins(1), connection: CancellationToken::new() };
        let all: Vec<_> = messages(body, output, keeping).collect().await;
        let text = |message: Result<DynamicMessage, Status>| {
            let mut text = String::new();
            json::write_value(&prost_reflect::Value::Message(message.expect("a message")), &mut text)
                .expect("JSON");
            text
        };
        let mut texts: Vec<String> = all.into_iter().map(text).collect();
        assert_eq!(texts.remove(0), "{}");
        texts
    }

    #[tokio::test]
    async fn events_are_read_however_they_are_cut() {
        let whole = "event: settings\ndata: {\"kind\":\"settings\"}\n\n: heartbeat\n\nevent: queue\n\
                     data: {\"kind\":\"queue\",\"queue\":\"workflow-node\"}\n\n";
        let expected =
            [r#"{"kind":"settings"}"#, "{}", r#"{"kind":"queue","queue":"workflow-node"}"#].map(String::from);
        assert_eq!(read(&[whole]).await, expected);
        for place in 1..whole.len() {
            assert_eq!(read(&[&whole[..place], &whole[place..]]).await, expected, "cut at {place}");
        }
    }

    #[tokio::test]
    async fn half_an_event_at_the_end_is_none() {
        assert_eq!(read(&["data: {\"kind\":\"settings\"}\n"]).await, Vec::<String>::new());
    }
}
