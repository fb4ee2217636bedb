//! The transport: jobs come from Kafka, and every call goes over REST.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::thread::JoinHandle;

use bytes::Bytes;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::sync::watch;

use super::consumer::ConsumerFactory;
use super::delivery::{Delivery, Lease};
use super::librdkafka;
use super::reader::Reader;
use super::topics::{TopicLayout, topics_of};
use crate::environment::variable;
use crate::error::ClientError;
use crate::models::{Outcomes, Poll, PolledJobs};
use crate::rest::Rest;
use crate::timestamp;
use crate::transport::{CallOptions, EventStream, Request, Transport, TransportSettings};

/// A reader buffers at most so many times what its worker asked for, and at least so many messages.
const ROOM_FACTOR: usize = 2;
const ROOM_MIN: usize = 16;

/// Where jobs are read from.
#[derive(Clone)]
pub struct KafkaOptions {
    /// Addresses as `host:port`, separated by commas (default: `TRUNKLINE_KAFKA_BROKERS`).
    pub brokers: String,
    /// The server's `kafka.topic_prefix`.
    pub topic_prefix: String,
    /// The server's `kafka.topics`.
    pub topics: TopicLayout,
    /// Prefix of consumer groups: the group of a job type is `<group>.<job type>`.
    pub group: String,
    /// Properties of librdkafka, such as `security.protocol`. They may contain passwords.
    pub properties: Vec<(String, String)>,
}

impl Default for KafkaOptions {
    fn default() -> Self {
        Self {
            brokers: String::new(),
            topic_prefix: "trunkline".to_owned(),
            topics: TopicLayout::PerType,
            group: "trunkline".to_owned(),
            properties: Vec::new(),
        }
    }
}

impl fmt::Debug for KafkaOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KafkaOptions").field("brokers", &self.brokers).finish_non_exhaustive()
    }
}

/// Receives jobs that the server publishes to Kafka; reports and all other calls use REST.
pub struct Kafka {
    rest: Arc<dyn Transport>,
    options: KafkaOptions,
    consumers: ConsumerFactory,
    /// By the names of workers.
    deliveries: Mutex<HashMap<String, Arc<Delivery>>>,
    /// Threads that leave groups.
    leaving: Mutex<Vec<JoinHandle<()>>>,
}

impl Kafka {
    /// The transport for a server at `url`, with a key if it requires one. It does not connect yet.
    pub fn new(url: &str, api_key: Option<&str>, options: KafkaOptions) -> Result<Self, ClientError> {
        let settings = TransportSettings {
            url: url.to_owned(),
            grpc_url: None,
            api_key: api_key.map(str::to_owned),
            timeout: std::time::Duration::from_secs(30),
        };
        Self::open(&settings, options)
    }

    pub(crate) fn open(settings: &TransportSettings, mut options: KafkaOptions) -> Result<Self, ClientError> {
        if options.brokers.is_empty() {
            options.brokers = variable("TRUNKLINE_KAFKA_BROKERS").ok_or_else(|| {
                let message = "TRUNKLINE_KAFKA_BROKERS is not set: the brokers, as host:port,host:port";
                ClientError::Configuration(message.to_owned())
            })?;
        }
        let consumers = librdkafka::factory(options.brokers.clone(), options.properties.clone());
        Ok(Self::over(Arc::new(Rest::new(settings)?), options, consumers))
    }

    pub(super) fn over(rest: Arc<dyn Transport>, options: KafkaOptions, consumers: ConsumerFactory) -> Self {
        Self { rest, options, consumers, deliveries: Mutex::default(), leaving: Mutex::default() }
    }

    async fn poll(&self, request: &Request) -> Result<Bytes, ClientError> {
        let body = request.body.as_deref().unwrap_or_default();
        let poll: Poll =
            serde_json::from_slice(body).map_err(|error| ClientError::json(request.name, error))?;
        let wait = poll.wait.as_deref().and_then(timestamp::parse).unwrap_or_default();
        let count = usize::try_from(poll.max_jobs.unwrap_or(1)).unwrap_or(1);
        let delivery = self.delivery(&poll, count)?;
        let jobs = delivery.poll(self.rest.as_ref(), count, wait).await?;
        let answer = PolledJobs { jobs, ..PolledJobs::default() };
        serde_json::to_vec(&answer).map(Bytes::from).map_err(|error| ClientError::json(request.name, error))
    }

    fn delivery(&self, poll: &Poll, count: usize) -> Result<Arc<Delivery>, ClientError> {
        let mut deliveries = self.deliveries.lock();
        if let Some(known) = deliveries.get(&poll.worker_id) {
            return Ok(Arc::clone(known));
        }
        let KafkaOptions { topic_prefix, topics: layout, group, .. } = &self.options;
        let (changed, room) = (watch::Sender::new(()), ROOM_MIN.max(ROOM_FACTOR * count));
        let reader = |job_type: &String| {
            let topics = topics_of(topic_prefix, job_type, *layout);
            let group = format!("{group}.{job_type}");
            Reader::start(&self.consumers, &group, job_type, topics, room, changed.clone())
        };
        let readers = poll.job_types.iter().map(reader).collect::<Result<Vec<_>, _>>()?;
        let made = Arc::new(Delivery::new(&poll.worker_id, readers, changed));
        deliveries.insert(poll.worker_id.clone(), Arc::clone(&made));
        Ok(made)
    }

    async fn report(&self, request: Request, options: CallOptions) -> Result<Bytes, ClientError> {
        #[derive(Deserialize)]
        struct Sent {
            jobs: Vec<Lease>,
        }
        let name = request.name;
        let json = |error| ClientError::json(name, error);
        let sent: Sent = serde_json::from_slice(request.body.as_deref().unwrap_or_default()).map_err(json)?;
        let answer = self.rest.call(request, options).await?;
        let said: Outcomes = serde_json::from_slice(&answer).map_err(json)?;
        let deliveries: Vec<Arc<Delivery>> = self.deliveries.lock().values().cloned().collect();
        for delivery in deliveries {
            delivery.reported(&sent.jobs, &said, name == "heartbeatJobs");
        }
        Ok(answer)
    }
}

impl Transport for Kafka {
    fn name(&self) -> &'static str {
        "kafka"
    }

    fn call(&self, request: Request, options: CallOptions) -> BoxFuture<'_, Result<Bytes, ClientError>> {
        match request.name {
            "pollJobs" => Box::pin(async move { self.poll(&request).await }),
            "completeJobs" | "failJobs" | "releaseJobs" | "heartbeatJobs" => {
                Box::pin(self.report(request, options))
            }
            _ => self.rest.call(request, options),
        }
    }

    fn events(&self) -> BoxFuture<'_, Result<EventStream, ClientError>> {
        self.rest.events()
    }

    fn pushes(&self) -> bool {
        true
    }

    fn end_delivery(&self, worker_id: &str) {
        let delivery = self.deliveries.lock().remove(worker_id);
        if let Some(delivery) = delivery {
            self.leaving.lock().extend(delivery.end());
        }
    }
}

impl Drop for Kafka {
    /// Waits until all groups are left, so that their partitions go to others at once.
    fn drop(&mut self) {
        let mut threads = std::mem::take(&mut *self.leaving.lock());
        for delivery in self.deliveries.lock().values() {
            threads.extend(delivery.end());
        }
        for thread in threads {
            drop(thread.join());
        }
    }
}

impl fmt::Debug for Kafka {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kafka").field("options", &self.options).finish_non_exhaustive()
    }
}
