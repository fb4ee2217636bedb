//! Which answers are compressed.
//!
//! Compressing an answer of a few hundred bytes costs more processor time than it saves on any wire, and every client
//! of Go, Node and Python asks for it by default: with it three steps of a workflow took 13.2 ms in place of 10.1. What
//! workers call is never compressed, however large, since their time is the server's throughput.

use axum::http::{Extensions, HeaderMap, StatusCode, Version};
use axum::response::Response;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{And, NotForContentType, Predicate, SizeAbove};

/// From how many bytes on an answer is compressed. One whose length is not known, such as an export, is.
const BYTES_MIN: u64 = 4 * 1024;

/// Compresses answers from [`BYTES_MIN`] on, unless they are [`SentAsIs`] or a stream of events.
pub(crate) fn layer() -> CompressionLayer<impl Predicate> {
    let large: And<SizeAbove, NotForContentType> = SizeAbove::new(BYTES_MIN).and(NotForContentType::SSE);
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(large.and(not_marked as fn(StatusCode, Version, &HeaderMap, &Extensions) -> bool))
}

/// Marks answers that are never compressed.
#[derive(Debug, Clone, Copy)]
struct SentAsIs;

/// Marks an answer, for a layer around routes.
pub(crate) async fn send_as_is(mut response: Response) -> Response {
    response.extensions_mut().insert(SentAsIs);
    response
}

fn not_marked(_: StatusCode, _: Version, _: &HeaderMap, extensions: &Extensions) -> bool {
    extensions.get::<SentAsIs>().is_none()
}
