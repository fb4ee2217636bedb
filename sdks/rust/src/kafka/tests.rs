//! Jobs from a Kafka in memory: accept, duplicates, commits, rebalances, tiers.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::consumer::{Consumer, ConsumerFactory, Rebalance, Record};
use super::offsets::{Place, Positions};
use super::transport::{Kafka, KafkaOptions};
use crate::error::ClientError;
use crate::timestamp::Timestamp;
use crate::transport::{CallOptions, EventStream, Request, Transport};
use crate::{Client, Context, HealthStatus, Worker};

/// Topics and messages as the server has them: its tests read the same table.
pub(super) fn table() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance/kafka.json");
    let text = std::fs::read_to_string(path).expect("the repository of the SDK has it");
    serde_json::from_str(&text).expect("a table")
}

const NORMAL: &str = "trunkline.jobs.add.normal";
const DEADLINE: Duration = Duration::from_secs(20);

/// Topics of one partition each. Of a group, the last consumer that came has all of them.
#[derive(Default)]
struct MemoryKafka {
    logs: HashMap<String, Vec<Vec<u8>>>,
    committed: HashMap<Place, i64>,
    owner: usize,
    members: usize,
    /// Members that have not given up their partitions.
    holding: HashSet<usize>,
    /// Topics that members have paused, by their numbers. As with librdkafka, they stay so when partitions go and come back.
    paused: HashSet<(usize, String)>,
    /// The owner is to lose its partitions and to get them back.
    rebalances: bool,
    failure: Option<String>,
}

type SharedKafka = Arc<Mutex<MemoryKafka>>;

fn publish(kafka: &SharedKafka, topic: &str, value: &[u8]) {
    kafka.lock().logs.entry(topic.to_owned()).or_default().push(value.to_vec());
}

/// Publishes an offer as the relay does.
fn offer(kafka: &SharedKafka, number: usize, tier: &str) {
    let job = json!({"id": format!("job_{number}"), "jobType": "add", "tenant": "default", "priority": tier, "attempt": 1,
        "maxRetries": 3, "leaseToken": format!("offer-{number}"), "idempotencyKey": "k", "data": {"n": number}});
    let envelope = json!({"v": 1, "eventId": "e", "job": job});
    publish(kafka, &format!("trunkline.jobs.add.{tier}"), envelope.to_string().as_bytes());
}

fn offset(kafka: &SharedKafka, topic: &str) -> i64 {
    let place = Place { topic: topic.to_owned(), partition: 0 };
    kafka.lock().committed.get(&place).copied().unwrap_or_default()
}

struct Member {
    kafka: SharedKafka,
    number: usize,
    topics: Vec<String>,
    rebalance: Rebalance,
    positions: Option<HashMap<String, usize>>,
}

fn factory(kafka: &SharedKafka) -> ConsumerFactory {
    let kafka = Arc::clone(kafka);
    Arc::new(move |_, topics, rebalance| {
        let mut shared = kafka.lock();
        shared.members += 1;
        shared.owner = shared.members;
        let (number, topics) = (shared.members, topics.to_vec());
        drop(shared);
        let member = Member { kafka: Arc::clone(&kafka), number, topics, rebalance, positions: None };
        Ok(Box::new(member) as Box<dyn Consumer>)
    })
}

impl Member {
    fn rebalance(&mut self) {
        let (is_owner, stays) = {
            let kafka = self.kafka.lock();
            (kafka.owner == self.number, kafka.owner == self.number && !kafka.rebalances)
        };
        if !stays && self.positions.take().is_some() {
            let place = |topic: &String| Place { topic: topic.clone(), partition: 0 };
            let positions = (self.rebalance.revoked)(&self.topics.iter().map(place).collect::<Vec<_>>());
            self.commit(&positions);
            let mut kafka = self.kafka.lock();
            kafka.holding.remove(&self.number);
            kafka.rebalances = false;
        }
        let mut kafka = self.kafka.lock();
        if is_owner && self.positions.is_none() && kafka.holding.is_empty() {
            kafka.holding.insert(self.number);
            drop(kafka);
            let position = |topic: &String| (topic.clone(), offset(&self.kafka, topic) as usize);
            self.positions = Some(self.topics.iter().map(position).collect());
            (self.rebalance.assigned)();
        }
    }
}

