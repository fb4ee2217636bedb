//! A broker in memory, which a test can take away, stall and let refuse.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use domain::time::Timestamp;
use futures::FutureExt as _;
use parking_lot::Mutex;
use relay::{Message, PublishError, Publisher, Receipt};
use tokio::sync::watch;

/// What the broker does with messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Takes and acknowledges them.
    Up,
    /// Takes them and acknowledges none before it is up again.
    Stalled,
    /// Is not reached.
    Away,
}

/// The broker.
pub(crate) struct MemoryBroker {
    mode: watch::Sender<Mode>,
    /// How often messages were taken back.
    recalls: watch::Sender<u32>,
    /// Messages of topics whose names begin so are taken and not acknowledged.
    stalled: watch::Sender<Option<String>>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    log: Vec<Message>,
    topics: HashSet<String>,
    /// Why topics with these prefixes are not created.
    no_topics: HashMap<String, PublishError>,
    /// So many of the next messages fail once each.
    failures: usize,
    /// How many failed, by topic and key, of which the relay does not know yet.
    failing: HashMap<(String, String), usize>,
    bytes_max: Option<usize>,
}

impl MemoryBroker {
    pub(crate) fn new() -> Arc<Self> {
        let (mode, recalls) = (watch::Sender::new(Mode::Up), watch::Sender::new(0));
        Arc::new(Self { mode, recalls, stalled: watch::Sender::new(None), state: Arc::default() })
    }

    pub(crate) fn set(&self, mode: Mode) {
        if mode == Mode::Away {
            self.state.lock().failures = 0;
        }
        self.mode.send_replace(mode);
    }

    /// Acknowledges no messages of topics whose names begin so, as where the brokers of their partitions are away; all with `None`.
    pub(crate) fn stall(&self, prefix: Option<&str>) {
        self.stalled.send_replace(prefix.map(str::to_owned));
    }

    /// How often messages were taken back.
    pub(crate) fn recalls(&self) -> u32 {
        *self.recalls.borrow()
    }

    /// Lets the next messages fail, so that they have to be sent again.
    pub(crate) fn fail_next(&self, count: usize) {
        self.state.lock().failures = count;
    }

    /// Lets all messages fail until the broker is away.
    pub(crate) fn fail_until_away(&self) {
        self.fail_next(usize::MAX);
    }

    /// Refuses messages that are larger.
    pub(crate) fn refuse_above(&self, bytes: usize) {
        self.state.lock().bytes_max = Some(bytes);
    }

    /// Creates no topics whose names begin so, for this reason; creates them again with `None`.
    pub(crate) fn create_none(&self, prefix: &str, error: Option<PublishError>) {
        let mut state = self.state.lock();
        match error {
            Some(error) => state.no_topics.insert(prefix.to_owned(), error),
            None => state.no_topics.remove(prefix),
        };
    }

    /// All messages, in the order in which they came.
    pub(crate) fn log(&self) -> Vec<Message> {
        self.state.lock().log.clone()
    }

    pub(crate) fn len(&self) -> usize {
        self.state.lock().log.len()
    }

    pub(crate) fn topics(&self) -> Vec<String> {
        let mut topics: Vec<String> = self.state.lock().topics.iter().cloned().collect();
        topics.sort();
        topics
    }

    /// The values as JSON.
    pub(crate) fn offers(&self) -> Vec<serde_json::Value> {
        self.log().iter().map(|message| serde_json::from_slice(&message.value).unwrap()).collect()
    }

    /// The ids of the jobs, by key, in the order in which they came.
    pub(crate) fn by_key(&self) -> BTreeMap<String, Vec<String>> {
        let mut keys: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (message, offer) in self.log().iter().zip(self.offers()) {
            keys.entry(message.key.clone())
                .or_default()
                .push(offer["job"]["id"].as_str().unwrap().to_owned());
        }
        keys
    }
}

/// Waits until a value is as it should be.
async fn until<T>(mut value: watch::Receiver<T>, is_right: impl FnMut(&T) -> bool) {
    let _ = value.wait_for(is_right).await;
}

#[async_trait]
impl Publisher for MemoryBroker {
    fn publish(&self, message: &Message) -> Result<Receipt, PublishError> {
        let later = |reason| PublishError::Later { reason, message: "a fault of the test".to_owned() };
        if *self.mode.borrow() == Mode::Away {
            return Err(later("broker_away"));
        }
        let mut state = self.state.lock();
        if state.bytes_max.is_some_and(|most| message.value.len() > most) {
            let message = "larger than a message may be".to_owned();
            let refused = PublishError::Refused { code: "message_too_large", message };
            return Ok(async move { Err(refused) }.boxed());
        }
        // As a producer does that keeps order: what comes behind a message that failed fails as well, until that is known.
        let key = (message.topic.clone(), message.key.clone());
        let is_behind = state.failing.get(&key).is_some_and(|count| *count > 0);
        if state.failures > 0 || is_behind {
            state.failures = state.failures.saturating_sub(1);
            *state.failing.entry(key.clone()).or_default() += 1;
            let shared = Arc::clone(&self.state);
            let error = later("not_acknowledged");
            return Ok(async move {
                *shared.lock().failing.entry(key).or_default() -= 1;
                Err(error)
            }
            .boxed());
        }
        state.log.push(message.clone());
        let (mode, stalled, mut recalls) =
            (self.mode.subscribe(), self.stalled.subscribe(), self.recalls.subscribe());
        let (error, topic) = (later("broker_away"), message.topic.clone());
        Ok(async move {
            let is_acknowledged = async {
                until(mode, |mode| *mode == Mode::Up).await;
                until(stalled, |prefix| !prefix.as_ref().is_some_and(|prefix| topic.starts_with(prefix)))
                    .await;
            };
            tokio::select! {
                biased;
                _ = recalls.changed() => Err(error),
                () = is_acknowledged => Ok(()),
            }
        }
        .boxed())
    }

    async fn ensure_topics(&self, topics: &[String]) -> Vec<Result<(), PublishError>> {
        let mut state = self.state.lock();
        let mut answers = Vec::new();
        for topic in topics {
            let refused = state.no_topics.iter().find(|(prefix, _)| topic.starts_with(prefix.as_str()));
            let answer = refused.map_or(Ok(()), |(_, error)| Err(error.clone()));
            if answer.is_ok() {
                state.topics.insert(topic.clone());
            }
            answers.push(answer);
        }
        answers
    }

    fn away_since(&self) -> Option<Timestamp> {
        (*self.mode.borrow() == Mode::Away).then_some(Timestamp(1))
    }

    async fn recall(&self) {
        self.recalls.send_modify(|recalls| *recalls += 1);
    }
}
