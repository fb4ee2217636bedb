//! The value of a message: JSON, or the bytes of `trunkline.v1.JobOffer`, which never begin with a brace.

use prost::Message as _;
use serde::Deserialize;

use crate::models::PolledJob;

#[derive(Deserialize)]
struct Envelope {
    job: PolledJob,
}

/// `trunkline.v1.JobOffer`, as far as it is needed here.
#[derive(Clone, PartialEq, prost::Message)]
struct JobOffer {
    #[prost(message, optional, tag = "4")]
    job: Option<OfferedJob>,
}

/// `trunkline.v1.OfferedJob`. A lease has another deadline.
#[derive(Clone, PartialEq, prost::Message)]
struct OfferedJob {
    #[prost(string, tag = "1")]
    id: String,
    #[prost(string, tag = "2")]
    job_type: String,
    #[prost(string, tag = "3")]
    tenant: String,
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
    #[prost(string, optional, tag = "14")]
    traceparent: Option<String>,
}

/// The job of an offer; `None` where the value is no offer.
pub(super) fn job_of(value: &[u8]) -> Option<PolledJob> {
    let job = if value.starts_with(b"{") {
        serde_json::from_slice::<Envelope>(value).ok()?.job
    } else {
        let offered = JobOffer::decode(value).ok()?.job?;
        PolledJob {
            id: offered.id,
            job_type: offered.job_type,
            tenant: offered.tenant,
            attempt: i32::try_from(offered.attempt).ok()?,
            lease_token: offered.lease_token,
            data: serde_json::from_slice(&offered.data).ok()?,
            idempotency_key: offered.idempotency_key,
            max_retries: i32::try_from(offered.max_retries).ok()?,
            execution_id: offered.execution_id,
            node_id: offered.node_id,
            workflow: offered.workflow,
            traceparent: offered.traceparent,
            ..PolledJob::default()
        }
    };
    (!job.id.is_empty() && !job.lease_token.is_empty()).then_some(job)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::tests::table;
    use super::*;

    /// What a worker sees of a job.
    fn seen(job: &PolledJob) -> Value {
        let data: Value = serde_json::from_str(job.data.as_str()).expect("JSON");
        let mut seen = json!({
            "id": job.id, "jobType": job.job_type, "tenant": job.tenant, "attempt": job.attempt,
            "maxRetries": job.max_retries, "leaseToken": job.lease_token, "data": data,
            "idempotencyKey": job.idempotency_key,
        });
        let optional = [
            ("executionId", &job.execution_id),
            ("nodeId", &job.node_id),
            ("workflow", &job.workflow),
            ("traceparent", &job.traceparent),
        ];
        for (name, value) in optional {
            if let Some(value) = value {
                seen[name] = json!(value);
            }
        }
        seen
    }

    #[test]
    fn messages_of_the_relay_are_read_in_both_forms() {
        let table = table();
        for offer in table["offers"].as_array().expect("offers") {
            let mut expected = offer["job"].clone();
            for unused in ["priority", "deadline"] {
                expected.as_object_mut().expect("a job").remove(unused);
            }
            let text = |name: &str| offer[name].as_str().expect("a text");
            let digits = text("protobuf");
            let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("a byte");
            let bytes: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect();
            for value in [text("json").as_bytes(), &bytes] {
                let job = job_of(value).expect("an offer");
                assert_eq!(seen(&job), expected, "{}", offer["about"]);
                assert!(
                    (0..value.len()).all(|cut| job_of(&value[..cut]).is_none()),
                    "cut off, it is no offer"
                );
            }
        }
    }
}
