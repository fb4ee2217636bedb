//! The producer over librdkafka against its mock cluster: brokers that go and come back, leaders that move, requests that fail.

use std::time::Duration;

use domain::time::Timestamp;
use futures::future::join_all;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer as _};
use rdkafka::message::Message as _;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};
use rdkafka::{Offset, TopicPartitionList};
use relay::{KafkaOptions, KafkaPublisher, Message, PublishError, Publisher as _, Receipt};
use testkit::eventually;

const TOPIC: &str = "t.jobs.charge.normal";
const PARTITIONS: i32 = 4;
/// How long the brokers may take to be found again, on a busy machine.
const WITHIN: Duration = Duration::from_mins(1);

/// A cluster of the library with a topic, and a producer for it.
struct Mock {
    cluster: MockCluster<'static, DefaultProducerContext>,
    publisher: KafkaPublisher,
}

impl Mock {
    fn start(brokers: i32, properties: &[(&str, &str)]) -> Self {
        let cluster = MockCluster::new(brokers).unwrap();
        cluster.create_topic(TOPIC, PARTITIONS, brokers.min(3)).unwrap();
        let pairs = properties.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
        let publisher = KafkaPublisher::new(KafkaOptions {
            brokers: cluster.bootstrap_servers(),
            properties: pairs.collect(),
            // The mock cluster has no calls about topics.
            creates_topics: false,
            partitions: PARTITIONS,
            replicas: None,
        });
        Self { cluster, publisher: publisher.unwrap() }
    }

    fn publish(&self, key: &str, number: usize) -> Receipt {
        self.publisher.publish(&message(key, number.to_string().into_bytes())).unwrap()
    }

    /// Publishes numbered messages of several keys.
    fn publish_many(&self, numbers: std::ops::Range<usize>) -> Vec<Receipt> {
        numbers.map(|number| self.publish(&key_of(number), number)).collect()
    }

    /// Reads what the cluster has, until so many messages were read.
    fn read(&self, count: usize) -> Vec<(String, usize)> {
        let consumer: BaseConsumer = ClientConfig::new()
            .set("bootstrap.servers", self.cluster.bootstrap_servers())
            .set("group.id", "reader")
            .create()
            .unwrap();
        let mut all = TopicPartitionList::new();
        for partition in 0..PARTITIONS {
            all.add_partition_offset(TOPIC, partition, Offset::Beginning).unwrap();
        }
        consumer.assign(&all).unwrap();
        let (mut read, until) = (Vec::new(), std::time::Instant::now() + WITHIN);
        while read.len() < count {
            assert!(std::time::Instant::now() < until, "{} of {count} messages were read", read.len());
            // An error of a connection is followed by a try again.
            let Some(Ok(message)) = consumer.poll(Duration::from_millis(200)) else { continue };
            let text = |bytes: Option<&[u8]>| String::from_utf8(bytes.unwrap().to_vec()).unwrap();
            read.push((text(message.key()), text(message.payload()).parse().unwrap()));
        }
        read
    }
}

fn key_of(number: usize) -> String {
    format!("exe_{}", number % 7)
}

fn message(key: &str, value: Vec<u8>) -> Message {
    Message {
        topic: TOPIC.to_owned(),
        key: key.to_owned(),
        headers: vec![("content-type", "application/json".to_owned())],
        value,
    }
}

async fn acknowledged(receipts: Vec<Receipt>) {
    let outcomes = tokio::time::timeout(WITHIN, join_all(receipts)).await.unwrap();
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
}

