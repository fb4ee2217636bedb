//! Reads one body.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use futures::StreamExt;
use tokio::time::{Instant, timeout_at};

use super::room::BodyShare;

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
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
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

/// How long a body may have taken of which so many bytes are there: each of them buys time for the next.
fn time_for(bytes: usize, bounds: BodyBounds) -> Duration {
    let micros = (bytes as u64).saturating_mul(1_000_000) / (bounds.bytes_per_second_min.max(1) as u64);
    bounds.grace + Duration::from_micros(micros)
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
}
