//! What a simulated execution is to its expressions.

use serde_json::Value;
use uuid::Uuid;

use crate::id::ExecutionId;
use crate::names::TenantName;
use crate::queue::Tier;
use crate::time::Timestamp;
use crate::workflow::callback::CallbackBase;
use crate::workflow::definition::Definition;
use crate::workflow::execution::ExecutionContext;
use crate::workflow::expression::Allowance;

impl ExecutionContext {
    /// That of a simulation: the same for the same arguments, ids included.
    pub fn of_simulation(
        definition: &Definition,
        tenant: TenantName,
        input: Value,
        now: Timestamp,
        allowance: Allowance,
    ) -> Self {
        Self {
            id: ExecutionId::from_uuid(Uuid::nil()),
            tenant,
            workflow: definition.name.clone(),
            version: definition.version,
            tier: Tier::High,
            input,
            created_at: now,
            depth: 0,
            // Addresses that nobody can call.
            callbacks: CallbackBase { url: String::new(), key: [0; 32] },
            allowance,
        }
    }
}