fn assert_in_order(read: &[(String, usize)], count: usize) {
    let mut numbers: Vec<usize> = read.iter().map(|(_, number)| *number).collect();
    for key in 0..7 {
        let of_key: Vec<usize> =
            read.iter().filter(|(own, _)| *own == format!("exe_{key}")).map(|(_, number)| *number).collect();
        assert!(of_key.is_sorted(), "the order of a key: {of_key:?}");
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (0..count).collect::<Vec<_>>(), "each message is there once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i04_requests_that_fail_are_repeated_in_order() {
    let mock = Mock::start(1, &[]);
    let errors = [
        RDKafkaRespErr::RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
        RDKafkaRespErr::RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT,
        RDKafkaRespErr::RD_KAFKA_RESP_ERR__TRANSPORT,
        RDKafkaRespErr::RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS,
    ];
    mock.cluster.request_errors(RDKafkaApiKey::Produce, &errors);
    acknowledged(mock.publish_many(0..300)).await;
    assert_in_order(&mock.read(300), 300);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i01_messages_outlive_a_broker_that_goes_and_comes_back() {
    let mock = Mock::start(1, &[]);
    acknowledged(mock.publish_many(0..50)).await;
    mock.cluster.broker_down(1).unwrap();
    let waiting = mock.publish_many(50..150);
    eventually("it is noticed", || async { mock.publisher.away_since().is_some() }).await;
    assert!(mock.publisher.away_since() > Some(Timestamp(0)));
    mock.publisher.probe().await;
    assert!(mock.publisher.away_since().is_some(), "a probe does not reach it either");
    mock.cluster.broker_up(1).unwrap();
    acknowledged(waiting).await;
    assert_eq!(mock.publisher.away_since(), None);
    assert_in_order(&mock.read(150), 150);
}

/// Messages that wait for a broker can be taken back; what is published after that is in order, and there once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_for_a_broker_can_be_taken_back() {
    let mock = Mock::start(1, &[]);
    acknowledged(mock.publish_many(0..50)).await;
    mock.cluster.broker_down(1).unwrap();
    let waiting = mock.publish_many(50..150);
    eventually("it is noticed", || async { mock.publisher.away_since().is_some() }).await;
    mock.publisher.recall().await;
    let outcomes = tokio::time::timeout(WITHIN, join_all(waiting)).await.unwrap();
    let is_away = |one: &Result<(), PublishError>| {
        matches!(one, Err(PublishError::Later { reason: "broker_away", .. }))
    };
    assert!(outcomes.iter().all(is_away), "{outcomes:?}");
    assert!(mock.publisher.away_since().is_some());
    mock.cluster.broker_up(1).unwrap();
    acknowledged(mock.publish_many(50..150)).await;
    assert_in_order(&mock.read(150), 150);
}

/// Nothing is published that would show it: a probe finds it out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_probe_finds_a_broker_that_is_back() {
    let mock = Mock::start(1, &[]);
    acknowledged(mock.publish_many(0..5)).await;
    mock.cluster.broker_down(1).unwrap();
    eventually("it is noticed", || async { mock.publisher.away_since().is_some() }).await;
    mock.cluster.broker_up(1).unwrap();
    eventually("it is found", || async {
        mock.publisher.probe().await;
        mock.publisher.away_since().is_none()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i04_leaders_that_move_keep_the_order() {
    let mock = Mock::start(3, &[]);
    let mut receipts = Vec::new();
    for round in 0..6 {
        for partition in 0..PARTITIONS {
            mock.cluster.partition_leader(TOPIC, partition, Some(1 + round % 3)).unwrap();
        }
        let first = usize::try_from(round).unwrap() * 50;
        receipts.extend(mock.publish_many(first..first + 50));
    }
    acknowledged(receipts).await;
    assert_in_order(&mock.read(300), 300);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_is_too_large_is_refused_for_good() {
    let mock = Mock::start(1, &[("message.max.bytes", "2000")]);
    let large = mock.publisher.publish(&message("exe_0", vec![b'x'; 4_000]));
    let refused = match large {
        Ok(receipt) => receipt.await.err(),
        Err(error) => Some(error),
    };
    assert!(matches!(refused, Some(PublishError::Refused { code: "message_too_large", .. })), "{refused:?}");
    acknowledged(mock.publish_many(0..3)).await;
}

#[test]
fn durability_and_order_are_no_choice() {
    let own = [("enable.idempotence", "false"), ("acks", "0"), ("retries", "0")];
    drop(Mock::start(1, &own));
}

/// Whoever mistypes the name of a password is shown the name alone.
#[test]
fn errors_of_properties_show_no_values() {
    for (name, shown) in [
        ("sasl.passwrd", "librdkafka has no property sasl.passwrd"),
        ("message.max.bytes", "librdkafka rejects the value of message.max.bytes"),
    ] {
        let options = KafkaOptions {
            brokers: "127.0.0.1:1".to_owned(),
            properties: vec![(name.to_owned(), "hunter2".to_owned())],
            creates_topics: false,
            partitions: 1,
            replicas: None,
        };
        let of_options = format!("{options:?}");
        let error = KafkaPublisher::new(options).err().unwrap();
        assert_eq!(error.to_string(), shown);
        assert!(!format!("{of_options} {error:?}").contains("hunter2"), "{of_options} {error:?}");
    }
}
