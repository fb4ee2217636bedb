//! What applications commit in SQL is taken: at once when the database notifies, and now and then in case it did not.

use std::time::Duration;

use engine::{Engine, IntakeStep};
use store::wakeup::Hint;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio_util::sync::CancellationToken;

/// After an error the wait is at least so long, and doubles up to [`BACKOFF_MAX`].
const BACKOFF: Duration = Duration::from_millis(100);
const BACKOFF_MAX: Duration = Duration::from_secs(5);

/// Takes rows until it is stopped. `every` is how long it waits for a notification at most.
pub(crate) async fn take_intake(engine: Engine, every: Duration, stop: CancellationToken) {
    let mut hints = engine.wakeup().subscribe();
    let mut failures: u32 = 0;
    while !stop.is_cancelled() {
        let wait = match engine.take_intake().await {
            Ok(IntakeStep::Some) => {
                failures = 0;
                continue;
            }
            Ok(IntakeStep::Nothing) => {
                failures = 0;
                every
            }
            Ok(IntakeStep::Elsewhere(held)) => held.to_std().min(every),
            Err(error) => {
                // The first says what is wrong; others would only repeat it.
                if failures == 0 {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "the intake cannot be read; retrying"
                    );
                }
                failures = failures.saturating_add(1);
                BACKOFF.saturating_mul(2_u32.saturating_pow(failures.min(10))).min(BACKOFF_MAX)
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = notified(&mut hints), if failures == 0 => {}
            () = tokio::time::sleep(wait) => {}
        }
    }
    engine.release_intake().await;
}

/// Resolves when an application has committed something. A receiver that was too slow takes whatever it missed for it.
async fn notified(hints: &mut Receiver<Hint>) {
    loop {
        match hints.recv().await {
            Ok(Hint::Intake) | Err(RecvError::Lagged(_)) => return,
            Ok(_) => {}
            Err(RecvError::Closed) => std::future::pending().await,
        }
    }
}
