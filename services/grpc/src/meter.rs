//! Room for messages: what has come of one counts against what its caller may have under way, as bodies of REST do, before all
//! of it is there. A large answer has the room that REST counts it in until it is sent.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use axum::http::Response;
use bytes::Bytes;
use futures::StreamExt as _;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use parking_lot::Mutex;
use tonic::Status;

use crate::status;

/// Takes room for so many bytes of a message in all, and answers whether there is so much. Gives it back when it is dropped.
pub type MessageRoom = Box<dyn Fn(usize) -> bool + Send + Sync>;

/// Counts the message that is being read.
pub(crate) struct Meter(Mutex<Reading>);

struct Reading {
    bytes: usize,
    room: MessageRoom,
}

impl Meter {
    /// Counts a message within this room.
    pub(crate) fn new(room: MessageRoom) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Reading { bytes: 0, room })))
    }

    /// The same body, whose bytes are counted as they come. It breaks off with `UNAVAILABLE` where there is no room for them.
    pub(crate) fn counted(self: &Arc<Self>, body: Body) -> Body {
        let meter = Arc::clone(self);
        Body::from_stream(body.into_data_stream().map(move |piece| {
            let piece = piece?;
            if meter.take(piece.len()) {
                Ok(piece)
            } else {
                Err(Box::<dyn Error + Send + Sync>::from(no_room()))
            }
        }))
    }

    fn take(&self, bytes: usize) -> bool {
        let mut reading = self.0.lock();
        reading.bytes += bytes;
        (reading.room)(reading.bytes)
    }

    /// A message was read whole: its room is answered, for as long as it is worked on, and the next one has another.
    pub(crate) fn next(&self, room: MessageRoom) -> MessageRoom {
        std::mem::replace(&mut *self.0.lock(), Reading { bytes: 0, room }).room
    }
}

fn no_room() -> Status {
    let detail = "The total size of concurrent messages is exceeded; retry later.";
    status::of_problem(engine::Problem::unavailable(detail))
}

/// In what pieces an answer is sent. A connection takes a whole one as soon as it may send any of it, and keeps what its caller does
/// not read.
const PIECE: usize = 64 * 1024;

/// The same answer, which keeps what the answer of REST left among its extensions until it is sent or given up: its room.
pub(crate) fn held(answer: Response<Body>) -> Response<Body> {
    let (mut parts, body) = answer.into_parts();
    let kept = std::mem::take(&mut parts.extensions);
    let answer = Response::from_parts(parts, body);
    if kept.is_empty() { answer } else { until_sent(answer, kept) }
}

/// The same answer, which keeps something until it is sent or given up.
pub(crate) fn until_sent<Kept: Send + Unpin + 'static>(answer: Response<Body>, kept: Kept) -> Response<Body> {
    answer.map(|body| Body::new(Held { body, piece: Bytes::new(), _kept: kept }))
}

struct Held<Kept> {
    body: Body,
    /// What has come of the body and is not sent yet.
    piece: Bytes,
    _kept: Kept,
}

impl<Kept: Unpin> HttpBody for Held<Kept> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let held = self.get_mut();
        if held.piece.is_empty() {
            match ready!(Pin::new(&mut held.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => held.piece = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end => return Poll::Ready(end),
            }
        }
        let bytes = held.piece.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(held.piece.split_to(bytes)))))
    }

    fn is_end_stream(&self) -> bool {
        self.piece.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        // It is asked for before anything has come.
        if self.piece.is_empty() { self.body.size_hint() } else { SizeHint::default() }
    }
}
