//! Group commit: single calls that arrive while a commit is under way are written together by the next one.
//!
//! One task for each kind of call takes whatever has arrived, up to a bound, and waits for nothing else, so that a
//! call that comes alone is written at once. Where the sink says so, several commits are under way at once: the next
//! group is not kept waiting for the flush of the one before. Each caller is answered after the commit of its own item.
//! The queue is bounded: what does not fit is refused, and memory does not grow. Decides nothing about what is written.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::time::DurationMs;
use futures::FutureExt;
use parking_lot::Mutex;
use store::audit::{AuditRecord, fold, with_lines};
use store::{StoreError, StoreResult};
use tokio::sync::{Notify, Semaphore, mpsc, oneshot};
use tokio::time::Instant;

use crate::error::EngineError;
use crate::metrics;

/// The most items of one commit.
const GROUP_MAX: usize = 500;
/// How many items may wait for their commit.
const QUEUE_MAX: usize = 10_000;
/// When a caller that was refused may try again.
const RETRY_AFTER: DurationMs = DurationMs::from_secs(1);

/// The room that something takes, whoever gave it. It is given back when this is dropped.
pub(crate) type Room = Box<dyn Any + Send + Sync>;

/// When a commit is begun beside one that is under way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Second {
    /// Not for fewer items than this,
    items_min: usize,
    /// unless those that there are have waited so long.
    wait_max: Duration,
}

impl Second {
    /// For whatever has come.
    const AT_ONCE: Self = Self { items_min: 1, wait_max: Duration::ZERO };

    /// For many items, of statements that cost their start whatever they write.
    pub(crate) const FOR_MANY: Self = Self { items_min: 64, wait_max: Duration::from_millis(50) };

    /// The same where somebody waits for each of the items: longer than a commit takes on a fast disk and a busy machine. On a
    /// slow disk more than one flush has to be under way, or few callers would wait for two of them.
    pub(crate) const FOR_MANY_SOON: Self = Self { wait_max: Duration::from_millis(3), ..Self::FOR_MANY };
}

/// Writes items in one commit.
#[async_trait]
pub(crate) trait Sink: Send + Sync + 'static {
    /// What a caller submits.
    type Item: Send + Sync + 'static;
    /// What it is answered.
    type Answer: Send + 'static;

    /// All or nothing. Answers in order, one for each item.
    async fn commit(&self, items: &[Self::Item]) -> StoreResult<Vec<Self::Answer>>;

    /// How many commits may be under way at once. Items of different commits are written in no order.
    fn commits_at_once(&self) -> usize {
        1
    }

    /// When another one is begun beside one that is under way.
    fn second(&self) -> Second {
        Second::AT_ONCE
    }
}

/// The queue before a sink. Its task starts with the first item and ends when the queue is dropped and empty.
pub(crate) struct GroupCommit<S: Sink>(Mutex<Option<mpsc::Sender<Waiting<S>>>>);

struct Waiting<S: Sink> {
    item: S::Item,
    caller: Caller<S>,
}

/// Who waits for an item.
struct Caller<S: Sink> {
    answer: oneshot::Sender<StoreResult<S::Answer>>,
    /// What is written to the audit log with the item.
    start: Option<AuditRecord>,
    /// The room that the item takes, until it is written.
    _room: Option<Room>,
}

impl<S: Sink> Default for GroupCommit<S> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<S: Sink> GroupCommit<S> {
    /// Has an item written together with those of other callers; answers after its commit. `sink` is called to start
    /// the task. The item is written even if the caller stops waiting.
    pub(crate) async fn commit(
        &self,
        item: S::Item,
        sink: impl FnOnce() -> S,
    ) -> Result<S::Answer, EngineError> {
        self.submit(item, (None, None), sink).await
    }

    /// The same; a line of the audit log, of the items of its caller in the same commit together, is written with it.
    pub(crate) async fn commit_recorded(
        &self,
        start: Option<AuditRecord>,
        item: S::Item,
        sink: impl FnOnce() -> S,
    ) -> Result<S::Answer, EngineError> {
        self.submit(item, (start, None), sink).await
    }

    /// The same, within room that is given back when the item is written, also where the caller stopped waiting.
    pub(crate) async fn commit_within(
        &self,
        room: Option<Room>,
        item: S::Item,
        sink: impl FnOnce() -> S,
    ) -> Result<S::Answer, EngineError> {
        self.submit(item, (None, room), sink).await
    }

    async fn submit(
        &self,
        item: S::Item,
        (start, room): (Option<AuditRecord>, Option<Room>),
        sink: impl FnOnce() -> S,
    ) -> Result<S::Answer, EngineError> {
        let (asked_at, (answer, answered)) = (Instant::now(), oneshot::channel());
        let caller = Caller { answer, start, _room: room };
        self.sender(sink).try_send(Waiting { item, caller }).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(_) => EngineError::Overloaded { retry_after: RETRY_AFTER },
            mpsc::error::TrySendError::Closed(_) => ended().into(),
        })?;
        let answer = answered.await.map_err(|_| ended())??;
        metrics::commit_waited(asked_at.elapsed());
        Ok(answer)
    }

    /// The task is started again where its runtime was shut down.
    fn sender(&self, sink: impl FnOnce() -> S) -> mpsc::Sender<Waiting<S>> {
        let mut kept = self.0.lock();
        match &*kept {
            Some(sender) if !sender.is_closed() => sender.clone(),
            _ => {
                let (sender, receiver) = mpsc::channel(QUEUE_MAX);
                tokio::spawn(run(sink(), receiver));
                kept.insert(sender).clone()
            }
        }
    }
}

