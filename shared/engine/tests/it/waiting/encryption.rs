//! What is applied without a slot, of a tenant whose payloads cannot be encrypted here.

use domain::id::ExecutionId;
use domain::names::{TenantName, WorkflowName};
use domain::time::DurationMs;
use domain::workflow::execution::ExecutionStatus;
use engine::{ExecutionRequest, SealingKeys};
use serde_json::json;
use testkit::{EngineHarness, eventually};

use super::harness::is_parked;

const FIRST: &str = "2026a:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const SECOND: &str = "2026b:HxwdGhsYGRYXFBUSExARDg8MDQoLCAkGBwQFAgMAAQE=";

/// Another node with these keys. On the one store of a test the node that was built last decides which keys there are.
fn node(harness: &EngineHarness, seed: u64, keys: &[&str]) -> EngineHarness {
    harness.node_with_keys(seed, SealingKeys::parse(keys.iter().copied()).unwrap())
}

async fn start(node: &EngineHarness, tenant: &str, kind: &str) -> ExecutionId {
    let request = ExecutionRequest {
        tenant: Some(TenantName::trusted(tenant)),
        ..ExecutionRequest::new(WorkflowName::trusted("limited"), json!({ "kind": kind }).to_string())
    };
    node.engine.start_executions(&node.admin(), vec![request]).await.unwrap()[0].id
}

/// Lets upkeep apply things until an execution has ended. It never fails.
async fn ends(node: &EngineHarness, id: ExecutionId) {
    eventually("it ends", || async {
        node.clock.advance(DurationMs(1));
        node.engine.apply_unowned_tick().await.unwrap();
        status(node, id).await == ExecutionStatus::Completed
    })
    .await;
}

async fn status(node: &EngineHarness, id: ExecutionId) -> ExecutionStatus {
    node.engine.execution(&node.admin(), id).await.unwrap().status
}

async fn a_step_without_its_key_keeps_no_other_back(harness: EngineHarness) {
    let (admin, acme) = (harness.admin(), TenantName::trusted("acme"));
    let first = node(&harness, 2, &[FIRST]);
    first.engine.create_tenant(&admin, &acme).await.unwrap();
    first.engine.set_tenant_encryption(&admin, &acme, true).await.unwrap();
    let definition = json!({
        "name": "limited", "version": 1, "limits": {"maxConcurrent": 1}, "timeout": "1h",
        "nodes": [
            {"id": "hold", "type": "SERVICE_TASK", "jobType": "hold", "when": "input.kind == 'hold'"},
            {"id": "cool", "type": "TIMER", "duration": "3s", "when": "input.kind == 'cool'"}
        ],
        "output": "${input.kind}"
    });
    first.register(&definition).await.unwrap();
    let _pool = first.run_executions(8);
    let mut waiting = Vec::new();
    for tenant in ["acme", "plain", "acme", "plain"] {
        let id = start(&first, tenant, "cool").await;
        is_parked(&first, id).await;
        waiting.push(id);
    }
    start(&first, "plain", "hold").await;
    first.take("hold").await;
    // Payloads are encrypted with another key from now on, which is itself under a key of the settings that one node lacks.
    node(&harness, 3, &[SECOND, FIRST]).engine.rotate_payload_key(&admin, &acme).await.unwrap();
    let behind = node(&harness, 4, &[FIRST]);
    behind.clock.advance(DurationMs::from_secs(4));
    for id in [waiting[1], waiting[3]] {
        ends(&behind, id).await;
    }
    for id in [waiting[0], waiting[2]] {
        assert_eq!(status(&behind, id).await, ExecutionStatus::Waiting);
    }
    let with = node(&harness, 5, &[SECOND, FIRST]);
    with.clock.advance(DurationMs::from_secs(61));
    for id in [waiting[0], waiting[2]] {
        ends(&with, id).await;
    }
}

on_both_databases!(a_step_without_its_key_keeps_no_other_back);
