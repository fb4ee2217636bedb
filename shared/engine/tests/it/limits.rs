//! Limits: in force at once, and shown with where they come from.

use domain::access::Role;
use domain::limits::{LIMIT_MAX, LimitScope, LimitSource};
use domain::names::{JobType, TenantName, WorkflowName};
use domain::queue::QueueName;
use domain::rate::Rate;
use engine::{EngineError, JobRequest, LimitEdit, LimitEdits, LimitLine, LimitPart, LimitTarget, RateEdit};
use serde_json::json;
use testkit::EngineHarness;

#[expect(clippy::option_option, reason = "no change, no limit and a limit are three things")]
const fn edit(queue: QueueName, max_concurrent: Option<Option<u32>>) -> LimitEdit {
    LimitEdit { queue, part: LimitPart::Own, max_concurrent }
}

fn line(lines: &[LimitLine], queue: QueueName, scope: &LimitScope) -> (Option<u32>, LimitSource) {
    let part = match scope {
        LimitScope::TenantDefault => LimitPart::TenantDefault,
        LimitScope::WorkflowDefault => LimitPart::WorkflowDefault,
        _ => LimitPart::Own,
    };
    let found = lines.iter().find(|line| line.queue == queue && line.part == part).expect("it is listed");
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
    assert_eq!(why.reason.as_str(), "limit_global");
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

fn rates(edits: &[(LimitPart, Option<&str>)]) -> LimitEdits {
    let edit = |&(part, rate): &(LimitPart, Option<&str>)| RateEdit {
        queue: QueueName::Node,
        part,
        rate: rate.map(|text| Rate::parse(text).unwrap()),
    };
    LimitEdits { rates: edits.iter().map(edit).collect(), ..LimitEdits::default() }
}

async fn a_rate_holds_and_is_explained(harness: EngineHarness) {
    let admin = harness.admin();
    let request = JobRequest::new(JobType::trusted("encode"), "{}");
    let jobs = harness.engine.enqueue(&admin, vec![request; 6]).await.unwrap();
    let edits = rates(&[(LimitPart::Own, Some("10/1h")), (LimitPart::JobTypeDefault, Some("2/1m"))]);
    let lines = harness.engine.set_limits(&admin, LimitTarget::Queue, edits).await.unwrap();
    let own = |line: &&LimitLine| line.queue == QueueName::Node && line.part == LimitPart::Own;
    let shown = lines.iter().find(own).and_then(|line| line.rate).unwrap();
    assert_eq!((shown.rate.to_string().as_str(), shown.source), ("10/1h", LimitSource::Override));
    assert_eq!(harness.poll(&["encode"], 10).await.unwrap().len(), 2);
    let now = harness.engine.now();
    let next = harness.engine.why(&admin, jobs[2].id).await.unwrap();
    assert_eq!((next.reason.as_str(), next.rank), ("rate_job_type", Some(0)));
    let can_start = next.can_start_at.unwrap().since(now).0;
    assert!((60_000..=62_000).contains(&can_start), "the next may start after {can_start} ms");
    // Two go before the last but one, which waits for another period.
    let later = harness.engine.why(&admin, jobs[4].id).await.unwrap();
    assert_eq!((later.reason.as_str(), later.rank), ("rate_job_type", Some(2)));
    let after = later.can_start_at.unwrap().since(next.can_start_at.unwrap()).0;
    assert!((60_000..=62_000).contains(&after), "a period later: {after} ms");
    let target = LimitTarget::JobType(JobType::trusted("encode"));
    let lines = harness.engine.limits(&admin, target.clone()).await.unwrap();
    assert_eq!(lines.len(), 1, "job types have limits on one queue");
    assert_eq!(lines[0].rate.map(|rate| rate.source), Some(LimitSource::OverriddenDefault));
    let raised = rates(&[(LimitPart::Own, Some("5/1m"))]);
    harness.engine.set_limits(&admin, target.clone(), raised).await.unwrap();
    assert_eq!(harness.poll(&["encode"], 10).await.unwrap().len(), 3, "two of five were started before");
    let bound = harness.bound("default", Role::Operator);
    let own = rates(&[(LimitPart::Own, None)]);
    let refused = harness.engine.set_limits(&bound, target, own).await;
    assert!(matches!(refused, Err(EngineError::Forbidden { .. })), "it counts over all tenants: {refused:?}");
}

async fn a_definition_has_a_rate(harness: EngineHarness) {
    let definition = json!({
        "name": "greet", "version": 1, "limits": {"rate": "3/1m"},
        "nodes": [{"id": "say", "type": "SERVICE_TASK", "jobType": "say"}]
    });
    harness.register(&definition).await.unwrap();
    let target = LimitTarget::Workflow(WorkflowName::trusted("greet"));
    let lines = harness.engine.limits(&harness.admin(), target).await.unwrap();
    let of_definition = lines.iter().find(|line| line.queue == QueueName::Execution).unwrap();
    let rate = of_definition.rate.unwrap();
    assert_eq!((rate.rate.to_string().as_str(), rate.source), ("3/1m", LimitSource::Definition));
    let of_nodes = lines.iter().find(|line| line.queue == QueueName::Node).unwrap();
    assert_eq!(of_nodes.rate, None, "it is about executions");
    let wrong = json!({
        "name": "greet", "version": 2, "limits": {"rate": "3 a minute"},
        "nodes": [{"id": "say", "type": "SERVICE_TASK", "jobType": "say"}]
    });
    assert!(harness.register(&wrong).await.is_err());
}

on_both_databases!(
    a_rate_holds_and_is_explained,
    a_definition_has_a_rate,
    a_limit_holds_from_the_next_claim_on,
    tenants_and_workflows_have_limits_of_their_own,
    limits_have_bounds_and_owners,
);
