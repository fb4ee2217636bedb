//! A connection that is lent, and what is known of its state.

use std::io;
use std::time::{Duration, Instant};

use deadpool::managed::{Object, Pool};
use tokio::runtime::Handle;

use super::after::{After, after, has_stood_still, is_busy, is_open, out_of_time, outcome_unknown, undone};
use super::connection::{Answer, Work};
use super::opener::{Opener, discard, with_room};

/// Where a connection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Outside of any transaction.
    Idle,
    /// Inside a transaction.
    Open,
    /// Inside a transaction that can only be undone.
    Failed,
    /// Something is under way, or was never answered: nothing may be asked any more.
    Unknown,
}

/// A connection that is lent. It goes back when it is dropped, if it is outside of any transaction; a transaction is undone
/// first; and a connection of which nothing is known is closed.
#[derive(Debug)]
pub(crate) struct Lent {
    object: Option<Object<Opener>>,
    pool: Pool<Opener>,
    state: State,
    /// Whether its task that restores it runs. Where that is dropped, because the runtime ends, there is no second one.
    is_restored: bool,
}

impl Lent {
    pub(super) fn new(object: Object<Opener>, pool: Pool<Opener>) -> Self {
        Self { object: Some(object), pool, state: State::Idle, is_restored: false }
    }

    /// See [`Connection::fail_commits`](super::connection::Connection::fail_commits).
    #[cfg(test)]
    pub(super) async fn fail_commits(&mut self, count: u32) -> Result<(), sqlx::Error> {
        self.object.as_mut().ok_or(sqlx::Error::PoolClosed)?.fail_commits(count).await
    }

    /// Asks within a transaction, or what only reads.
    pub(crate) async fn ask(&mut self, work: Work) -> Result<Answer, sqlx::Error> {
        self.asked(work, self.state).await
    }

    /// Runs a single statement that writes. Where its answer is lost the session is ended, and the error says that the
    /// outcome is unknown.
    pub(crate) async fn write(&mut self, work: Work) -> Result<Answer, sqlx::Error> {
        match self.asked(work, State::Idle).await {
            Err(error) => Err(self.settled(error).await),
            answer => answer,
        }
    }

    /// Begins a transaction.
    pub(crate) async fn begin(&mut self, text: &str) -> Result<(), sqlx::Error> {
        let begun = self.asked(Work::Plain(text.into()), State::Open).await;
        if let Err(error) = &begun
            && !is_busy(error)
        {
            // It may have begun, or it was inside a transaction already.
            self.state = State::Unknown;
        }
        begun.map(|_| ())
    }

    /// Commits. After an error the connection is not used any more.
    pub(crate) async fn commit(&mut self) -> Result<(), sqlx::Error> {
        if self.state != State::Open {
            return Err(sqlx::Error::Protocol("a transaction that has failed cannot be committed".into()));
        }
        match self.asked(Work::Plain("COMMIT".into()), State::Idle).await {
            Ok(_) => Ok(()),
            Err(error) => {
                self.state = State::Unknown;
                self.lost();
                Err(self.settled(error).await)
            }
        }
    }

    /// Undoes the transaction. A failure to do so is none: the database undoes it when the connection goes.
    pub(crate) async fn rollback(&mut self) {
        if matches!(self.state, State::Idle | State::Unknown) {
            return;
        }
        if self.asked(Work::Plain("ROLLBACK".into()), State::Idle).await.is_err() {
            self.state = State::Unknown;
            self.lost();
        }
    }

    /// Whether a writing connection of SQLite is outside of any transaction, as it has to be. Costs next to nothing, and
    /// what is written inside a transaction that nobody ends is lost.
    pub(crate) async fn is_outside(&mut self) -> bool {
        let Some(probe) = self.pool.manager().probe() else {
            return true;
        };
        let answered = self.asked(Work::Plain(probe.into()), State::Idle).await;
        if let Err(error) = &answered {
            tracing::error!(
                error = error as &dyn std::error::Error,
                "a connection was left inside a transaction"
            );
            self.state = State::Unknown;
            self.lost();
        }
        answered.is_ok()
    }

