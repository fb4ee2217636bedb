//! The frame of every list, and fields that are there or left out.

use domain::error::Fault;
use domain::id::{Id, Kind};
use domain::time::Timestamp;
use serde::Serialize;
use sha2::{Digest, Sha256};
use store::Page;
use utoipa::ToSchema;

use crate::json::payloads_are_shown;
use crate::problem::Problem;

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListOf<T> {
    /// The items.
    pub(crate) items: Vec<T>,
    /// The `cursor` of the next page; null on the last page.
    #[schema(required = true)]
    pub(crate) next_cursor: Option<String>,
    /// Number of matches, if requested with `count`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) count: Option<CountResponse>,
    /// Present if the page is short because a call reads a bounded number of rows: the instant up to which rows were
    /// read. More matches may follow at `nextCursor`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) scanned_to: Option<Timestamp>,
}

/// Number of matching objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ListCount)]
pub(crate) struct CountResponse {
    /// Number of matches, at most 10,000.
    pub(crate) value: u64,
    /// Whether `value` is exact. Otherwise it is a lower bound, because counting is bounded.
    pub(crate) exact: bool,
}

impl<T> ListOf<T> {
    /// A list without pages.
    pub(crate) fn whole(items: Vec<T>) -> Self {
        Self { items, next_cursor: None, count: None, scanned_to: None }
    }

    /// A page of things with ids of kind `K`.
    pub(crate) fn of_page<K: Kind, R>(page: Page<R>, each: impl FnMut(R) -> T) -> Self {
        let next_cursor = page.next.map(|uuid| Id::<K>::from_uuid(uuid).to_string());
        Self { items: page.items.into_iter().map(each).collect(), next_cursor, count: None, scanned_to: None }
    }

    /// Items that were read with a limit one above the one asked for; the cursor is the key of the last one shown.
    pub(crate) fn cut<R>(
        mut rows: Vec<R>,
        limit: u32,
        key: impl Fn(&R) -> String,
        each: impl FnMut(R) -> T,
    ) -> Self {
        let limit = limit as usize;
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = if has_more { rows.last().map(key) } else { None };
        Self { items: rows.into_iter().map(each).collect(), next_cursor, count: None, scanned_to: None }
    }
}

// Required fields. Request types read them as optional, so that all that are missing are reported at once, each with
// its pointer.

/// Collects the fields that are missing.
#[derive(Debug, Default)]
pub(crate) struct RequiredFields(Vec<Fault>);

impl RequiredFields {
    /// The value, or a fault at the field.
    pub(crate) fn field<T>(&mut self, name: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.0.push(Fault::new(format!("/{name}"), "is required"));
        }
        value
    }

    /// A fault of another kind.
    pub(crate) fn add(&mut self, pointer: &str, message: &str) {
        self.0.push(Fault::new(pointer, message));
    }

    /// What is wrong so far.
    pub(crate) fn problem(self) -> Problem {
        Problem::invalid(self.0)
    }

    /// Whether something is wrong.
    pub(crate) fn any(&self) -> bool {
        !self.0.is_empty()
    }
}

// Payloads that are left out of an answer because they are larger than asked for: their length and digest, and where they are.

/// A payload that was left out.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OmittedPayload)]
pub(crate) struct OmittedPayloadResponse {
    /// Name of the field, which is null instead.
    #[schema(value_type = String, example = "data")]
    field: &'static str,
    /// Size of its JSON text, or of the body of a delivery, in bytes.
    bytes: usize,
    /// SHA-256 of the same bytes, in hexadecimal.
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
        if self.takes(text.len()) {
            return text;
        }
        self.leave_out(field, text.as_bytes());
        "null".to_owned()
    }

    /// The bytes of a field, or none.
    pub(crate) fn bytes(&mut self, field: &'static str, bytes: Vec<u8>) -> Option<Vec<u8>> {
        if self.takes(bytes.len()) {
            return Some(bytes);
        }
        self.leave_out(field, &bytes);
        None
    }

    fn takes(&self, length: usize) -> bool {
        self.max.is_none_or(|max| length <= max) || !payloads_are_shown()
    }

    fn leave_out(&mut self, field: &'static str, bytes: &[u8]) {
        self.omitted.push(OmittedPayloadResponse {
            field,
            bytes: bytes.len(),
            sha256: hex::encode(Sha256::digest(bytes)),
            href: format!("{}/{field}", self.base),
        });
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

    #[test]
    fn the_cursor_is_there_while_there_is_more() {
        let list = |rows: &[u32]| ListOf::cut(rows.to_vec(), 2, ToString::to_string, |row| row);
        assert_eq!(list(&[1, 2, 3]).next_cursor.as_deref(), Some("2"));
        assert_eq!(list(&[1, 2, 3]).items, [1, 2]);
        assert_eq!(list(&[1, 2]).next_cursor, None);
        assert_eq!(list(&[]).next_cursor, None);
    }

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
        let mut body = PayloadBound::new(Some(1), "/v1/deliveries/dlv_1".into());
        assert_eq!(body.bytes("body", vec![0xff]), Some(vec![0xff]));
        assert_eq!(body.bytes("body", vec![0xff, 0]), None);
        assert_eq!(body.omitted()[0].href, "/v1/deliveries/dlv_1/body");
        let hidden = async {
            let mut bound = PayloadBound::new(Some(0), String::new());
            bound.field("data", "[12]".into());
            bound.omitted().len()
        };
        assert_eq!(veiled(Veil::Payloads, hidden).await, 0);
    }
}
