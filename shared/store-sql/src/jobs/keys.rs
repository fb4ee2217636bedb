//! Unique and concurrency keys as they are stored: with their scope in front. Names hold no `/`.

use domain::names::{CallerKey, TenantName};
use domain::queue::QueueName;

/// A unique key counts within its tenant.
pub(crate) fn unique_key(tenant: &TenantName, key: &CallerKey) -> String {
    format!("{tenant}/{key}")
}

/// The caller's part of a stored unique key.
pub(crate) fn shown_unique_key(stored: &str) -> String {
    stored.split_once('/').map_or(stored, |(_, key)| key).to_owned()
}

/// A concurrency key counts within its tenant and queue.
pub(crate) fn concurrency_key(tenant: &TenantName, queue: QueueName, key: &CallerKey) -> String {
    format!("{tenant}/{}/{key}", queue.code())
}

/// The caller's part of a stored concurrency key.
pub(crate) fn shown_concurrency_key(stored: &str) -> String {
    stored.splitn(3, '/').nth(2).unwrap_or(stored).to_owned()
}
