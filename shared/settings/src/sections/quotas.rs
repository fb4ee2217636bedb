//! What tenants may keep.

use serde::{Deserialize, Serialize};

use crate::values::{ByteSize, count_or_unlimited, size_or_unlimited};

/// What each tenant may keep, unless `PUT /v1/tenants/{tenant}/quotas` says otherwise; `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct QuotaSettings {
    /// Jobs that have not ended.
    #[serde(with = "count_or_unlimited")]
    pub open_jobs: Option<u64>,
    /// Executions that have not ended.
    #[serde(with = "count_or_unlimited")]
    pub open_executions: Option<u64>,
    /// Data of open jobs and inputs of open executions.
    #[serde(with = "size_or_unlimited")]
    pub payload_bytes: Option<ByteSize>,
    /// Jobs and executions that have ended and are kept.
    #[serde(with = "count_or_unlimited")]
    pub history_rows: Option<u64>,
    /// Deliveries of webhooks.
    #[serde(with = "size_or_unlimited")]
    pub delivery_bytes: Option<ByteSize>,
    /// Answers that are kept for repeats, of each API key.
    #[serde(with = "count_or_unlimited")]
    pub idempotency_keys: Option<u64>,
}

impl Default for QuotaSettings {
    fn default() -> Self {
        Self {
            open_jobs: None,
            open_executions: None,
            payload_bytes: None,
            history_rows: None,
            delivery_bytes: None,
            idempotency_keys: Some(10_000_000),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_are_numbers_sizes_or_unlimited() {
        let text = "open_jobs = 5\nopen_executions = \"unlimited\"\npayload_bytes = \"10GiB\"\nidempotency_keys = \"7\"";
        let read: QuotaSettings = toml::from_str(text).expect("they fit");
        let expected = QuotaSettings {
            open_jobs: Some(5),
            payload_bytes: Some(ByteSize(10 << 30)),
            idempotency_keys: Some(7),
            ..QuotaSettings::default()
        };
        assert_eq!(read, expected);
        for wrong in ["open_jobs = -1", "open_jobs = \"many\"", "payload_bytes = \"10\u{a0}GB\""] {
            assert!(toml::from_str::<QuotaSettings>(wrong).is_err(), "{wrong}");
        }
    }
}
