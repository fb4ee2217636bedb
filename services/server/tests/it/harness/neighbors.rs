//! Tenants beside one another: keys of each, how long one waits while another does its worst, and what the machine takes
//! for a step.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::harness::Client;
use crate::harness::wait::{PAUSE, pause};

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

/// How many steps, each as long as the longest call beside it, something may be late that is due at an instant: the look that
/// finds it, its claim, what it reads and what it writes.
pub(crate) const STEPS: u32 = 10;

/// Waits for something, and enqueues meanwhile. Answers the longest that a call took, too: what the machine takes for a step at
/// the moment. Bounds of seconds hold on a quiet machine; they allow for [`STEPS`] of it where others keep it busy.
pub(crate) async fn beside_calls<T>(client: &Client, waited: impl Future<Output = T>) -> (T, Duration) {
    let mut waited = std::pin::pin!(waited);
    let mut longest = Duration::ZERO;
    loop {
        let begun = Instant::now();
        let call = async {
            client.post("/v1/jobs", &json!({"jobType": "quiet"})).await;
            pause().await; // before the next call of this polling loop
            // A machine that stood still may have done so in the pause.
            begun.elapsed().saturating_sub(PAUSE)
        };
        tokio::select! {
            done = &mut waited => return (done, longest.max(begun.elapsed())),
            took = call => longest = longest.max(took),
        }
    }
}
