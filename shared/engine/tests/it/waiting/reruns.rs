//! Another run from a chosen node on.

use domain::names::{NodeId, WorkflowName};
use engine::EngineError;
use serde_json::json;
use store::workflows::WorkflowPause;
use testkit::EngineHarness;

use super::harness::{conflict, output};

async fn a_rerun_takes_over_what_came_before(harness: EngineHarness) {
    let _pool = harness.run_executions(4);
    let definition = json!({
        "name": "chain", "version": 1,
        "input": {"type": "object", "required": ["k"], "properties": {"k": {"type": "integer"}}},
        "nodes": [
            {"id": "a", "type": "SERVICE_TASK", "jobType": "a"},
            {"id": "b", "type": "SERVICE_TASK", "jobType": "b", "dependsOn": ["a"],
             "input": {"a": "${nodes.a.output}", "k": "${input.k}"}},
            {"id": "c", "type": "TRANSFORM", "dependsOn": ["b"], "output": "${nodes.b.output + nodes.a.output}"}
        ]
    });
    harness.register(&definition).await.unwrap();
    let id = harness.start("chain", &json!({"k": 1})).await.unwrap();
    let (admin, from) = (harness.admin(), NodeId::trusted("b"));
    let a = harness.take("a").await;
    let early = harness.engine.rerun_execution(&admin, id, &from, None, false).await;
    assert_eq!(conflict(early), "execution_not_finished");
    harness.complete(&a, &json!(10)).await.unwrap();
    let b = harness.take("b").await;
    harness.complete(&b, &json!(1)).await.unwrap();
    assert_eq!(output(&harness, id).await, json!({"c": 11}));
    let rerun =
        harness.engine.rerun_execution(&admin, id, &from, Some("{\"k\":2}".into()), false).await.unwrap();
    assert_ne!(rerun.id, id);
    let log = harness.audit(&admin).await;
    let said: Vec<_> = log.iter().filter(|line| line.action == "execution.rerun").collect();
    assert_eq!((said.len(), said[0].subject.clone()), (1, id.to_string()));
    assert!(
        said[0].detail.as_deref().is_some_and(|detail| detail.contains(&rerun.id.to_string())),
        "{said:?}"
    );
    let again = harness.take("b").await;
    assert_eq!(again.data, "{\"a\":10,\"k\":2}");
    harness.complete(&again, &json!(2)).await.unwrap();
    assert_eq!(output(&harness, rerun.id).await, json!({"c": 12}));
    assert!(harness.poll(&["a"], 1).await.unwrap().is_empty(), "what is taken over is not run");
    let unknown = harness.engine.rerun_execution(&admin, id, &NodeId::trusted("x"), None, false).await;
    let Err(EngineError::Invalid(faults)) = unknown else { panic!("there is no such node: {unknown:?}") };
    assert_eq!(faults[0].pointer, "/fromNode");
    let wrong = harness.engine.rerun_execution(&admin, id, &from, Some("{}".into()), false).await;
    assert!(matches!(wrong, Err(EngineError::Invalid(_))), "{wrong:?}");
    let name = WorkflowName::trusted("chain");
    harness.engine.pause_workflow(&admin, &name, Some(WorkflowPause::Refuse)).await.unwrap();
    let refused = harness.engine.rerun_execution(&admin, id, &from, None, false).await;
    assert_eq!(conflict(refused), "workflow_paused");
}

on_both_databases!(a_rerun_takes_over_what_came_before,);
