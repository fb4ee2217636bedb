//! Work that goes on when whoever waits for it goes away.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::runtime::Handle;

type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A future that is finished in a task of its own if it is dropped half-way.
///
/// A statement whose caller hangs up is answered all the same, and what is known of its connection stays right. Where no
/// runtime is left to finish it, the work is dropped, and the connection with it.
struct Uninterrupted<T: Send + 'static> {
    work: Option<Work<T>>,
    has_begun: bool,
}

/// Runs work to its end, whoever waits for it. It must end by itself: by a deadline, for example.
pub(crate) fn uninterrupted<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> impl Future<Output = T> + Send {
    Uninterrupted { work: Some(Box::pin(work)), has_begun: false }
}

impl<T: Send + 'static> Future for Uninterrupted<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        self.has_begun = true;
        let Some(work) = &mut self.work else {
            // Nobody polls a future that has ended.
            return Poll::Pending;
        };
        let answer = work.as_mut().poll(context);
        if answer.is_ready() {
            self.work = None;
        }
        answer
    }
}

impl<T: Send + 'static> Drop for Uninterrupted<T> {
    fn drop(&mut self) {
        let Some(work) = self.work.take().filter(|_| self.has_begun) else {
            return;
        };
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move { drop(work.await) });
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn work_that_has_begun_is_finished_without_its_caller() {
        let (go_on, gone_on) = oneshot::channel::<()>();
        let (done, is_done) = oneshot::channel();
        let mut work = Box::pin(uninterrupted(async move {
            let _ = gone_on.await;
            let _ = done.send(());
        }));
        assert!(futures_poll_once(work.as_mut()).await.is_none());
        drop(work);
        go_on.send(()).expect("the work waits for it");
        is_done.await.expect("the work was finished");
    }

    #[tokio::test]
    async fn work_that_nobody_began_is_not() {
        let (done, is_done) = oneshot::channel::<()>();
        drop(uninterrupted(async move {
            let _ = done.send(());
        }));
        is_done.await.expect_err("the work was dropped");
    }

    async fn futures_poll_once<F: Future>(mut future: Pin<&mut F>) -> Option<F::Output> {
        std::future::poll_fn(|context| match future.as_mut().poll(context) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    }
}
