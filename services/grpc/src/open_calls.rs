//! Calls that need no key: health and reflection. Strangers may have so many of them under way together, and take none of the room
//! of callers with keys.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Response;
use axum::middleware::Next;
use tokio::sync::Semaphore;
use tonic::Status;

use crate::meter::until_sent;
use crate::status;

/// The largest of their messages: names of services, files and symbols.
pub(crate) const BYTES_MAX: usize = 8 * 1024;

/// How many streams may be open, and how many checks under way.
const OPEN_MAX: usize = 1_024;

/// How long a check may take, with the reading of its message.
const CHECK_WITHIN: Duration = Duration::from_secs(10);

/// Places for these calls.
#[derive(Clone)]
pub(crate) struct OpenCalls {
    checks: Arc<Semaphore>,
    streams: Arc<Semaphore>,
}

impl Default for OpenCalls {
    fn default() -> Self {
        let places = || Arc::new(Semaphore::new(OPEN_MAX));
        Self { checks: places(), streams: places() }
    }
}

/// Serves a call if there is a place for it, which it has until its answer has ended.
pub(crate) async fn bounded(State(places): State<OpenCalls>, request: Request, next: Next) -> Response<Body> {
    let is_check = request.uri().path().ends_with("/Check");
    let places = if is_check { places.checks } else { places.streams };
    let Ok(place) = places.try_acquire_owned() else {
        let detail = "Too many calls without a key are open; retry later.";
        return refused(status::of_problem(engine::Problem::unavailable(detail)));
    };
    let answer = next.run(request);
    let answer = if is_check {
        let late = |_elapsed| refused(Status::deadline_exceeded("The check timed out."));
        tokio::time::timeout(CHECK_WITHIN, answer).await.unwrap_or_else(late)
    } else {
        answer.await
    };
    until_sent(answer, place)
}

/// An answer that is only a status.
pub(crate) fn refused(status: Status) -> Response<Body> {
    status.into_http()
}
