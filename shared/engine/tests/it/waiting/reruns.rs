//! Another run from a chosen node on.

use domain::names::{NodeId, WorkflowName};
use engine::EngineError;
use serde_json::json;
use store::workflows::WorkflowPause;
use testkit::EngineBench;

use super::bench::{conflict, output};

async fn a_rerun_takes_over_what_came_before(bench: EngineBench) {
    let _pool = bench.run_executions(4);
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
    bench.register(&definition).await.unwrap();
    let id = bench.start("chain", &json!({"k": 1})).await.unwrap();
    let (admin, from) = (bench.admin(), NodeId::trusted("b"));
    let a = bench.take("a").await;
    let early = bench.engine.rerun_execution(&admin, id, &from, None, false).await;
    assert_eq!(conflict(early), "execution_not_finished");
    bench.complete(&a, &json!(10)).await.unwrap();
    let b = bench.take("b").await;
    bench.complete(&b, &json!(1)).await.unwrap();
    assert_eq!(output(&bench, id).await, json!({"c": 11}));
    let rerun =
        bench.engine.rerun_execution(&admin, id, &from, Some("{\"k\":2}".into()), false).await.unwrap();
    assert_ne!(rerun.id, id);
    let again = bench.take("b").await;
    assert_eq!(again.data, "{\"a\":10,\"k\":2}");
    bench.complete(&again, &json!(2)).await.unwrap();
    assert_eq!(output(&bench, rerun.id).await, json!({"c": 12}));
    assert!(bench.poll(&["a"], 1).await.unwrap().is_empty(), "what is taken over is not run");
    let unknown = bench.engine.rerun_execution(&admin, id, &NodeId::trusted("x"), None, false).await;
    let Err(EngineError::Invalid(faults)) = unknown else { panic!("there is no such node: {unknown:?}") };
    assert_eq!(faults[0].pointer, "/fromNode");
    let wrong = bench.engine.rerun_execution(&admin, id, &from, Some("{}".into()), false).await;
    assert!(matches!(wrong, Err(EngineError::Invalid(_))), "{wrong:?}");
    let name = WorkflowName::trusted("chain");
    bench.engine.pause_workflow(&admin, &name, Some(WorkflowPause::Refuse)).await.unwrap();
    let refused = bench.engine.rerun_execution(&admin, id, &from, None, false).await;
    assert_eq!(conflict(refused), "workflow_paused");
}

on_both_databases!(a_rerun_takes_over_what_came_before,);