impl Consumer for Member {
    fn poll(&mut self, limit: Duration, records_max: usize) -> Vec<Record> {
        self.rebalance();
        let mut records = Vec::new();
        for topic in &self.topics {
            let Some(position) = self.positions.as_mut().and_then(|positions| positions.get_mut(topic))
            else {
                break;
            };
            let kafka = self.kafka.lock();
            if kafka.paused.contains(&(self.number, topic.clone())) {
                continue;
            }
            let values = kafka.logs.get(topic).map_or(&[][..], |log| &log[*position..]);
            for value in values.iter().take(records_max - records.len()) {
                let place = Place { topic: topic.clone(), partition: 0 };
                let record = Record { place, offset: *position as i64, value: value.clone(), job_type: None };
                records.push(record);
                *position += 1;
            }
        }
        if records.is_empty() {
            std::thread::park_timeout(limit.min(Duration::from_millis(5)));
        }
        records
    }

    fn pause(&mut self, topic: &str, is_paused: bool) {
        if self.positions.is_none() {
            return;
        }
        let (of, mut kafka) = ((self.number, topic.to_owned()), self.kafka.lock());
        if is_paused {
            kafka.paused.insert(of);
        } else {
            kafka.paused.remove(&of);
        }
    }

    fn commit(&mut self, positions: &Positions) -> bool {
        self.kafka.lock().committed.extend(positions.iter().cloned());
        true
    }

    fn failed(&mut self) -> Option<String> {
        self.kafka.lock().failure.clone()
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.kafka.lock().holding.remove(&self.number);
    }
}

/// Answers as the server does: the first worker that accepts an offer has it.
#[derive(Default)]
struct Server {
    holders: HashMap<String, String>,
    done: HashMap<String, &'static str>,
    /// So many answers of `accept` are lost, after the server has done what was asked.
    lost: usize,
    /// Holds the answers of `accept` up.
    hold: Option<Arc<Hold>>,
}

/// An answer that is on its way.
#[derive(Default)]
struct Hold {
    answered: Notify,
    go: Notify,
}

struct Accepting(Mutex<Server>);

impl Accepting {
    fn answer(&self, request: &Request) -> Result<Bytes, ClientError> {
        let body: Value = serde_json::from_slice(request.body.as_deref().unwrap_or_default()).expect("JSON");
        assert!(request.name != "pollJobs" && body.get("poll").is_none(), "the server is not asked for jobs");
        let mut server = self.0.lock();
        let until = Timestamp::now().to_string();
        let mut results = Vec::new();
        for job in body["jobs"].as_array().expect("jobs") {
            let (id, token) = (job["id"].as_str().expect("an id").to_owned(), &job["leaseToken"]);
            let mut result = json!({"id": id, "outcome": "ok", "leaseExpiresAt": until});
            match request.name {
                "acceptJobs" => {
                    let worker = body["workerId"].as_str().expect("a worker");
                    let holder = server.holders.entry(id.clone()).or_insert_with(|| worker.to_owned());
                    let is_own = holder == worker;
                    if server.done.contains_key(&id) {
                        result["outcome"] = "already_done".into();
                    } else if is_own {
                        result["leaseToken"] = format!("{token}-{worker}").into();
                    } else {
                        result["outcome"] = "taken".into();
                    }
                }
                "heartbeatJobs" => {}
                how => assert!(server.done.insert(id, how).is_none(), "nothing is settled twice"),
            }
            results.push(result);
        }
        if request.name == "acceptJobs" && server.lost > 0 {
            server.lost -= 1;
            return Err(ClientError::connection("acceptJobs", "the answer was lost"));
        }
        Ok(json!({"results": results}).to_string().into())
    }

    fn held_by(&self, worker: &str) -> usize {
        self.0.lock().holders.values().filter(|holder| *holder == worker).count()
    }

    fn done(&self) -> usize {
        self.0.lock().done.len()
    }
}

/// A transport that shares the server.
struct Rest(Arc<Accepting>);

impl Transport for Rest {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn call(&self, request: Request, _: CallOptions) -> BoxFuture<'_, Result<Bytes, ClientError>> {
        Box::pin(async move {
            let hold = self.0.0.lock().hold.clone().filter(|_| request.name == "acceptJobs");
            let answer = self.0.answer(&request);
            if let Some(hold) = hold {
                hold.answered.notify_one();
                hold.go.notified().await;
            }
            answer
        })
    }

    fn events(&self) -> BoxFuture<'_, Result<EventStream, ClientError>> {
        Box::pin(async { Err(ClientError::connection("events", "there are none")) })
    }
}

