//! Bodies of requests: read up to a bound, as fast as they must come, within the room that all of them share; and large
//! answers, which take of the same room until they are sent.
//!
//! Whoever sends one is refused or cut, never left to wait: a slow body holds memory, and a thousand of them all of it. So
//! does an answer that nobody reads.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes, HttpBody as _};
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use engine::EngineError;
use futures::{Stream, StreamExt, TryStreamExt as _, stream};
use tokio::time::{Instant, timeout_at};

// Reads one body.

/// What a body may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyBounds {
    /// The most bytes.
    pub(crate) bytes_max: usize,
    /// How long it may take before its rate counts.
    pub(crate) grace: Duration,
    /// How many bytes must come in a second from then on.
    pub(crate) bytes_per_second_min: usize,
}

/// Why a body was not read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyFault {
    /// It is larger than the bound.
    TooLarge,
    /// The connection broke before its end.
    Broken,
    /// It came too slowly.
    TooSlow,
    /// There was no room for it.
    NoRoom,
}

/// Reads a whole body. What the headers announce is trusted only where it is too much.
pub(crate) async fn read(
    headers: &HeaderMap,
    body: Body,
    bounds: BodyBounds,
    share: &BodyShare,
) -> Result<Bytes, BodyFault> {
    let announced = announced(headers);
    if announced.is_some_and(|bytes| bytes > bounds.bytes_max) {
        return Err(BodyFault::TooLarge);
    }
    let begun = Instant::now();
    let mut chunks = body.into_data_stream();
    let mut whole = Vec::new();
    loop {
        let next = timeout_at(begun + time_for(whole.len(), bounds), chunks.next()).await;
        let Some(chunk) = next.map_err(|_late| BodyFault::TooSlow)? else { break };
        let chunk = chunk.map_err(|_broken| BodyFault::Broken)?;
        let bytes = whole.len() + chunk.len();
        if bytes > bounds.bytes_max {
            return Err(BodyFault::TooLarge);
        }
        if !share.grow_to(bytes) {
            return Err(BodyFault::NoRoom);
        }
        // Most bodies come in one piece, which need not be copied.
        if whole.is_empty() && announced == Some(chunk.len()) {
            return Ok(chunk);
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.into())
}

fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok())
}

/// How long a body may have taken of which so many bytes are there: each of them buys time for the next.
fn time_for(bytes: usize, bounds: BodyBounds) -> Duration {
    let micros = (bytes as u64).saturating_mul(1_000_000) / (bounds.bytes_per_second_min.max(1) as u64);
    bounds.grace + Duration::from_micros(micros)
}

// Answers that wait for whoever asked to read them.

/// Answers up to this size are not counted: that much is in the buffers of a connection anyway.
pub(crate) const ANSWER_UNCOUNTED_MAX: u64 = 64 * 1024;
/// The same for one of the many answers that wait on a connection of HTTP/2.
pub(crate) const STREAM_ANSWER_UNCOUNTED_MAX: u64 = UNCOUNTED_BYTES_MAX as u64;
/// In what pieces larger ones are sent: what is sent next is not held back by the room of the rest.
const PIECE: usize = 64 * 1024;

/// What of an answer is not sent yet, and its room.
type Unsent = (BodyDataStream, Bytes, Arc<BodyShare>);

/// The same answer, which takes room of `owner` until it is sent; `None` where there is none. What is made as it is sent
/// takes none, and neither does one of up to `uncounted_max` bytes.
///
/// The room is among the answer's extensions as well: another interface that makes an answer of its own out of this one holds it
/// by them until that is sent.
pub(crate) fn held(
    room: &Arc<BodyRoom>,
    owner: String,
    uncounted_max: u64,
    answer: Response,
) -> Option<Response> {
    let Some(bytes) = counted(room, answer.body().size_hint().exact(), uncounted_max) else {
        return Some(answer);
    };
    let share = room.share(owner);
    if share.grow_to(bytes) { Some(in_pieces(answer, share)) } else { None }
}

/// The same for an answer that is sent in any case, since what it says has been done: it takes as much room as there is for it.
/// Jobs that are polled for are there whole, though their body is made as it is sent: then they count as taken.
pub(crate) fn held_as_far(room: &Arc<BodyRoom>, owner: String, answer: Response) -> Response {
    let exact = answer.body().size_hint().exact();
    let bytes = exact.or_else(|| announced(answer.headers()).map(|bytes| bytes as u64));
    let Some(bytes) = counted(room, bytes, ANSWER_UNCOUNTED_MAX) else {
        return answer;
    };
    let share = room.share(owner);
    share.grow_towards(bytes);
    in_pieces(answer, share)
}

