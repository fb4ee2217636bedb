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
    use super::*;

    /// A message of the relay with fields that are not known here. All SDKs have it in their tests.
    const MESSAGE: &str = "0801120265311a14323032362d31312d32325431323a30303a30305aa50161626364a901313233343536373822590a056a6f\
        625f3112036164641a0764656661756c7422046869676828ac0232076f666665722d313a107b2261223a20312c202262223a20327d42056a6f62\
        5f31480352056578655f31720530302dc3a99a06036e6577900607";

    #[test]
    fn protobuf_is_read_as_json_is() {
        let digits = |at: usize| u8::from_str_radix(&MESSAGE[at..at + 2], 16).expect("a byte");
        let bytes: Vec<u8> = (0..MESSAGE.len()).step_by(2).map(digits).collect();
        let job = job_of(&bytes).expect("an offer");
        let read =
            (job.id.as_str(), job.job_type.as_str(), job.lease_token.as_str(), job.attempt, job.max_retries);
        assert_eq!(read, ("job_1", "add", "offer-1", 300, 3));
        assert_eq!((job.execution_id.as_deref(), job.traceparent.as_deref()), (Some("exe_1"), Some("00-é")));
        assert_eq!(serde_json::to_string(&job.data).expect("JSON"), r#"{"a": 1, "b": 2}"#);
        assert!((0..bytes.len()).all(|cut| job_of(&bytes[..cut]).is_none()), "what is cut off is no offer");
    }
}
