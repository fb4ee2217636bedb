//! Calls that are made again, where that is safe and may help.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use crate::error::ClientError;
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
        let delay = self::delay(&error, attempt, random());
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

// How long to wait before the same call is made again. Randomness is an argument.

const FIRST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// At least what the server asked for, spread by up to a quarter or 100 ms, else exponential. `attempt` counts from 0,
/// `random` is from 0 to 1.
pub(crate) fn delay(error: &ClientError, attempt: u32, random: f64) -> Duration {
    match error {
        ClientError::Problem(problem) => match problem.retry_after {
            Some(asked) => asked + FIRST.max(asked / 4).mul_f64(random),
            None => backoff(attempt, random),
        },
        _ => backoff(attempt, random),
    }
}

/// Exponential from 100 ms to 5 s, spread over the upper half.
pub(crate) fn backoff(attempt: u32, random: f64) -> Duration {
    let ceiling = LONGEST.min(FIRST * (1_u32 << attempt.min(16)));
    ceiling.mul_f64(0.5 + random / 2.0)
}

/// From 0 to 1.
pub(crate) fn random() -> f64 {
    #[expect(clippy::disallowed_methods, reason = "the SDK's one source of it")]
    rand::random()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{backoff, delay};
    use crate::error::{ClientError, ProblemError};
    use crate::models::Problem;

    #[test]
    fn waits_grow_and_respect_the_server() {
        assert_eq!(backoff(0, 0.0), Duration::from_millis(50));
        assert_eq!(backoff(30, 1.0), Duration::from_secs(5));
        let problem = |retry_after| {
            ClientError::Problem(Box::new(ProblemError { problem: Problem::default(), retry_after }))
        };
        let asked = Duration::from_secs(8);
        assert_eq!(delay(&problem(Some(asked)), 0, 0.0), asked);
        assert_eq!(delay(&problem(Some(asked)), 0, 1.0), Duration::from_secs(10));
        assert_eq!(delay(&problem(None), 0, 1.0), Duration::from_millis(100));
    }
}
