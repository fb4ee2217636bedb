//! How jobs come to outside workers, and the Kafka that carries them.

use super::{Key, key};

/// The settings.
pub(super) const KEYS: &[Key] = &[
    key(
        "dispatch.mode",
        "How external workers get jobs: \"polling\" (they ask), or \"kafka_outbox\" (jobs are published to Kafka). The\n\
         same on all nodes: a node that differs does not start. kafka_outbox requires PostgreSQL, kafka.brokers and a\n\
         binary that is built with the feature \"kafka\".",
        "\"polling\", or \"kafka_outbox\" beside a PostgreSQL database.url and kafka.brokers",
    ),
    key(
        "dispatch.window",
        "Maximum number of offers of a job type that stand at once. Fewer stand while few are accepted.",
        "a whole number from 1 to 100000",
    ),
    key(
        "dispatch.offer_timeout",
        "How long an offered job waits for a worker before it returns to its queue, without an attempt.",
        "a duration from 1s to 1h, such as 60s",
    ),
    key(
        "kafka.brokers",
        "Kafka brokers, such as kafka-1:9092,kafka-2:9092.",
        "addresses as host:port, separated by commas, or \"\"",
    ),
    key(
        "kafka.topic_prefix",
        "Prefix of topic names.",
        "1 to 100 letters, digits, dots, underscores or hyphens",
    ),
    key(
        "kafka.topics",
        "Topics: \"per_type\" (PREFIX.jobs.JOB_TYPE.PRIORITY), or \"single\" (PREFIX.jobs.PRIORITY).",
        "\"per_type\" or \"single\"",
    ),
    key("kafka.create_topics", "Whether missing topics are created.", "true or false"),
    key("kafka.partitions", "Number of partitions of created topics.", "a whole number from 1 to 10000"),
    key(
        "kafka.replication_factor",
        "Replication factor of created topics. 0: the brokers' default.",
        "a whole number from 0 to 100",
    ),
    key("kafka.envelope", "Encoding of messages: \"json\" or \"protobuf\".", "\"json\" or \"protobuf\""),
    key(
        "kafka.properties",
        "Properties for librdkafka, such as security.protocol=SASL_SSL, sasl.mechanism=SCRAM-SHA-512, sasl.username and\n\
         sasl.password. Prefer TRUNKLINE_KAFKA__PROPERTIES_FILE, a file with one property a line.",
        "a list of name=value",
    ),
];
