//! What a database says of itself to whoever examines it.

use async_trait::async_trait;
use domain::doctor::{DatabaseFacts, DoctorPolicy};
use domain::time::Timestamp;

use crate::error::StoreResult;

/// The store's operation for those who examine it.
#[async_trait]
pub trait DoctorStore {
    /// Looks at the database. What is overdue by the policy is listed, the worst first, at most twenty of a kind.
    async fn diagnose(&self, policy: &DoctorPolicy, now: Timestamp) -> StoreResult<DatabaseFacts>;

    /// Names of the keys that something in the database is sealed with.
    async fn sealing_keys_in_use(&self) -> StoreResult<Vec<String>>;
}