/// How much room an answer of so many bytes takes; `None` for one that takes none. However small the room is, the largest answer
/// fits in once others are sent.
fn counted(room: &BodyRoom, bytes: Option<u64>, uncounted_max: u64) -> Option<usize> {
    let bytes = bytes.filter(|bytes| *bytes > uncounted_max)?;
    Some(usize::try_from(bytes).unwrap_or(usize::MAX).min(room.bytes_max / 4))
}

/// The same answer, which has its room until the last piece is sent.
fn in_pieces(answer: Response, share: Arc<BodyShare>) -> Response {
    let (mut parts, body) = answer.into_parts();
    if let Some(bytes) = body.size_hint().exact() {
        parts.headers.insert(CONTENT_LENGTH, bytes.into());
    }
    parts.extensions.insert(Arc::clone(&share));
    // Whoever compresses it asks once more when it is over.
    let pieces = stream::unfold((body.into_data_stream(), Bytes::new(), share), next_piece).fuse();
    Response::from_parts(parts, Body::from_stream(pieces))
}

async fn next_piece((mut rest, mut piece, share): Unsent) -> Option<(Result<Bytes, axum::Error>, Unsent)> {
    if piece.is_empty() {
        match rest.next().await? {
            Ok(next) => piece = next,
            Err(error) => return Some((Err(error), (rest, piece, share))),
        }
    }
    let first = piece.split_to(piece.len().min(PIECE));
    Some((Ok(first), (rest, piece, share)))
}

// The room that the bodies of all doors have together, and who has how much of it.

/// Bodies up to this size are not counted: that many bytes each connection has in its buffers anyway.
const UNCOUNTED_BYTES_MAX: usize = 4 * 1024;

/// Which part of the room is little for one owner: 4 MiB by default.
const PARTS_OF_LITTLE: usize = 64;

/// Room in bytes. Cheap to share.
///
/// An owner may take as much as is left for others then: a single one gets half of the room, two get a third each. So
/// there is always some for a newcomer, and nothing is set apart for those who do not come.
#[derive(Debug)]
pub(crate) struct BodyRoom {
    bytes_max: usize,
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    all: usize,
    by_owner: HashMap<String, usize>,
}

/// What one request takes of the room, until this is dropped.
#[derive(Debug)]
pub(crate) struct BodyShare {
    room: Arc<BodyRoom>,
    /// The key, or the address of those who have none.
    owner: String,
    bytes: Mutex<usize>,
}

impl BodyRoom {
    pub(crate) fn new(bytes_max: usize) -> Arc<Self> {
        Arc::new(Self { bytes_max, used: Mutex::default() })
    }

    /// A share for a request of `owner`; empty at first.
    pub(crate) fn share(self: &Arc<Self>, owner: String) -> Arc<BodyShare> {
        Arc::new(BodyShare { room: Arc::clone(self), owner, bytes: Mutex::default() })
    }

    /// Whether `owner` may get more that cannot be refused afterwards: some room is left for it, or it has little. What others
    /// take keeps nobody from its work.
    pub(crate) fn has_room_for(&self, owner: &str) -> bool {
        let used = lock(&self.used);
        let own = used.by_owner.get(owner).copied().unwrap_or_default();
        own <= self.bytes_max / PARTS_OF_LITTLE || used.left_for(owner, self.bytes_max) > 0
    }

    fn take(&self, owner: &str, bytes: usize) -> bool {
        let mut used = lock(&self.used);
        let has_room = bytes <= used.left_for(owner, self.bytes_max);
        if has_room {
            used.add(owner, bytes);
        }
        has_room
    }

    /// Takes so many bytes or as many as are left for `owner`; answers how many.
    fn take_up_to(&self, owner: &str, bytes: usize) -> usize {
        let mut used = lock(&self.used);
        let taken = bytes.min(used.left_for(owner, self.bytes_max));
        used.add(owner, taken);
        taken
    }

    fn give_back(&self, owner: &str, bytes: usize) {
        let mut used = lock(&self.used);
        used.all -= bytes;
        if let Entry::Occupied(mut own) = used.by_owner.entry(owner.to_owned()) {
            *own.get_mut() -= bytes;
            if *own.get() == 0 {
                own.remove();
            }
        }
    }

    /// How many bytes are taken.
    #[cfg(test)]
    pub(crate) fn used(&self) -> usize {
        lock(&self.used).all
    }
}

impl Used {
    /// How much `owner` may take: afterwards it has no more than is left for others.
    fn left_for(&self, owner: &str, bytes_max: usize) -> usize {
        let free = bytes_max.saturating_sub(self.all);
        match self.by_owner.get(owner) {
            Some(own) => free.saturating_sub(*own) / 2,
            // A first body may be large.
            None => free,
        }
    }

