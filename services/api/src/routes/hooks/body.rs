//! The body of a delivery: its exact bytes, up to the endpoint's bound, within a time and within the room that all bodies
//! together may take.

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use domain::time::DurationMs;
use futures::StreamExt;
use tokio::sync::{Semaphore, SemaphorePermit};

/// The unit in which room is counted.
const ROOM_UNIT_BYTES: usize = 1024;

/// What was read.
#[derive(Debug)]
pub(super) enum ReadBody {
    /// All of it.
    Whole(Vec<u8>),
    /// It is larger than the bound.
    TooLarge,
    /// The connection broke before its end.
    Broken,
    /// It came too slowly, or there was no room for it.
    NotNow,
}

/// Reads the body. What the headers announce is trusted only where it is too much.
pub(super) async fn read_body(
    headers: &HeaderMap,
    body: Body,
    bytes_max: usize,
    timeout: DurationMs,
    room: &Semaphore,
) -> ReadBody {
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|bytes| bytes > bytes_max) {
        return ReadBody::TooLarge;
    }
    let read = read_chunks(body, announced, bytes_max, room);
    tokio::time::timeout(timeout.to_std(), read).await.unwrap_or(ReadBody::NotNow)
}

async fn read_chunks(body: Body, announced: Option<usize>, bytes_max: usize, room: &Semaphore) -> ReadBody {
    let mut chunks = body.into_data_stream();
    let mut whole = Vec::new();
    let mut taken = Taken { room, permit: None, bytes: 0 };
    while let Some(chunk) = chunks.next().await {
        let Ok(chunk) = chunk else { return ReadBody::Broken };
        if whole.len() + chunk.len() > bytes_max {
            return ReadBody::TooLarge;
        }
        // Most bodies come in one piece, which need not be copied.
        if whole.is_empty() && announced == Some(chunk.len()) {
            return ReadBody::Whole(Vec::from(chunk));
        }
        if !taken.grow_to(whole.len() + chunk.len()) {
            return ReadBody::NotNow;
        }
        whole.extend_from_slice(&chunk);
    }
    ReadBody::Whole(whole)
}

/// The room that one body takes while it is read.
struct Taken<'a> {
    room: &'a Semaphore,
    permit: Option<SemaphorePermit<'a>>,
    bytes: usize,
}

impl Taken<'_> {
    /// Whether there is room for so many bytes; if so, it is taken.
    fn grow_to(&mut self, bytes: usize) -> bool {
        if bytes <= self.bytes {
            return true;
        }
        let units = (bytes - self.bytes).div_ceil(ROOM_UNIT_BYTES);
        let Ok(more) = self.room.try_acquire_many(u32::try_from(units).unwrap_or(u32::MAX)) else {
            return false;
        };
        self.bytes += units * ROOM_UNIT_BYTES;
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            None => self.permit = Some(more),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::body::Bytes;
    use futures::stream;

    use super::*;

    const PATIENCE: DurationMs = DurationMs::from_secs(60);

    fn in_pieces(pieces: &[&'static [u8]]) -> Body {
        let pieces: Vec<Result<Bytes, Infallible>> =
            pieces.iter().map(|&piece| Ok(Bytes::from_static(piece))).collect();
        Body::from_stream(stream::iter(pieces))
    }

    async fn read(body: Body, bytes_max: usize, room_kib: usize) -> ReadBody {
        read_body(&HeaderMap::new(), body, bytes_max, PATIENCE, &Semaphore::new(room_kib)).await
    }

    #[tokio::test]
    async fn bodies_are_bounded_to_the_byte() {
        let whole = read(in_pieces(&[b"abc", b"def"]), 6, 8).await;
        assert!(matches!(whole, ReadBody::Whole(bytes) if bytes == b"abcdef"));
        assert!(matches!(read(in_pieces(&[b"abc", b"defg"]), 6, 8).await, ReadBody::TooLarge));
        assert!(matches!(read(Body::empty(), 6, 0).await, ReadBody::Whole(bytes) if bytes.is_empty()));
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_LENGTH, "7".parse().expect("a number"));
        let announced = read_body(&headers, Body::from("abcdefg"), 6, PATIENCE, &Semaphore::new(8)).await;
        assert!(matches!(announced, ReadBody::TooLarge));
    }

    #[tokio::test]
    async fn room_is_taken_and_given_back() {
        let room = Semaphore::new(2);
        let big: &'static [u8] = &[b'a'; 1_500];
        let headers = HeaderMap::new();
        let fits = read_body(&headers, in_pieces(&[big, b"b"]), 9_000, PATIENCE, &room).await;
        assert!(matches!(fits, ReadBody::Whole(_)));
        assert_eq!(room.available_permits(), 2);
        let full = read_body(&headers, in_pieces(&[big, big]), 9_000, PATIENCE, &room).await;
        assert!(matches!(full, ReadBody::NotNow));
        assert_eq!(room.available_permits(), 2);
    }

    #[tokio::test]
    async fn slow_bodies_are_cut() {
        let never = Body::from_stream(stream::pending::<Result<Bytes, Infallible>>());
        let read = read_body(&HeaderMap::new(), never, 6, DurationMs(10), &Semaphore::new(8)).await;
        assert!(matches!(read, ReadBody::NotNow));
    }
}
