//! Messages: the contract of `docs/kafka.md`.

use domain::dispatch::{TopicNames, event_id};
use domain::time::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use store::jobs::ClaimedJob;

/// How messages are encoded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Envelope {
    /// JSON.
    #[default]
    Json,
    /// `trunkline.v1.JobOffer`.
    Protobuf,
}

impl Envelope {
    const fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => "application/x-protobuf; messageType=\"trunkline.v1.JobOffer\"",
        }
    }
}

/// A message to publish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Where it goes.
    pub topic: String,
    /// The id of the execution, or of the job where there is none: messages with the same key keep their order.
    pub key: String,
    /// Names and values.
    pub headers: Vec<(&'static str, String)>,
    /// The encoded offer.
    pub value: Vec<u8>,
}

impl Message {
    /// How much memory it takes, about.
    pub fn size(&self) -> usize {
        let headers: usize = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        self.topic.len() + self.key.len() + headers + self.value.len()
    }
}

/// The version of the envelope.
const VERSION: u32 = 1;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OfferJson<'a> {
    v: u32,
    event_id: String,
    offered_until: Timestamp,
    job: JobJson<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JobJson<'a> {
    id: String,
    job_type: &'a str,
    tenant: &'a str,
    priority: &'static str,
    attempt: u32,
    max_retries: u32,
    lease_token: String,
    data: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workflow: Option<&'a str>,
    idempotency_key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traceparent: Option<&'a str>,
}

/// `trunkline.v1.JobOffer`, as `proto/trunkline/v1/offer.proto` has it.
#[derive(Clone, PartialEq, prost::Message)]
struct OfferProto {
    #[prost(uint32, tag = "1")]
    v: u32,
    #[prost(string, tag = "2")]
    event_id: String,
    #[prost(string, tag = "3")]
    offered_until: String,
    #[prost(message, optional, tag = "4")]
    job: Option<JobProto>,
}

/// `trunkline.v1.OfferedJob`.
#[derive(Clone, PartialEq, prost::Message)]
struct JobProto {
    #[prost(string, tag = "1")]
    id: String,
    #[prost(string, tag = "2")]
    job_type: String,
    #[prost(string, tag = "3")]
    tenant: String,
    #[prost(string, tag = "4")]
    priority: String,
    #[prost(uint32, tag = "5")]
    attempt: u32,
    #[prost(string, tag = "6")]
    lease_token: String,
    #[prost(bytes = "vec", tag = "7")]
    data: Vec<u8>,
    #[prost(string, tag = "8")]
    idempotency_key: String,
    #[prost(uint32, tag = "9")]
    max_retries: u32,
    #[prost(string, optional, tag = "10")]
    execution_id: Option<String>,
    #[prost(string, optional, tag = "11")]
    node_id: Option<String>,
    #[prost(string, optional, tag = "12")]
    workflow: Option<String>,
    #[prost(string, optional, tag = "13")]
    deadline: Option<String>,
    #[prost(string, optional, tag = "14")]
    traceparent: Option<String>,
}