    fn add(&mut self, owner: &str, bytes: usize) {
        if bytes == 0 {
            return;
        }
        self.all += bytes;
        match self.by_owner.get_mut(owner) {
            Some(own) => *own += bytes,
            None => {
                self.by_owner.insert(owner.to_owned(), bytes);
            }
        }
    }
}

/// Of requests whose body another interface counts, as a message of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CountedElsewhere;

impl BodyShare {
    /// For a body that is counted elsewhere.
    pub(crate) fn uncounted() -> Arc<Self> {
        BodyRoom::new(usize::MAX).share(String::new())
    }

    /// Whether there is room for a body of so many bytes; if so, it is taken. What was taken for the same body before counts.
    pub(crate) fn grow_to(&self, bytes: usize) -> bool {
        let mut taken = lock(&self.bytes);
        if bytes <= UNCOUNTED_BYTES_MAX || bytes <= *taken {
            return true;
        }
        let has_room = self.room.take(&self.owner, bytes - *taken);
        if has_room {
            *taken = bytes;
        }
        has_room
    }

    /// Takes room for so many bytes in all, or as much of it as there is.
    fn grow_towards(&self, bytes: usize) {
        let mut taken = lock(&self.bytes);
        *taken += self.room.take_up_to(&self.owner, bytes.saturating_sub(*taken));
    }

    /// Gives the room back: the body was worked on, and the request goes on without it.
    pub(crate) fn release(&self) {
        let bytes = std::mem::take(&mut *lock(&self.bytes));
        if bytes > 0 {
            self.room.give_back(&self.owner, bytes);
        }
    }
}

