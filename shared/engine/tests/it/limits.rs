//! Limits: in force at once, and shown with where they come from.

use domain::access::Role;
use domain::limits::{LIMIT_MAX, LimitScope, LimitSource};
use domain::names::{JobType, TenantName, WorkflowName};
use domain::queue::QueueName;
use engine::{EngineError, JobRequest, LimitEdit, LimitLine, LimitPart, LimitTarget};
use serde_json::json;
use testkit::EngineHarness;

#[expect(clippy::option_option, reason = "no change, no limit and a limit are three things")]
const fn edit(queue: QueueName, max_concurrent: Option<Option<u32>>) -> LimitEdit {
    LimitEdit { queue, part: LimitPart::Own, max_concurrent }
}

fn line(lines: &[LimitLine], queue: QueueName, scope: &LimitScope) -> (Option<u32>, LimitSource) {
    let found = lines.iter().find(|line| line.queue == queue && line.scope == *scope).expect("it is listed");
    (found.max_concurrent, found.source)
}

async fn a_limit_holds_from_the_next_claim_on(harness: EngineHarness) {
    let admin = harness.admin();
    let request = JobRequest::new(JobType::trusted("encode"), "{}");
    let jobs = harness.engine.enqueue(&admin, vec![request; 10]).await.unwrap();
    let before = harness.engine.limits(&admin, LimitTarget::Queue).await.unwrap();
    assert_eq!(line(&before, QueueName::Node, &LimitScope::Global), (None, LimitSource::Settings));
    assert_eq!(line(&before, QueueName::Execution, &LimitScope::Global), (Some(100), LimitSource::Settings));
    let edits = vec![edit(QueueName::Node, Some(Some(3)))];
    let after = harness.engine.set_limits(&admin, LimitTarget::Queue, edits).await.unwrap();
    assert_eq!(line(&after, QueueName::Node, &LimitScope::Global), (Some(3), LimitSource::Override));
    assert_eq!(harness.poll(&["encode"], 10).await.unwrap().len(), 3);
    let why = harness.engine.why(&admin, jobs[9].id).await.unwrap();
    assert_eq!(why.reason, "limit_global");
    assert_eq!(why.level.map(|level| (level.limit, level.running, level.holders.len())), Some((3, 3, 3)));
    let bound = harness.bound("default", Role::Viewer);
    let hidden = harness.engine.why(&bound, jobs[9].id).await.unwrap();
    assert_eq!(hidden.level.map(|level| level.holders.len()), Some(0), "others' jobs are not named");
    let removed = vec![edit(QueueName::Node, None)];
    harness.engine.set_limits(&admin, LimitTarget::Queue, removed).await.unwrap();
    assert_eq!(harness.poll(&["encode"], 10).await.unwrap().len(), 7);
}

async fn tenants_and_workflows_have_limits_of_their_own(harness: EngineHarness) {
    let admin = harness.admin();
    let tenant = LimitTarget::Tenant(TenantName::trusted("acme"));
    let lines = harness
        .engine
        .set_limits(&admin, tenant.clone(), vec![edit(QueueName::Execution, Some(Some(0)))])
        .await
        .unwrap();
    let scope = LimitScope::Tenant(TenantName::trusted("acme"));
    assert_eq!(line(&lines, QueueName::Execution, &scope), (Some(0), LimitSource::Override));
    assert_eq!(line(&lines, QueueName::Node, &scope), (None, LimitSource::Settings));
    let definition = json!({
        "name": "greet", "version": 1, "limits": {"maxConcurrent": 2},
        "nodes": [{"id": "say", "type": "SERVICE_TASK", "jobType": "say"}]
    });
    harness.register(&definition).await.unwrap();
    let target = LimitTarget::Workflow(WorkflowName::trusted("greet"));
    let lines = harness.engine.limits(&admin, target).await.unwrap();
    let of_definition = lines.iter().find(|line| line.queue == QueueName::Execution).unwrap();
    assert_eq!((of_definition.max_concurrent, of_definition.source), (Some(2), LimitSource::Definition));
    let unknown = harness.engine.limits(&admin, LimitTarget::Workflow(WorkflowName::trusted("x"))).await;
    assert!(matches!(unknown, Err(EngineError::NotFound { .. })), "{unknown:?}");
}

async fn limits_have_bounds_and_owners(harness: EngineHarness) {
    let too_many = vec![edit(QueueName::Node, Some(Some(LIMIT_MAX + 1)))];
    let answer = harness.engine.set_limits(&harness.admin(), LimitTarget::Queue, too_many).await;
    let Err(EngineError::Invalid(faults)) = answer else { panic!("{answer:?}") };
    assert_eq!(faults[0].pointer, "/workflow-node/maxConcurrent");
    let own = LimitTarget::Tenant(TenantName::trusted("acme"));
    let bound = harness.bound("acme", Role::Operator);
    let raised =
        harness.engine.set_limits(&bound, own.clone(), vec![edit(QueueName::Node, Some(None))]).await;
    assert!(
        matches!(raised, Err(EngineError::Forbidden { .. })),
        "nobody raises their own limit: {raised:?}"
    );
    assert!(harness.engine.limits(&bound, own).await.is_ok());
    let other = LimitTarget::Tenant(TenantName::trusted("umbrella"));
    let hidden = harness.engine.limits(&bound, other).await;
    assert!(matches!(hidden, Err(EngineError::NotFound { .. })), "{hidden:?}");
}

on_both_databases!(
    a_limit_holds_from_the_next_claim_on,
    tenants_and_workflows_have_limits_of_their_own,
    limits_have_bounds_and_owners,
);
