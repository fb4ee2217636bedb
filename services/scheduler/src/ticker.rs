//! A ticker: runs one duty again and again until it is stopped. Knows no duty.

use std::error::Error;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use engine::Entropy;
use futures::FutureExt;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The longest wait after errors, for duties that run more often.
const BACKOFF_MAX: Duration = Duration::from_secs(2);

/// The shortest wait between two ticks, whatever the options say.
const WAIT_MIN: Duration = Duration::from_millis(1);

/// What a tick says about the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// There is more to do now.
    AtOnce,
    /// After the usual wait.
    Later,
    /// After exactly this wait: for what has its own time.
    After(Duration),
}

/// When a duty runs.
pub(crate) struct Ticker {
    /// The duty's name in logs.
    pub(crate) duty: &'static str,
    /// The longest wait between two ticks.
    pub(crate) every: Duration,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) stop: CancellationToken,
}

impl Ticker {
    /// Runs `tick` until the ticker is stopped; a tick under way is not cut off. The first one comes at once, so that
    /// a process that was just started after a crash looks for what the crash left behind.
    pub(crate) fn start<Tick, Ticked, E>(self, tick: Tick) -> JoinHandle<()>
    where
        Tick: Fn() -> Ticked + Send + Sync + 'static,
        Ticked: Future<Output = Result<Next, E>> + Send,
        E: Error + Send + 'static,
    {
        tokio::spawn(async move {
            let mut failures: u32 = 0;
            while !self.stop.is_cancelled() {
                let next = self.run(&tick).await;
                failures = if next.is_some() { 0 } else { failures.saturating_add(1) };
                let wait = match next {
                    Some(Next::AtOnce) => {
                        tokio::task::yield_now().await;
                        continue;
                    }
                    Some(Next::Later) => self.spread(self.every),
                    Some(Next::After(wait)) => wait,
                    None => self.spread(self.backoff(failures)),
                };
                let wait = wait.max(WAIT_MIN);
                let _ = tokio::time::timeout(wait, self.stop.cancelled()).await;
            }
        })
    }

    /// One tick; `None` after an error or a panic, which are logged here.
    async fn run<Ticked, E>(&self, tick: &(impl Fn() -> Ticked + Sync)) -> Option<Next>
    where
        Ticked: Future<Output = Result<Next, E>>,
        E: Error + 'static,
    {
        let ticked = AssertUnwindSafe(async { tick().await }).catch_unwind().await;
        match ticked {
            Ok(Ok(next)) => return Some(next),
            Ok(Err(error)) => {
                tracing::warn!(
                    duty = self.duty,
                    error = &error as &dyn Error,
                    "an upkeep duty failed and will be retried"
                );
            }
            Err(_) => tracing::error!(duty = self.duty, "an upkeep duty panicked and will be retried"),
        }
        None
    }

    /// Cuts a wait by up to a half, so that nodes do not run in step.
    fn spread(&self, wait: Duration) -> Duration {
        wait.mul_f64(0.5 + 0.5 * self.entropy.jitter().0.clamp(0.0, 1.0))
    }

    /// Waits double from the usual one, up to [`BACKOFF_MAX`] or the usual one if that is longer.
    fn backoff(&self, failures: u32) -> Duration {
        let factor = 2_u32.saturating_pow(failures.min(16));
        self.every.saturating_mul(factor).min(BACKOFF_MAX.max(self.every))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use testkit::{SeededEntropy, eventually};

    use super::*;

    #[derive(Debug)]
    struct Broken;

    impl std::fmt::Display for Broken {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("broken")
        }
    }

    impl Error for Broken {}

    fn ticker(every: Duration) -> Ticker {
        Ticker {
            duty: "test",
            every,
            entropy: Arc::new(SeededEntropy::new(1)),
            stop: CancellationToken::new(),
        }
    }

    #[tokio::test]
    async fn errors_and_panics_do_not_end_it() {
        let ticker = ticker(Duration::from_millis(1));
        let stop = ticker.stop.clone();
        let ticks = Arc::new(AtomicU32::new(0));
        let seen = Arc::clone(&ticks);
        let task = ticker.start(move || {
            let tick = seen.fetch_add(1, Ordering::SeqCst);
            async move {
                match tick {
                    0 => Err(Broken),
                    1 => panic!("a bug"),
                    _ => Ok(Next::Later),
                }
            }
        });
        eventually("more ticks", || async { ticks.load(Ordering::SeqCst) >= 4 }).await;
        stop.cancel();
        task.await.expect("ends well");
    }

    #[tokio::test]
    async fn it_goes_on_at_once_while_there_is_more() {
        // The usual wait is longer than the test may take.
        let ticker = ticker(Duration::from_hours(1));
        let stop = ticker.stop.clone();
        let ticks = Arc::new(AtomicU32::new(0));
        let seen = Arc::clone(&ticks);
        let task = ticker.start(move || {
            let tick = seen.fetch_add(1, Ordering::SeqCst);
            async move { Ok::<_, Broken>(if tick < 9 { Next::AtOnce } else { Next::Later }) }
        });
        eventually("ten ticks", || async { ticks.load(Ordering::SeqCst) == 10 }).await;
        stop.cancel();
        task.await.expect("a stop ends the wait");
        assert_eq!(ticks.load(Ordering::SeqCst), 10);
    }

    #[tokio::test(start_paused = true)]
    async fn a_duty_may_set_its_own_time() {
        let wait = Duration::from_secs(7);
        let ticker = ticker(Duration::from_hours(1));
        let stop = ticker.stop.clone();
        let started = tokio::time::Instant::now();
        let (sender, mut ticks) = tokio::sync::mpsc::unbounded_channel();
        let task = ticker.start(move || {
            let _ = sender.send(started.elapsed());
            async move { Ok::<_, Broken>(Next::After(wait)) }
        });
        for times in 0..3 {
            let at = ticks.recv().await.expect("the ticker goes on");
            assert_eq!(at.as_secs(), 7 * times, "exactly then, without jitter");
        }
        stop.cancel();
        task.await.expect("ends well");
    }

    #[test]
    fn waits_after_errors_are_bounded() {
        let quick = ticker(Duration::from_millis(250));
        assert_eq!(quick.backoff(1), Duration::from_millis(500));
        assert_eq!(quick.backoff(1_000), BACKOFF_MAX);
        assert_eq!(ticker(Duration::from_mins(1)).backoff(3), Duration::from_mins(1));
    }
}
