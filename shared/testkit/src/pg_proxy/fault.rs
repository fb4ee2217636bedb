//! What a fault is for, what it does, and how a test learns that it has struck.

use std::time::Duration;

use tokio::sync::watch;

use super::wire::Framed;

/// For how long a test waits for a fault to strike before it fails.
const STRIKES_WITHIN: Duration = Duration::from_secs(30);

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// From the client to the server.
    ToServer,
    /// From the server to the client.
    ToClient,
}

/// Which messages a fault is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// Any.
    Any,
    /// The n-th of its connection in that direction, from 1 on. The messages of the login count.
    Nth(u64),
    /// One to the server that holds the text of a statement with this in it, parsed or run.
    Says(&'static str),
    /// One to the client which says that a command was carried out whose tag begins so (`COMMIT`, `UPDATE`).
    Answered(&'static str),
}

/// What happens to a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// It passes after a while; those behind it wait.
    Delay(Duration),
    /// It is lost, and nothing follows it in that direction until the proxy resumes. The other direction goes on.
    Stall,
    /// It is lost with the connection, which both sides see closed.
    Cut,
    /// It passes, and nothing follows: the receiver sees the end, the sender does not.
    HalfClose,
    /// It is lost, and the connection is silent in both directions from then on. Nobody sees it closed.
    Silence,
}

/// A fault that was armed.
#[derive(Debug)]
pub struct Fault(watch::Receiver<u32>);

impl Fault {
    /// Waits until it has struck once.
    pub async fn struck(&self) {
        self.struck_times(1).await;
    }

    /// Waits until it has struck so often.
    pub async fn struck_times(&self, times: u32) {
        let mut strikes = self.0.clone();
        let waited = tokio::time::timeout(STRIKES_WITHIN, strikes.wait_for(|so_far| *so_far >= times)).await;
        // A fault that is spent is dropped by the proxy, and its count stays.
        let has_struck = waited.is_ok_and(|seen| seen.is_ok()) || self.strikes() >= times;
        assert!(has_struck, "the fault struck {} times, not {times}", self.strikes());
    }

    /// How often it has struck so far.
    pub fn strikes(&self) -> u32 {
        *self.0.borrow()
    }
}

/// The side of the proxy.
#[derive(Debug)]
pub(super) struct Armed {
    way: Way,
    message: Message,
    act: Act,
    left: u32,
    strikes: watch::Sender<u32>,
}

pub(super) fn arm(way: Way, message: Message, act: Act, times: u32) -> (Armed, Fault) {
    let (strikes, fault) = watch::channel(0);
    (Armed { way, message, act, left: times, strikes }, Fault(fault))
}

impl Armed {
    pub(super) fn is_for(&self, way: Way, message: &Framed, nth: u64) -> bool {
        way == self.way
            && match self.message {
                Message::Any => true,
                Message::Nth(wanted) => nth == wanted,
                Message::Says(text) => message.statement().is_some_and(|said| contains(said, text)),
                Message::Answered(tag) => {
                    message.tag().is_some_and(|answered| answered.starts_with(tag.as_bytes()))
                }
            }
    }

    /// Counts a strike, and says what it does.
    pub(super) fn strike(&mut self) -> Act {
        self.left = self.left.saturating_sub(1);
        self.strikes.send_modify(|strikes| *strikes += 1);
        self.act
    }

    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }
}

fn contains(text: &[u8], wanted: &str) -> bool {
    text.windows(wanted.len()).any(|window| window == wanted.as_bytes())
}
