//! Providers that send until they get a success, as real ones do, and then some of it once more. The answers that they
//! got are what the server is held to.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::endpoint::{DEADLINE, Endpoint, SECRET, all_matched, execution_count};
use super::sender::{Delivery, Sender, delivery_id};
use crate::harness::{Client, Draw, until, within};

const PROVIDERS: u64 = 4;

/// How long one delivery is tried before the test fails.
const RETRY_DEADLINE: Duration = Duration::from_secs(90);

/// Running providers.
pub(super) struct Traffic {
    stop: watch::Sender<bool>,
    providers: JoinSet<()>,
    promised: Promised,
}

/// Events and the ids of their deliveries, as they were answered.
type Promised = Arc<Mutex<HashMap<String, String>>>;

impl Traffic {
    /// Starts the providers, each sending to one of the servers first and to the next one after each failure.
    pub(super) fn start(senders: &[Sender], endpoint: &Endpoint, name: &str, seed: u64) -> Self {
        let (stop, stopped) = watch::channel(false);
        let (mut providers, promised) = (JoinSet::new(), Promised::default());
        for number in 0..PROVIDERS {
            let provider = Provider {
                senders: senders.to_vec(),
                path: endpoint.path.clone(),
                name: format!("{name}-{number}"),
                promised: Arc::clone(&promised),
            };
            providers.spawn(provider.run(Draw::new(seed + 77 * number), stopped.clone()));
        }
        Self { stop, providers, promised }
    }

    /// How many events were answered with success.
    pub(super) fn acknowledged(&self) -> usize {
        self.promised.lock().expect("no holder panics").len()
    }

    /// Waits until so many events more are acknowledged.
    pub(super) async fn more(&self, events: usize) {
        let goal = self.acknowledged() + events;
        until("more events", DEADLINE, || async { (self.acknowledged() >= goal).then_some(()) }).await;
    }

    /// Lets every provider get an answer to its last event, then answers what was promised.
    pub(super) async fn finish(mut self) -> HashMap<String, String> {
        self.stop.send_replace(true);
        within("the last events are answered", RETRY_DEADLINE, async {
            while let Some(ended) = self.providers.join_next().await {
                ended.expect("providers are not refused");
            }
        })
        .await;
        std::mem::take(&mut *self.promised.lock().expect("no holder panics"))
    }
}

struct Provider {
    senders: Vec<Sender>,
    path: String,
    name: String,
    promised: Promised,
}

impl Provider {
    async fn run(self, mut draw: Draw, stopped: watch::Receiver<bool>) {
        for number in 0.. {
            if *stopped.borrow() {
                break;
            }
            let event = format!("{}-{number}", self.name);
            let id = self.deliver(&event).await;
            self.promised.lock().expect("no holder panics").insert(event.clone(), id.clone());
            if draw.below(4) == 0 {
                assert_eq!(self.deliver(&event).await, id, "{event} came twice");
            }
        }
    }

    /// Sends until it is answered with success; answers the delivery's id.
    async fn deliver(&self, event: &str) -> String {
        let body = json!({ "event": event }).to_string();
        let delivery = Delivery::signed(SECRET, event, body.as_bytes());
        let mut senders = self.senders.iter().cycle();
        let mut next = || senders.next().expect("there is one");
        until(&format!("{event} is answered"), RETRY_DEADLINE, || {
            let (sender, delivery) = (next(), &delivery);
            async move {
                // No answer: the server is dead or coming up, and may have stored it all the same.
                let answer = sender.try_send(&self.path, delivery).await.ok()?;
                match answer.status {
                    200 | 202 => Some(delivery_id(&answer)),
                    503 => None,
                    status => panic!("{event} was answered {status}: {}", answer.text),
                }
            }
        })
        .await
    }
}

/// Panics unless every promised event has one delivery with one execution, and nothing else was started.
pub(super) async fn check(client: &Client, endpoint: &Endpoint, promised: &HashMap<String, String>) {
    check_deliveries(client, endpoint, promised).await;
    let executions = execution_count(client).await;
    assert_eq!(executions, promised.len(), "one execution for each event");
}

/// Panics unless every promised event has one delivery with one execution of its own, and no event has any else.
pub(super) async fn check_deliveries(
    client: &Client,
    endpoint: &Endpoint,
    promised: &HashMap<String, String>,
) {
    all_matched(client).await;
    let matched = endpoint.deliveries(client, "matched").await;
    let mut found: HashMap<String, &Value> = HashMap::new();
    let mut started = HashSet::new();
    for delivery in &matched {
        let event = delivery["providerEventId"].as_str().expect("an id").to_owned();
        assert!(found.insert(event, delivery).is_none(), "two deliveries of one event: {delivery}");
        let executions = delivery["executions"].as_array().expect("a list");
        assert_eq!(executions.len(), 1, "{delivery}");
        assert!(
            started.insert(executions[0].to_string()),
            "two deliveries started one execution: {delivery}"
        );
    }
    for (event, id) in promised {
        let delivery = found.get(event).unwrap_or_else(|| panic!("{event} was promised and is lost"));
        assert_eq!(delivery["id"], *id, "{event} is another delivery than was promised");
    }
    assert_eq!(matched.len(), promised.len(), "all events were promised in the end");
    for status in ["rejected", "parked", "unmatched"] {
        let others = endpoint.deliveries(client, status).await;
        assert!(others.is_empty(), "{others:?}");
    }
}