/// The message of an offered job.
///
/// # Errors
/// Where the stored payload is no JSON, which no message can carry.
pub(crate) fn message(
    job: &ClaimedJob,
    offered_until: Timestamp,
    topics: &TopicNames,
    envelope: Envelope,
) -> Result<Message, serde_json::Error> {
    let event_id = event_id(job.token).to_string();
    // Whoever accepts at the last instant has the whole timeout from there.
    let deadline = job.timeout.map(|timeout| offered_until.plus(timeout));
    let execution_id = job.execution_id.map(|id| id.to_string());
    let key = execution_id.clone().unwrap_or_else(|| job.id.to_string());
    let mut headers = vec![
        ("content-type", envelope.content_type().to_owned()),
        ("tl-event-id", event_id.clone()),
        ("tl-job-type", job.job_type.to_string()),
        ("tl-tenant", job.tenant.to_string()),
        ("tl-attempt", job.attempt.to_string()),
    ];
    headers.extend(job.traceparent.clone().map(|trace| ("traceparent", trace)));
    let workflow = job.workflow.as_ref().map(|workflow| workflow.name.as_str());
    let node_id = job.node_id.as_ref().map(domain::names::NodeId::as_str);
    let value = match envelope {
        Envelope::Json => serde_json::to_vec(&OfferJson {
            v: VERSION,
            event_id,
            offered_until,
            job: JobJson {
                id: job.id.to_string(),
                job_type: job.job_type.as_str(),
                tenant: job.tenant.as_str(),
                priority: job.tier.as_str(),
                attempt: job.attempt,
                max_retries: job.facts.retries_max,
                lease_token: job.token.to_string(),
                data: serde_json::from_str(&job.data)?,
                execution_id,
                node_id,
                workflow,
                idempotency_key: job.id.to_string(),
                deadline,
                traceparent: job.traceparent.as_deref(),
            },
        })?,
        Envelope::Protobuf => prost::Message::encode_to_vec(&OfferProto {
            v: VERSION,
            event_id,
            offered_until: offered_until.to_string(),
            job: Some(JobProto {
                id: job.id.to_string(),
                job_type: job.job_type.to_string(),
                tenant: job.tenant.to_string(),
                priority: job.tier.as_str().to_owned(),
                attempt: job.attempt,
                lease_token: job.token.to_string(),
                data: job.data.clone().into_bytes(),
                idempotency_key: job.id.to_string(),
                max_retries: job.facts.retries_max,
                execution_id,
                node_id: node_id.map(str::to_owned),
                workflow: workflow.map(str::to_owned),
                deadline: deadline.map(|deadline| deadline.to_string()),
                traceparent: job.traceparent.clone(),
            }),
        }),
    };
    Ok(Message { topic: topics.topic(&job.job_type, job.tier), key, headers, value })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use domain::dispatch::TopicLayout;
    use domain::id::{ExecutionId, JobId, LeaseToken};
    use domain::job::AttemptFacts;
    use domain::names::{JobType, NodeId, TenantName, WorkflowName};
    use domain::queue::{QueueName, Tier, WorkflowRef};
    use domain::retry::Backoff;
    use serde_json::Value;

    use super::*;

    /// What consumers read: the SDKs have the same messages in their tests.
    const TABLE: &str = include_str!("../../../sdks/conformance/kafka.json");

    fn text(value: &Value) -> &str {
        value.as_str().expect("a text")
    }

    fn number(value: &Value) -> u32 {
        value.as_u64().and_then(|number| u32::try_from(number).ok()).expect("a number")
    }

    /// The job that an offer of the table publishes, with the payload as it stands in the text of the message.
    fn claimed(job: &Value, data: &str, offered_until: Timestamp) -> ClaimedJob {
        let optional = |name: &str| job.get(name).map(text);
        let attempt = number(&job["attempt"]);
        let deadline = optional("deadline").map(|at| Timestamp::parse(at).expect("a time"));
        ClaimedJob {
            id: JobId::parse(text(&job["id"])).expect("an id"),
            queue: QueueName::Node,
            job_type: JobType::trusted(text(&job["jobType"])),
            tenant: TenantName::trusted(text(&job["tenant"])),
            workflow: optional("workflow")
                .map(|name| WorkflowRef { owner: None, name: WorkflowName::trusted(name) }),
            tier: Tier::ALL.into_iter().find(|tier| tier.as_str() == job["priority"]).expect("a tier"),
            position: 0,
            data: data.to_owned(),
            attempt,
            facts: AttemptFacts {
                attempt,
                retries_max: number(&job["maxRetries"]),
                crashes: 0,
                backoff: Backoff::default(),
            },
            timeout: deadline.map(|at| at.since(offered_until)),
            token: LeaseToken::parse(text(&job["leaseToken"])).expect("a token"),
            lease_until: offered_until,
            started_at: Timestamp(0),
            created_at: Timestamp(0),
            queued_at: Timestamp(0),
            traceparent: optional("traceparent").map(str::to_owned),
            execution_id: optional("executionId").map(|id| ExecutionId::parse(id).expect("an id")),
            node_id: optional("nodeId").map(NodeId::trusted),
        }
    }

    #[test]
    fn messages_are_those_that_consumers_read() {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Offer<'a> {
            #[serde(borrow)]
            job: Payload<'a>,
            offered_until: Timestamp,
        }
        #[derive(serde::Deserialize)]
        struct Payload<'a> {
            #[serde(borrow)]
            data: &'a RawValue,
        }
        let table: Value = serde_json::from_str(TABLE).expect("a table");
        let topics = TopicNames { prefix: "trunkline".to_owned(), layout: TopicLayout::PerType };
        let ours = |offer: &&Value| offer.get("ofLaterVersion").is_none();
        let mut seen = 0;
        for offer in table["offers"].as_array().expect("offers").iter().filter(ours) {
            let json = text(&offer["json"]);
            let Offer { job, offered_until } = serde_json::from_str(json).expect("an offer");
            let job = claimed(&offer["job"], job.data.get(), offered_until);
            let published =
                |envelope| message(&job, offered_until, &topics, envelope).expect("a message").value;
            assert_eq!(String::from_utf8_lossy(&published(Envelope::Json)), json, "{}", offer["about"]);
            let mut digits = String::new();
            for byte in published(Envelope::Protobuf) {
                let _ = write!(digits, "{byte:02x}");
            }
            assert_eq!(digits, text(&offer["protobuf"]), "{}", offer["about"]);
            seen += 1;
        }
        assert!(seen > 1);
    }
}