async fn run<S: Sink>(sink: S, mut receiver: mpsc::Receiver<Waiting<S>>) {
    let turns = Arc::new(Semaphore::new(sink.commits_at_once().max(1)));
    let (sink, ended) = (Arc::new(sink), Arc::new(Notify::new()));
    loop {
        let turn = Arc::clone(&turns).acquire_owned().await.expect("the semaphore is never closed");
        let Some(mut group) = next_group(&mut receiver).await else {
            return;
        };
        let is_alone = || turns.available_permits() + 1 >= sink.commits_at_once();
        // One timer for the whole wait, which is entered in the clock only where there is one.
        let Second { items_min, wait_max } = sink.second();
        let mut late = pin!(tokio::time::sleep(wait_max));
        while group.len() < items_min && !is_alone() {
            let room = GROUP_MAX - group.len();
            tokio::select! {
                () = ended.notified() => {}
                () = &mut late => break,
                count = receiver.recv_many(&mut group, room) => {
                    if count == 0 {
                        break;
                    }
                }
            }
        }
        let (sink, ended) = (Arc::clone(&sink), Arc::clone(&ended));
        tokio::spawn(async move {
            if AssertUnwindSafe(write(sink.as_ref(), group)).catch_unwind().await.is_err() {
                // Whoever was in the group learns it by the loss of the answer.
                tracing::error!("a group commit panicked");
            }
            drop(turn);
            ended.notify_one();
        });
    }
}

/// What has arrived; `None` once nothing can come any more.
async fn next_group<S: Sink>(receiver: &mut mpsc::Receiver<Waiting<S>>) -> Option<Vec<Waiting<S>>> {
    let mut group = vec![receiver.recv().await?];
    // Whoever was woken together with the first comes along with it.
    tokio::task::yield_now().await;
    while group.len() < GROUP_MAX {
        match receiver.try_recv() {
            Ok(waiting) => group.push(waiting),
            Err(_) => break,
        }
    }
    Some(group)
}

async fn write<S: Sink>(sink: &S, group: Vec<Waiting<S>>) {
    let (items, callers): (Vec<S::Item>, Vec<Caller<S>>) =
        group.into_iter().map(|waiting| (waiting.item, waiting.caller)).unzip();
    // What is still to be written, the next part last.
    let mut parts = vec![(items.as_slice(), callers)];
    while let Some((items, mut callers)) = parts.pop() {
        let lines = lines_of(callers.iter().filter_map(|caller| caller.start.as_ref()));
        match with_lines(lines, sink.commit(items)).await.0 {
            Ok(answers) => {
                for (caller, answer) in callers.into_iter().zip(answers) {
                    reply::<S>(caller, Ok(answer));
                }
            }
            // The database is away, for each of them alike: asking for each alone would make them wait in a line.
            Err(StoreError::Unavailable { source }) => {
                tell_all::<S>(callers, source, |source| StoreError::Unavailable { source });
            }
            Err(StoreError::Unknown { source }) => {
                tell_all::<S>(callers, source, |source| StoreError::Unknown { source });
            }
            Err(StoreError::Full { room, source }) => {
                tell_all::<S>(callers, source, |source| StoreError::Full { room, source });
            }
            Err(error) if items.len() == 1 => {
                if let Some(caller) = callers.pop() {
                    reply::<S>(caller, Err(error));
                }
            }
            // One bad item must not take its neighbors along, and is found in few commits by halves.
            Err(error) => {
                tracing::debug!(
                    error = &error as &dyn Error,
                    items = items.len(),
                    "a group failed and is written in halves"
                );
                let half = items.len() / 2;
                let rest = callers.split_off(half);
                parts.push((&items[half..], rest));
                parts.push((&items[..half], callers));
            }
        }
    }
}

/// One error for all of them.
fn tell_all<S: Sink>(
    callers: Vec<Caller<S>>,
    source: Box<dyn Error + Send + Sync>,
    error: impl Fn(Box<dyn Error + Send + Sync>) -> StoreError,
) {
    let shared: Arc<dyn Error + Send + Sync> = Arc::from(source);
    for caller in callers {
        reply::<S>(caller, Err(error(Box::new(Shared(Arc::clone(&shared))))));
    }
}

/// A caller that stopped waiting gets nothing.
fn reply<S: Sink>(caller: Caller<S>, answer: StoreResult<S::Answer>) {
    let _ = caller.answer.send(answer);
}

/// The item may have been written or not: callers repeat with the same ids and tokens.
fn ended() -> StoreError {
    StoreError::Unknown { source: "the commit ended without an answer".into() }
}

/// One failure of several callers.
#[derive(Debug)]
struct Shared(Arc<dyn Error + Send + Sync>);

impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Shared {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// The lines of calls that share a commit: those of one caller are one.
pub(crate) fn lines_of<'a>(lines: impl IntoIterator<Item = &'a AuditRecord>) -> Vec<AuditRecord> {
    fold(lines).into_iter().map(|folded| folded.line).collect()
}

#[cfg(test)]
mod tests;
