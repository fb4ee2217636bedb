//! What an error says about the connection, and about what was asked on it.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use std::{fmt, io};

use tokio::runtime::Handle;

use super::opener::disk_room;

/// What is known of a connection after an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// Nothing has changed.
    Same,
    /// The statement was undone, and the transaction around it can only be undone.
    Undone,
    /// Nothing is known.
    Unknown,
}

/// What is known of a connection after this error.
pub(super) fn after(error: &sqlx::Error) -> After {
    match error {
        // Nothing was sent.
        sqlx::Error::Encode(_) => After::Same,
        sqlx::Error::Database(error) => {
            let code = error.code().unwrap_or_default();
            match code.parse::<u32>() {
                // PostgreSQL's codes have five characters, SQLite's numbers are below 10,000.
                Ok(number) if code.len() < 5 => after_sqlite(number & 0xff),
                _ if ends_session(&code) || is_stale_plan(error.as_ref()) => After::Unknown,
                _ => After::Undone,
            }
        }
        _ => After::Unknown,
    }
}

/// SQLite undoes a statement and stays where it was; but when its memory, its disk or its file failed, it may have
/// undone the whole transaction by itself, and what is written next would be written alone.
fn after_sqlite(primary: u32) -> After {
    match primary {
        // ERROR, BUSY, CONSTRAINT, MISMATCH, RANGE. Only a BEGIN meets BUSY here.
        1 | 5 | 19 | 20 | 25 => After::Same,
        _ => After::Unknown,
    }
}

/// Whether a SQLite file was locked by another connection for too long.
pub(super) fn is_busy(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else {
        return false;
    };
    let code = error.code().unwrap_or_default();
    code.len() < 5 && code.parse::<u32>().is_ok_and(|code| code & 0xff == 5)
}

/// Whether PostgreSQL ends the session with this answer.
fn ends_session(code: &str) -> bool {
    // Connection exceptions; administrator, crash, start or end of the server; idle in a transaction; idle.
    code.starts_with("08")
        || ["57P01", "57P02", "57P03", "57P04", "57P05", IDLE_IN_TRANSACTION].contains(&code)
}

/// The server ended an idle transaction, before it was asked to commit it.
const IDLE_IN_TRANSACTION: &str = "25P03";

/// Whether it is that: what was asked afterwards, be it to commit, was not carried out.
pub(super) fn has_stood_still(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(error) if error.code().is_some_and(|code| code == IDLE_IN_TRANSACTION))
}

/// Whether nobody knows if a write with this error was carried out.
pub(super) fn is_open(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(error) => {
            let code = error.code().unwrap_or_default();
            match code.parse::<u32>() {
                // IOERR: the log may hold the commit although it could not be flushed.
                Ok(number) if code.len() < 5 => number & 0xff == 10,
                _ => ends_session(&code),
            }
        }
        error if is_undone(error) => false,
        // The disk was full.
        error if disk_room(error).is_some() => false,
        sqlx::Error::Encode(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::Configuration(_) => false,
        _ => true,
    }
}

/// The error of a statement or commit whose session ended inside a transaction, before the server was asked to commit it.
pub(super) fn undone(error: sqlx::Error) -> sqlx::Error {
    sqlx::Error::Io(io::Error::other(Undone(error)))
}

/// Whether it is that: the transaction may be repeated from its beginning, as after a deadlock.
pub(crate) fn is_undone(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Io(error) if error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Undone>))
}

/// The error of a write whose answer was lost.
pub(super) fn outcome_unknown(error: sqlx::Error) -> sqlx::Error {
    sqlx::Error::Io(io::Error::other(OutcomeUnknown(error)))
}

/// Whether it is that.
pub(crate) fn is_outcome_unknown(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Io(error) if error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<OutcomeUnknown>))
}

/// The error of a list that was still being read when its time was up.
pub(super) fn out_of_time(within: Duration) -> sqlx::Error {
    sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, OutOfTime(within)))
}

/// Whether it is that: the same list would take as long again.
pub(crate) fn is_out_of_time(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Io(error) if error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<OutOfTime>))
}

#[derive(Debug)]
struct OutOfTime(Duration);

impl fmt::Display for OutOfTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the list could not be read within {} ms", self.0.as_millis())
    }
}

impl Error for OutOfTime {}

#[derive(Debug)]
struct Undone(sqlx::Error);

impl fmt::Display for Undone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the connection was lost inside a transaction, which is undone")
    }
}

impl Error for Undone {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

#[derive(Debug)]
struct OutcomeUnknown(sqlx::Error);

impl fmt::Display for OutcomeUnknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the database did not confirm whether the write was committed")
    }
}

impl Error for OutcomeUnknown {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

// Work that goes on when whoever waits for it goes away.

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

/// Whether a statement was prepared for a table that a migration has changed since. It was not carried out, and fails as long as the
/// session lasts. The code alone also says what PostgreSQL never does.
pub(crate) fn is_stale_plan(error: &dyn sqlx::error::DatabaseError) -> bool {
    error.code().is_some_and(|code| code == "0A000")
        && error
            .try_downcast_ref::<sqlx::postgres::PgDatabaseError>()
            .is_some_and(|error| error.routine() == Some("RevalidateCachedQuery"))
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