    /// Asks, with a deadline. `then` is the state after a success.
    async fn asked(&mut self, work: Work, then: State) -> Result<Answer, sqlx::Error> {
        let before = std::mem::replace(&mut self.state, State::Unknown);
        let Some(object) = self.object.as_mut().filter(|_| before != State::Unknown) else {
            return Err(sqlx::Error::Protocol("nothing is known of the connection any more".into()));
        };
        let within = self.pool.manager().statement_within;
        let (time, asked_at) = (work.time(), Instant::now());
        let answered = tokio::time::timeout(within, object.work(work)).await;
        if let Some(time) = time {
            time.record(asked_at.elapsed().as_secs_f64());
        }
        let Ok(answer) = answered else {
            self.pool.manager().suspect(asked_at);
            self.lost();
            let is_at_work = self.pool.manager().is_at_work();
            return Err(if is_at_work { out_of_time(within) } else { expired(within) });
        };
        match answer {
            Ok(answer) => {
                object.answered_at = Instant::now();
                self.state = then;
                Ok(answer)
            }
            Err(error) => {
                self.state = match (after(&error), before) {
                    (After::Same, before) => before,
                    (After::Undone, State::Idle) => State::Idle,
                    (After::Undone, _) => State::Failed,
                    (After::Unknown, _) => State::Unknown,
                };
                // PostgreSQL undoes what nobody asked it to commit.
                let is_undone = (before, self.state) == (State::Open, State::Unknown)
                    && (then == State::Open || has_stood_still(&error))
                    && self.pool.manager().postgres_options().is_some();
                if self.state == State::Unknown {
                    self.lost();
                }
                Err(if is_undone { undone(error) } else { with_room(error, self.pool.manager().file()) })
            }
        }
    }

    /// The error of a write: where nobody knows what became of it, its session is ended first.
    async fn settled(&mut self, error: sqlx::Error) -> sqlx::Error {
        if !is_open(&error) {
            return error;
        }
        self.state = State::Unknown;
        let session = self.object.as_ref().and_then(|object| object.session.clone());
        if let Some(object) = self.object.take_if(|_| !self.pool.manager().is_irreplaceable()) {
            discard(object);
        }
        if let (Some(session), Some(options)) = (session, self.pool.manager().postgres_options()) {
            session.end(options).await;
        }
        outcome_unknown(error)
    }

    fn lost(&self) {
        self.pool.manager().lost();
    }

    /// Undoes what is open, whatever is known of it, on a connection that cannot be replaced.
    async fn restore(mut self) {
        if self.state == State::Unknown {
            // The thread of SQLite works in order: when it answers this, everything before has ended.
            self.state = State::Failed;
        }
        self.rollback().await;
        if self.pool.manager().is_irreplaceable() {
            // It was outside already, or nothing helps; the next to use it finds out.
            self.state = State::Idle;
        }
    }
}

/// A connection that is closed, and leaves its pool, when this is dropped.
struct Discarded(Option<Object<Opener>>);

impl Drop for Discarded {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            discard(object);
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(object) = self.object.take() else {
            return;
        };
        let is_irreplaceable = self.pool.manager().is_irreplaceable();
        match (self.state, Handle::try_current()) {
            (State::Idle, _) => drop(object),
            (State::Unknown, runtime) if !is_irreplaceable => {
                object.interrupt();
                let (session, pool) = (object.session.clone(), self.pool.clone());
                let object = Discarded(Some(object));
                // Where callers may leave, its place is free once its statement has ended: who asks and leaves again and
                // again has no more sessions than the pool.
                let object = pool.manager().is_left().then_some(object);
                if let (Some(session), Ok(runtime)) = (session, runtime) {
                    // What runs there may hold locks, and need not notice that nobody listens any more.
                    runtime.spawn(async move {
                        if let Some(options) = pool.manager().postgres_options() {
                            session.end(options).await;
                        }
                        drop(object);
                    });
                }
            }
            (_, Ok(runtime)) if !self.is_restored => {
                let lent = Self {
                    object: Some(object),
                    pool: self.pool.clone(),
                    state: self.state,
                    is_restored: true,
                };
                runtime.spawn(lent.restore());
            }
            _ => discard(object),
        }
    }
}

fn expired(within: Duration) -> sqlx::Error {
    let text = format!("the database did not answer within {} ms", within.as_millis());
    sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, text))
}
