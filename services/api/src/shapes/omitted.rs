//! Payloads that are left out of an answer because they are larger than asked for: their length and digest, and where they are.

use serde::Serialize;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use crate::json::payloads_are_shown;

/// A payload that was left out.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OmittedPayload)]
pub(crate) struct OmittedPayloadResponse {
    /// The field, which is null instead.
    #[schema(value_type = String, example = "data")]
    field: &'static str,
    /// Length of its JSON text.
    bytes: usize,
    /// SHA-256 of its JSON text, in hex.
    sha256: String,
    /// Path of the payload.
    #[schema(example = "/v1/jobs/job_0193456789ab7def8123456789abcdef/data")]
    href: String,
}

/// Leaves out payloads above a bound.
pub(crate) struct PayloadBound {
    max: Option<usize>,
    /// The path of the object that they are of.
    base: String,
    omitted: Vec<OmittedPayloadResponse>,
}

impl PayloadBound {
    /// Nothing is left out where there is no bound.
    pub(crate) fn new(max: Option<usize>, base: String) -> Self {
        Self { max, base, omitted: Vec::new() }
    }

    /// The payload of a field, or null. Who is to see no payloads sees no digests of them either.
    pub(crate) fn field(&mut self, field: &'static str, text: String) -> String {
        if self.max.is_none_or(|max| text.len() <= max) || !payloads_are_shown() {
            return text;
        }
        self.omitted.push(OmittedPayloadResponse {
            field,
            bytes: text.len(),
            sha256: hex::encode(Sha256::digest(text.as_bytes())),
            href: format!("{}/{field}", self.base),
        });
        "null".to_owned()
    }

    /// What was left out.
    pub(crate) fn omitted(self) -> Vec<OmittedPayloadResponse> {
        self.omitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Veil, veiled};

    #[tokio::test]
    async fn what_is_larger_is_left_out_with_its_digest() {
        let mut bound = PayloadBound::new(Some(3), "/v1/jobs/job_1".into());
        assert_eq!(bound.field("data", "[1]".into()), "[1]");
        assert_eq!(bound.field("result", "[12]".into()), "null");
        let omitted = serde_json::to_value(bound.omitted()).expect("encodes");
        let digest = hex::encode(Sha256::digest(b"[12]"));
        let expected = serde_json::json!([
            {"field": "result", "bytes": 4, "sha256": digest, "href": "/v1/jobs/job_1/result"}
        ]);
        assert_eq!(omitted, expected);
        let mut all = PayloadBound::new(None, String::new());
        assert_eq!(all.field("data", "[12]".into()), "[12]");
        let hidden = async {
            let mut bound = PayloadBound::new(Some(0), String::new());
            bound.field("data", "[12]".into());
            bound.omitted().len()
        };
        assert_eq!(veiled(Veil::Payloads, hidden).await, 0);
    }
}
