//! Room for messages: what has come of one counts against what its caller may have under way, as bodies of REST do, before all
//! of it is there.

use std::error::Error;
use std::sync::Arc;

use axum::body::Body;
use futures::StreamExt as _;
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
