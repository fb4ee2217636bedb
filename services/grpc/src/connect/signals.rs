//! What a stream waits for besides its worker and its jobs: its timer, the end of its connection, and requests to end it. Each is
//! registered once instead of for each message.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use engine::Engine;
use futures::future::BoxFuture;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// What happened.
pub(super) enum Signal {
    /// The timer has fired.
    Time,
    /// The stream must end, for this reason.
    Drain(&'static str),
    /// Nobody receives messages any more.
    Gone,
}

/// What may happen to one stream.
pub(super) struct Signals {
    timer: Pin<Box<Sleep>>,
    gone: Pin<Box<WaitForCancellationFutureOwned>>,
    /// `None` once that was said.
    drain: Option<BoxFuture<'static, &'static str>>,
}

impl Signals {
    /// `connection` says that the connection is about to end, `gone` that nobody takes anything any more.
    pub(super) fn new(
        engine: Engine,
        connection: CancellationToken,
        gone: WaitForCancellationFutureOwned,
    ) -> Self {
        let drain = async move {
            tokio::select! {
                () = connection.cancelled() => "age",
                () = engine.until_shutdown() => "shutdown",
            }
        };
        Self {
            timer: Box::pin(sleep_until(Instant::now())),
            gone: Box::pin(gone),
            drain: Some(Box::pin(drain)),
        }
    }

    /// The next of them, at this instant at the latest.
    pub(super) async fn next(&mut self, at: Instant) -> Signal {
        let Self { timer, gone, drain } = self;
        if timer.deadline() != at || timer.is_elapsed() {
            timer.as_mut().reset(at);
        }
        poll_fn(|context| {
            if gone.as_mut().poll(context).is_ready() {
                return Poll::Ready(Signal::Gone);
            }
            if let Some(waiting) = drain.as_mut()
                && let Poll::Ready(reason) = waiting.as_mut().poll(context)
            {
                *drain = None;
                return Poll::Ready(Signal::Drain(reason));
            }
            timer.as_mut().poll(context).map(|()| Signal::Time)
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::FutureExt as _;

    use super::*;

    /// Of a stream that nobody asks to end.
    fn signals(gone: &CancellationToken) -> Signals {
        Signals {
            timer: Box::pin(sleep_until(Instant::now())),
            gone: Box::pin(gone.clone().cancelled_owned()),
            drain: Some(Box::pin(std::future::ready("age"))),
        }
    }

    #[tokio::test]
    async fn time_comes_again_for_what_is_earlier_and_not_for_what_was_put_off() {
        let gone = CancellationToken::new();
        let mut signals = signals(&gone);
        let later = Instant::now() + Duration::from_secs(3_600);
        assert!(matches!(signals.next(later).await, Signal::Drain("age")));
        assert!(signals.next(later).now_or_never().is_none(), "it is said once");
        for _ in 0..2 {
            assert!(matches!(signals.next(Instant::now()).await, Signal::Time));
            assert!(signals.next(later).now_or_never().is_none());
        }
        gone.cancel();
        assert!(matches!(signals.next(later).await, Signal::Gone));
    }
}