impl Drop for BodyShare {
    fn drop(&mut self) {
        self.release();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing is left half done by a panic while it is locked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

// Exports: answers that are made a line at a time.

/// Responds with JSON Lines as they are produced. If one fails, the response is cut off.
pub(crate) fn json_lines(
    lines: impl Stream<Item = Result<String, EngineError>> + Send + 'static,
) -> Response {
    let lines = lines.inspect_err(|error| {
        tracing::warn!(error = error as &dyn std::error::Error, "an export was interrupted");
    });
    // Fused: compression polls a body once more after its end.
    ([(CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(lines.fuse())).into_response()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;

    use futures::stream;

    use super::*;
    use crate::bodies::BodyRoom;

    const SLOW: BodyBounds =
        BodyBounds { bytes_max: 1 << 20, grace: Duration::from_secs(10), bytes_per_second_min: 1_000 };

    fn bounds(bytes_max: usize) -> BodyBounds {
        BodyBounds { bytes_max, grace: Duration::from_mins(1), bytes_per_second_min: 1 }
    }

    fn in_pieces(pieces: &[&'static [u8]]) -> Body {
        let pieces: Vec<Result<Bytes, Infallible>> =
            pieces.iter().map(|&piece| Ok(Bytes::from_static(piece))).collect();
        Body::from_stream(stream::iter(pieces))
    }

    /// A body of pieces of a thousand bytes, one each `pause`.
    fn dripping(pieces: usize, pause: Duration) -> Body {
        Body::from_stream(stream::unfold(0, move |sent| async move {
            tokio::time::sleep(pause).await; // polled at the pace of the sender
            (sent < pieces).then(|| (Ok::<_, Infallible>(Bytes::from_static(&[b'a'; 1_000])), sent + 1))
        }))
    }

    fn share(room: &Arc<BodyRoom>) -> Arc<BodyShare> {
        room.share("somebody".to_owned())
    }

    #[tokio::test]
    async fn bodies_are_bounded_to_the_byte() {
        let room = BodyRoom::new(8 << 10);
        let none = HeaderMap::new();
        let whole = read(&none, in_pieces(&[b"abc", b"def"]), bounds(6), &share(&room)).await;
        assert_eq!(whole.as_deref(), Ok(&b"abcdef"[..]));
        let large = read(&none, in_pieces(&[b"abc", b"defg"]), bounds(6), &share(&room)).await;
        assert_eq!(large, Err(BodyFault::TooLarge));
        assert_eq!(read(&none, Body::empty(), bounds(6), &share(&room)).await.as_deref(), Ok(&b""[..]));
        let announced = HeaderMap::from_iter([(CONTENT_LENGTH, "7".parse().expect("a number"))]);
        let large = read(&announced, Body::from("abcdefg"), bounds(6), &share(&room)).await;
        assert_eq!(large, Err(BodyFault::TooLarge));
    }

    #[tokio::test]
    async fn room_is_held_with_the_share_and_not_longer() {
        let room = BodyRoom::new(12_000);
        let big: &'static [u8] = &[b'a'; 5_000];
        let one = share(&room);
        assert!(read(&HeaderMap::new(), in_pieces(&[big]), bounds(9_000), &one).await.is_ok());
        let full = read(&HeaderMap::new(), in_pieces(&[big, big]), bounds(20_000), &share(&room)).await;
        assert_eq!(full, Err(BodyFault::NoRoom));
        assert_eq!(room.used(), 5_000);
        drop(one);
        assert_eq!(room.used(), 0);
    }

    #[tokio::test]
    async fn a_large_answer_takes_room_until_it_is_sent_and_is_over_once() {
        let room = BodyRoom::new(1 << 20);
        let answer = Response::new(Body::from(vec![b'a'; 200_000]));
        let held = |bytes_max, answer| held(&room, "somebody".to_owned(), bytes_max, answer);
        let answer = held(ANSWER_UNCOUNTED_MAX, answer).expect("there is room");
        assert_eq!(room.used(), 200_000);
        let small = || Response::new(Body::from(vec![b'a'; 10_000]));
        let on_a_connection = held(ANSWER_UNCOUNTED_MAX, small()).expect("it takes none");
        assert_eq!(room.used(), 200_000);
        let on_a_stream = held(STREAM_ANSWER_UNCOUNTED_MAX, small()).expect("there is room");
        assert_eq!(room.used(), 210_000);
        drop((on_a_connection, on_a_stream));
        assert_eq!(room.used(), 200_000);
        let mut pieces = answer.into_body().into_data_stream();
        let mut sent = 0;
        while let Some(piece) = pieces.next().await {
            sent += piece.expect("nothing fails").len();
        }
        assert_eq!(sent, 200_000);
        assert!(pieces.next().await.is_none(), "what compresses answers asks again");
        drop(pieces);
        assert_eq!(room.used(), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn what_makes_progress_may_take_long_and_what_does_not_is_cut() {
        let room = BodyRoom::new(1 << 20);
        let never = Body::from_stream(stream::pending::<Result<Bytes, Infallible>>());
        let cut = read(&HeaderMap::new(), never, SLOW, &share(&room)).await;
        assert_eq!(cut, Err(BodyFault::TooSlow));
        let steady = dripping(300, Duration::from_millis(990));
        assert!(read(&HeaderMap::new(), steady, SLOW, &share(&room)).await.is_ok(), "it takes five minutes");
        let slow = dripping(300, Duration::from_millis(1_500));
        let cut = read(&HeaderMap::new(), slow, SLOW, &share(&room)).await;
        assert_eq!(cut, Err(BodyFault::TooSlow));
    }

    const KIB: usize = 1024;

    #[test]
    fn nobody_takes_what_others_need() {
        let room = BodyRoom::new(120 * KIB);
        let greedy: Vec<_> = (0..20).map(|_| room.share("greedy".to_owned())).collect();
        let fit = greedy.iter().filter(|share| share.grow_to(10 * KIB)).count();
        assert_eq!(fit, 6, "half of the room");
        let other: Vec<_> = (0..20).map(|_| room.share("other".to_owned())).collect();
        let fit = other.iter().filter(|share| share.grow_to(10 * KIB)).count();
        assert_eq!(fit, 3, "half of what was left");
        assert!(room.share("third".to_owned()).grow_to(10 * KIB), "and there is some for others still");
        assert!(!greedy[19].grow_to(10 * KIB));
        drop((greedy, other));
        assert_eq!((room.used(), lock(&room.used).by_owner.len()), (0, 0));
    }

    #[test]
    fn what_others_take_keeps_nobody_from_its_work() {
        let room = BodyRoom::new(128 * KIB);
        let large = room.share("large".to_owned());
        assert!(large.grow_to(128 * KIB));
        let small = room.share("small".to_owned());
        small.grow_towards(10 * KIB);
        assert!(room.has_room_for("small") && !room.has_room_for("large"));
        drop(large);
        small.grow_towards(10 * KIB);
        assert_eq!(room.used(), 10 * KIB);
        let other = room.share("other".to_owned());
        assert!(other.grow_to(110 * KIB));
        assert!(!room.has_room_for("small"), "it has its part");
        drop((small, other));
        assert_eq!(room.used(), 0);
    }

    #[test]
    fn a_first_body_may_be_large_and_is_counted_once() {
        let room = BodyRoom::new(100 * KIB);
        let share = room.share("one".to_owned());
        assert!(share.grow_to(80 * KIB) && share.grow_to(80 * KIB) && share.grow_to(10 * KIB));
        assert_eq!(room.used(), 80 * KIB);
        assert!(!room.share("two".to_owned()).grow_to(30 * KIB), "there is no room at all");
        share.release();
        assert_eq!(room.used(), 0);
        assert!(room.share("two".to_owned()).grow_to(30 * KIB));
        let small: Vec<_> = (0..1_000).map(|_| room.share("many".to_owned())).collect();
        assert!(small.iter().all(|share| share.grow_to(KIB)), "small ones are not counted");
    }
}
