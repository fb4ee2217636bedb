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
