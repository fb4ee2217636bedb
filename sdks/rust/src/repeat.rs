//! Calls that are made again, where that is safe and may help.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use crate::error::ClientError;
use crate::retry;
use crate::transport::{CallOptions, Request};

/// A server that refuses connections is given up after about six seconds, one that is only busy when the time is up.
const CONNECTION_TRIES_MAX: u32 = 6;

/// Makes a call within its time. `once` makes it once, with the idempotency key where it takes one.
pub(crate) async fn repeat<T, F: Future<Output = Result<T, ClientError>>>(
    request: &Request,
    options: CallOptions,
    limit: Duration,
    once: impl Fn(Option<String>) -> F,
) -> Result<T, ClientError> {
    let limit = options.timeout.unwrap_or(limit);
    let deadline = Instant::now() + limit;
    // The same key for all tries makes them one call for the server.
    let key = request.keyed.then(|| options.idempotency_key.unwrap_or_else(random_key));
    for attempt in 0.. {
        let Ok(result) = timeout_at(deadline, once(key.clone())).await else {
            return Err(ClientError::Timeout { what: request.name.to_owned(), limit });
        };
        let error = match result {
            Ok(answer) => return Ok(answer),
            Err(error) => error,
        };
        let delay = retry::delay(&error, attempt, retry::random());
        if options.no_retry || !may_repeat(request, &error, attempt) || Instant::now() + delay >= deadline {
            return Err(error);
        }
        sleep(delay).await;
    }
    unreachable!("tries end by returning")
}

/// Reports carry a lease token, and calls with a key are recognised, so that both may be repeated after a broken connection.
fn may_repeat(request: &Request, error: &ClientError, attempt: u32) -> bool {
    if !matches!(error, ClientError::Connection { .. }) {
        return error.is_transient();
    }
    let is_safe = request.method == "GET" || request.keyed || request.path.starts_with("/v1/jobs/");
    is_safe && attempt + 1 < CONNECTION_TRIES_MAX
}

/// A key that nobody else chooses.
pub(crate) fn random_key() -> String {
    #[expect(clippy::disallowed_methods, reason = "idempotency keys are random")]
    let bits: u128 = rand::random();
    format!("{bits:032x}")
}
