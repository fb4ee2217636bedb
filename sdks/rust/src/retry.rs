//! How long to wait before the same call is made again. Randomness is an argument.

use std::time::Duration;

use crate::error::ClientError;

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
