//! Tenants beside one another: keys of each, and how long one waits while another does its worst.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::Client;

/// How many calls a measurement makes.
const CALLS: usize = 10;

/// A client with a new key of this role and tenant.
pub(crate) async fn key_of(admin: &Client, role: &str, tenant: &str) -> Client {
    let body = json!({"name": format!("{role} of {tenant}"), "role": role, "tenant": tenant});
    let made = admin.post("/v1/api-keys", &body).await;
    admin.with_key(made["key"].as_str())
}

/// The longest of some enqueues of a client.
pub(crate) async fn longest_call(client: &Client) -> Duration {
    let mut longest = Duration::ZERO;
    for number in 0..CALLS {
        let begun = Instant::now();
        client.post("/v1/jobs", &json!({"jobType": "quiet", "data": {"n": number}})).await;
        longest = longest.max(begun.elapsed());
    }
    longest
}
