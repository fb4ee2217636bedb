//! Waiting: look, pause, look again, until a deadline. Nothing here waits for a fixed time and hopes.

use std::future::Future;
use std::time::{Duration, Instant};

/// The pause between two looks.
pub(super) const PAUSE: Duration = Duration::from_millis(20);

/// Looks again and again until `look` answers something. Panics when the time is up.
pub(crate) async fn until<T, F>(what: &str, deadline: Duration, look: impl FnMut() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    match found(deadline, look).await {
        Some(found) => found,
        None => panic!("{what}: not within {deadline:?}"),
    }
}

/// Looks again and again until `look` answers something; none when the time is up.
pub(crate) async fn found<T, F>(deadline: Duration, mut look: impl FnMut() -> F) -> Option<T>
where
    F: Future<Output = Option<T>>,
{
    let started = Instant::now();
    loop {
        if let Some(found) = look().await {
            return Some(found);
        }
        if started.elapsed() >= deadline {
            return None;
        }
        pause().await;
    }
}

/// Waits for something that ends by itself. Panics when the time is up.
pub(crate) async fn within<T>(what: &str, deadline: Duration, waited: impl Future<Output = T>) -> T {
    let Ok(done) = tokio::time::timeout(deadline, waited).await else {
        panic!("{what}: not within {deadline:?}")
    };
    done
}

/// The pause between two looks of a polling loop.
pub(super) async fn pause() {
    // This is the pause of polling loops.
    tokio::time::sleep(PAUSE).await;
}