fn both() -> (Arc<Accepting>, SharedKafka) {
    (Arc::new(Accepting(Mutex::default())), SharedKafka::default())
}

fn transport(server: &Arc<Accepting>, kafka: &SharedKafka) -> Arc<Kafka> {
    let rest = Arc::new(Rest(Arc::clone(server)));
    Arc::new(Kafka::over(rest, KafkaOptions::default(), factory(kafka)))
}

#[derive(Serialize, Deserialize)]
struct Numbered {
    n: usize,
}

async fn eventually(what: &str, condition: impl Fn() -> bool) {
    let until = tokio::time::Instant::now() + DEADLINE;
    while !condition() {
        assert!(tokio::time::Instant::now() < until, "{what}: it did not come true");
        // A poll with a deadline.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Serves while something is waited for.
async fn serving<F>(
    server: &Arc<Accepting>,
    kafka: &SharedKafka,
    id: &str,
    handle: impl Fn(usize) -> F + Send + Sync + 'static,
    meanwhile: impl Future<Output = ()>,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let client = Client::builder().with_transport(transport(server, kafka)).build().expect("a client");
    let worker =
        Worker::new(client).concurrency(2).worker_id(id).handle("add", move |data: Numbered, _: Context| {
            let work = handle(data.n);
            async move {
                work.await;
                Ok(data.n)
            }
        });
    tokio::select! {
        ended = worker.run() => panic!("the worker ended: {ended:?}"),
        () = meanwhile => {}
    }
}

#[tokio::test]
async fn jobs_are_accepted_run_and_committed() {
    let (server, kafka) = both();
    {
        let mut state = server.0.lock();
        state.holders.insert("job_3".to_owned(), "another".to_owned());
        state.lost = 1;
    }
    for number in 0..60 {
        offer(&kafka, number, "normal");
    }
    for value in [&b"\x08\x01"[..], b"{\"job\": {\"id\": 1}}", b"[]"] {
        publish(&kafka, NORMAL, value);
    }
    let done = eventually("all are committed", || offset(&kafka, NORMAL) == 63);
    serving(&server, &kafka, "w", |_| async {}, done).await;
    let state = server.0.lock();
    assert_eq!(state.done.len(), 59, "what another worker has and what is no offer does not run");
    assert!(state.done.values().all(|how| *how == "completeJobs"));
}

#[tokio::test]
async fn a_job_that_runs_keeps_its_message_from_being_committed() {
    let (server, kafka) = both();
    for number in 0..5 {
        offer(&kafka, number, "normal");
    }
    let gate = Arc::new(Notify::new());
    let held = Arc::clone(&gate);
    let handle = move |number| {
        let gate = Arc::clone(&held);
        async move {
            if number == 1 {
                gate.notified().await;
            }
        }
    };
    let meanwhile = async {
        eventually("the others are done", || server.done() == 4 && offset(&kafka, NORMAL) == 1).await;
        gate.notify_one();
        eventually("all are committed", || offset(&kafka, NORMAL) == 5).await;
    };
    serving(&server, &kafka, "w", handle, meanwhile).await;
}

#[tokio::test]
async fn a_rebalance_costs_no_attempt_and_runs_nothing_twice() {
    let (server, kafka) = both();
    for number in 0..20 {
        offer(&kafka, number, "normal");
    }
    let gate = tokio::sync::watch::Sender::new(false);
    let handle = || {
        let gate = gate.clone();
        move |_: usize| {
            let mut open = gate.subscribe();
            async move { drop(open.wait_for(|is_open| *is_open).await) }
        }
    };
    let meanwhile = async {
        eventually("the first has two", || server.held_by("first") == 2).await;
        let second = async {
            // It is answered `taken` for what the first one has, and goes on with the rest.
            eventually("the second has some", || server.held_by("second") > 0).await;
            gate.send_replace(true);
            eventually("all are done", || server.done() == 20 && offset(&kafka, NORMAL) == 20).await;
        };
        serving(&server, &kafka, "second", handle(), second).await;
    };
    serving(&server, &kafka, "first", handle(), meanwhile).await;
    assert_eq!(server.held_by("first"), 2);
}

/// Its partitions come back as they went, which is paused.
#[tokio::test]
async fn a_worker_that_had_enough_reads_on_after_a_rebalance() {
    let (server, kafka) = both();
    for number in 0..40 {
        offer(&kafka, number, "normal");
    }
    let gate = tokio::sync::watch::Sender::new(false);
    let held = gate.clone();
    let handle = move |_: usize| {
        let mut open = held.subscribe();
        async move { drop(open.wait_for(|is_open| *is_open).await) }
    };
    let meanwhile = async {
        let is_full = || kafka.lock().paused.iter().any(|(_, topic)| topic == NORMAL);
        eventually("it has enough", || server.held_by("w") == 2 && is_full()).await;
        kafka.lock().rebalances = true;
        eventually("its partitions went", || !kafka.lock().rebalances).await;
        gate.send_replace(true);
        eventually("all are done", || server.done() == 40 && offset(&kafka, NORMAL) == 40).await;
    };
    serving(&server, &kafka, "w", handle, meanwhile).await;
}

/// As after a rebalance that gives a worker its partitions again, or where a relay publishes again.
#[tokio::test]
async fn a_message_that_comes_again_does_not_run_its_job_twice() {
    let (server, kafka) = both();
    let gate = Arc::new(Notify::new());
    let begun = Arc::<Mutex<Vec<usize>>>::default();
    let (held, seen) = (Arc::clone(&gate), Arc::clone(&begun));
    let handle = move |number| {
        seen.lock().push(number);
        let gate = Arc::clone(&held);
        async move {
            if number == 1 {
                gate.notified().await;
            }
        }
    };
    let meanwhile = async {
        offer(&kafka, 1, "normal");
        eventually("the first runs", || *begun.lock() == [1]).await;
        offer(&kafka, 1, "normal");
        offer(&kafka, 2, "normal");
        eventually("the second is done", || server.done() == 1).await;
        assert_eq!(offset(&kafka, NORMAL), 0, "a message of what runs is not committed");
        gate.notify_one();
        eventually("all are committed", || offset(&kafka, NORMAL) == 3).await;
    };
    serving(&server, &kafka, "w", handle, meanwhile).await;
    assert_eq!(*begun.lock(), [1, 2]);
}

/// The server has leased them by then, and nobody else would give them back.
#[tokio::test]
async fn jobs_whose_acceptance_is_on_its_way_when_a_worker_ends_are_run() {
    let (server, kafka) = both();
    let hold = Arc::<Hold>::default();
    server.0.lock().hold = Some(Arc::clone(&hold));
    offer(&kafka, 1, "normal");
    let client = Client::builder().with_transport(transport(&server, &kafka)).build().expect("a client");
    let worker = Worker::new(client).handle("add", |data: Numbered, _: Context| async move { Ok(data.n) });
    let health = worker.health();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(worker.run_until(async move { drop(stopped.await) }));
    hold.answered.notified().await;
    stop.send(()).expect("it runs");
    eventually("it ends", || health.status() == HealthStatus::Draining).await;
    hold.go.notify_one();
    running.await.expect("no panic").expect("it ends");
    assert_eq!(server.0.lock().done.get("job_1"), Some(&"completeJobs"));
}

#[tokio::test]
async fn higher_tiers_are_read_first_and_a_kafka_that_is_away_shows() {
    let (server, kafka) = both();
    kafka.lock().failure = Some("no broker answers".to_owned());
    let transport = transport(&server, &kafka);
    let poll = || {
        let body = json!({"workerId": "w", "jobTypes": ["add"], "maxJobs": 10, "wait": "5s"});
        let request = Request::new("pollJobs", "POST", "/v1/jobs/poll").body(&body).expect("JSON");
        transport.call(request, CallOptions::default())
    };
    let error = poll().await.expect_err("it is away").to_string();
    assert!(error.contains("no broker answers"), "{error}");
    kafka.lock().failure = None;
    for number in 0..30 {
        offer(&kafka, number, ["low", "normal", "high"][number / 10]);
    }
    let mut order = Vec::new();
    while order.len() < 30 {
        let Ok(answer) = poll().await else { continue };
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        let jobs = answer["jobs"].as_array().expect("jobs").iter();
        order.extend(jobs.map(|job| job["data"]["n"].as_u64().expect("a number") / 10));
    }
    assert!(order.is_sorted_by(|one, next| one >= next), "{order:?}");
}
