//! Which call needs which right: one line for each route. Looked at before the body of a request is read and before its
//! idempotency key is reserved.

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::http::Method;
use domain::access::Action;

/// What a call needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Right {
    /// Any valid key.
    Known,
    /// The right to do something.
    To(Action),
}

use Action as A;

const fn to(action: Action) -> Right {
    Right::To(action)
}

/// All guarded routes, by path.
pub(crate) const RIGHTS: &[(&str, &str, Right)] = &[
    ("GET", "/v1/alerts", to(A::AlertsRead)),
    ("GET", "/v1/alerts/notifications", to(A::AlertsRead)),
    ("POST", "/v1/alerts/notifications/{id}/retry", to(A::AlertsWrite)),
    ("GET", "/v1/alerts/routes", to(A::AlertsRead)),
    ("GET", "/v1/alerts/routes/{name}", to(A::AlertsRead)),
    ("PUT", "/v1/alerts/routes/{name}", to(A::AlertsWrite)),
    ("DELETE", "/v1/alerts/routes/{name}", to(A::AlertsWrite)),
    ("POST", "/v1/alerts/routes/{name}/test", to(A::AlertsWrite)),
    ("GET", "/v1/alerts/rules", to(A::AlertsRead)),
    ("GET", "/v1/alerts/rules/{name}", to(A::AlertsRead)),
    ("PUT", "/v1/alerts/rules/{name}", to(A::AlertsWrite)),
    ("DELETE", "/v1/alerts/rules/{name}", to(A::AlertsWrite)),
    ("GET", "/v1/alerts/silences", to(A::AlertsRead)),
    ("POST", "/v1/alerts/silences", to(A::AlertsWrite)),
    ("GET", "/v1/alerts/silences/{id}", to(A::AlertsRead)),
    ("DELETE", "/v1/alerts/silences/{id}", to(A::AlertsWrite)),
    ("GET", "/v1/api-keys", to(A::KeysRead)),
    ("POST", "/v1/api-keys", to(A::KeysWrite)),
    ("DELETE", "/v1/api-keys/{id}", to(A::KeysWrite)),
    ("POST", "/v1/api-keys/{id}/rotate", to(A::KeysWrite)),
    ("GET", "/v1/archive", to(A::DeadLettersRead)),
    ("GET", "/v1/archive/export", to(A::DeadLettersRead)),
    ("GET", "/v1/audit", to(A::AuditRead)),
    ("GET", "/v1/audit/export", to(A::AuditRead)),
    ("GET", "/v1/audit/verify", to(A::AuditRead)),
    ("POST", "/v1/backups", to(A::BackupsCreate)),
    ("GET", "/v1/batches", to(A::BatchesRead)),
    ("GET", "/v1/batches/{id}", to(A::BatchesRead)),
    ("POST", "/v1/batches/{id}/abort", to(A::BatchesAbort)),
    ("GET", "/v1/batches/{id}/items", to(A::BatchesRead)),
    ("POST", "/v1/batches/{id}/pause", to(A::BatchesPause)),
    ("POST", "/v1/batches/{id}/resume", to(A::BatchesPause)),
    ("GET", "/v1/commands/{position}", to(A::ExecutionsRead)),
    ("GET", "/v1/dead-letters", to(A::DeadLettersRead)),
    ("POST", "/v1/dead-letters/archive", to(A::DeadLettersArchive)),
    ("GET", "/v1/dead-letters/groups", to(A::DeadLettersRead)),
    ("POST", "/v1/dead-letters/groups/{fingerprint}/ignore", to(A::DeadLettersResolve)),
    ("POST", "/v1/dead-letters/groups/{fingerprint}/reopen", to(A::DeadLettersResolve)),
    ("POST", "/v1/dead-letters/groups/{fingerprint}/resolve", to(A::DeadLettersResolve)),
    ("POST", "/v1/dead-letters/requeue", to(A::DeadLettersRequeue)),
    ("GET", "/v1/dead-letters/{id}", to(A::DeadLettersRead)),
    ("POST", "/v1/dead-letters/{id}/archive", to(A::DeadLettersArchive)),
    ("GET", "/v1/dead-letters/{id}/data", to(A::DeadLettersRead)),
    ("POST", "/v1/dead-letters/{id}/requeue", to(A::DeadLettersRequeue)),
    ("GET", "/v1/deliveries", to(A::DeliveriesRead)),
    ("POST", "/v1/deliveries/replay", to(A::DeliveriesReplay)),
    ("GET", "/v1/deliveries/{id}", to(A::DeliveriesRead)),
    ("GET", "/v1/deliveries/{id}/body", to(A::DeliveriesRead)),
    ("POST", "/v1/deliveries/{id}/replay", to(A::DeliveriesReplay)),
    ("GET", "/v1/dispatch", to(A::ServersRead)),
    ("GET", "/v1/doctor", to(A::DoctorRead)),
    ("GET", "/v1/events", to(A::EventsRead)),
    ("POST", "/v1/events", to(A::EventsSend)),
    ("POST", "/v1/events/batch", to(A::EventsSend)),
    ("GET", "/v1/executions", to(A::ExecutionsRead)),
    ("POST", "/v1/executions", to(A::ExecutionsStart)),
    ("POST", "/v1/executions/batch", to(A::ExecutionsStart)),
    ("POST", "/v1/executions/cancel", to(A::ExecutionsCancel)),
    ("POST", "/v1/executions/rerun", to(A::ExecutionsRerun)),
    ("POST", "/v1/executions/retry", to(A::ExecutionsRetry)),
    ("GET", "/v1/executions/{id}", to(A::ExecutionsRead)),
    ("POST", "/v1/executions/{id}/cancel", to(A::ExecutionsCancel)),
    ("GET", "/v1/executions/{id}/events", to(A::ExecutionsRead)),
    ("GET", "/v1/executions/{id}/states", to(A::ExecutionsRead)),
    ("GET", "/v1/executions/{id}/logs", to(A::ExecutionsRead)),
    ("GET", "/v1/executions/{id}/input", to(A::ExecutionsRead)),
    ("GET", "/v1/executions/{id}/nodes", to(A::ExecutionsRead)),
    ("GET", "/v1/executions/{id}/nodes/{nodeId}", to(A::ExecutionsRead)),
    ("GET", "/v1/executions/{id}/nodes/{nodeId}/items", to(A::ExecutionsRead)),
    ("GET", "/v1/executions/{id}/nodes/{nodeId}/input", to(A::ExecutionsRead)),
    ("GET", "/v1/executions/{id}/nodes/{nodeId}/output", to(A::ExecutionsRead)),
    ("GET", "/v1/executions/{id}/output", to(A::ExecutionsRead)),
    ("POST", "/v1/executions/{id}/rerun", to(A::ExecutionsRerun)),
    ("POST", "/v1/executions/{id}/retry", to(A::ExecutionsRetry)),
    ("POST", "/v1/executions/{id}/signals/{name}", to(A::ExecutionsSignal)),
    ("POST", "/v1/executions/{id}/user-tasks/{nodeId}/complete", to(A::UserTasksComplete)),
    ("GET", "/v1/executions/{id}/why", to(A::ExecutionsRead)),
    ("GET", "/v1/jobs", to(A::JobsRead)),
    ("POST", "/v1/jobs", to(A::JobsEnqueue)),
    ("POST", "/v1/jobs/accept", to(A::JobsWork)),
    ("POST", "/v1/jobs/batch", to(A::JobsEnqueue)),
    ("POST", "/v1/jobs/cancel", to(A::JobsCancel)),
    ("POST", "/v1/jobs/complete", to(A::JobsWork)),
    ("POST", "/v1/jobs/fail", to(A::JobsWork)),
    ("POST", "/v1/jobs/heartbeat", to(A::JobsWork)),
    ("POST", "/v1/jobs/logs", to(A::JobsWork)),
    ("POST", "/v1/jobs/poll", to(A::JobsWork)),
    ("POST", "/v1/jobs/release", to(A::JobsWork)),
    ("POST", "/v1/jobs/reprioritize", to(A::JobsReprioritize)),
    ("POST", "/v1/jobs/retry", to(A::JobsRetry)),
    ("GET", "/v1/jobs/{id}", to(A::JobsRead)),
    ("POST", "/v1/jobs/{id}/cancel", to(A::JobsCancel)),
    ("GET", "/v1/jobs/{id}/data", to(A::JobsRead)),
    ("GET", "/v1/jobs/{id}/logs", to(A::JobsRead)),
    ("POST", "/v1/jobs/{id}/reprioritize", to(A::JobsReprioritize)),
    ("GET", "/v1/jobs/{id}/result", to(A::JobsRead)),
    ("POST", "/v1/jobs/{id}/retry", to(A::JobsRetry)),
    ("GET", "/v1/jobs/{id}/why", to(A::JobsRead)),
    ("GET", "/v1/job-types/{jobType}/attributes", to(A::AttributesRead)),
    ("PUT", "/v1/job-types/{jobType}/attributes", to(A::AttributesDeclare)),
    ("PUT", "/v1/job-types/{jobType}/builds", to(A::BuildsPin)),
    ("DELETE", "/v1/job-types/{jobType}/builds", to(A::BuildsPin)),
    ("GET", "/v1/builds", to(A::BuildsRead)),
    ("POST", "/v1/dev/time", to(A::TimeMove)),
    ("GET", "/v1/job-types/{jobType}/limits", to(A::LimitsRead)),
    ("PUT", "/v1/job-types/{jobType}/limits", to(A::LimitsSet)),
    ("GET", "/v1/limits", to(A::LimitsRead)),
    ("PUT", "/v1/limits", to(A::LimitsSet)),
    ("GET", "/v1/me", Right::Known),
    ("POST", "/v1/moves", to(A::MovesStart)),
    ("GET", "/v1/moves/last", to(A::MovesRead)),
    ("POST", "/v1/moves/last/abort", to(A::MovesStart)),
    ("GET", "/v1/queues", to(A::QueuesRead)),
    ("GET", "/v1/queues/{queue}", to(A::QueuesRead)),
    ("POST", "/v1/queues/{queue}/drain", to(A::QueuesOperate)),
    ("POST", "/v1/queues/{queue}/pause", to(A::QueuesOperate)),
    ("POST", "/v1/queues/{queue}/resume", to(A::QueuesOperate)),
    ("GET", "/v1/queues/{queue}/scaling", to(A::QueuesRead)),
    ("GET", "/v1/rates", to(A::LimitsRead)),
    ("PUT", "/v1/rates/{key}", to(A::LimitsSet)),
    ("DELETE", "/v1/rates/{key}", to(A::LimitsSet)),
    ("GET", "/v1/retention", to(A::RetentionRead)),
    ("PUT", "/v1/retention", to(A::RetentionSet)),
    ("GET", "/v1/schedules", to(A::SchedulesRead)),
    ("POST", "/v1/schedules", to(A::SchedulesWrite)),
    ("POST", "/v1/schedules/pause", to(A::SchedulesWrite)),
    ("POST", "/v1/schedules/preview", to(A::SchedulesRead)),
    ("POST", "/v1/schedules/resume", to(A::SchedulesWrite)),
    ("GET", "/v1/schedules/{id}", to(A::SchedulesRead)),
    ("PUT", "/v1/schedules/{id}", to(A::SchedulesWrite)),
    ("DELETE", "/v1/schedules/{id}", to(A::SchedulesWrite)),
    ("POST", "/v1/schedules/{id}/backfill", to(A::SchedulesRun)),
    ("POST", "/v1/schedules/{id}/pause", to(A::SchedulesWrite)),
    ("GET", "/v1/schedules/{id}/preview", to(A::SchedulesRead)),
    ("POST", "/v1/schedules/{id}/resume", to(A::SchedulesWrite)),
    ("POST", "/v1/schedules/{id}/run", to(A::SchedulesRun)),
    ("GET", "/v1/schedules/{id}/runs", to(A::SchedulesRead)),
    ("GET", "/v1/session", Right::Known),
    ("POST", "/v1/session", Right::Known),
    ("DELETE", "/v1/session", Right::Known),
    ("GET", "/v1/tenants", to(A::TenantsRead)),
    ("POST", "/v1/tenants", to(A::TenantsCreate)),
    ("GET", "/v1/tenants/{tenant}/attributes", to(A::AttributesRead)),
    ("PUT", "/v1/tenants/{tenant}/attributes", to(A::AttributesDeclare)),
    ("GET", "/v1/tenants/{tenant}/encryption", to(A::TenantsRead)),
    ("PUT", "/v1/tenants/{tenant}/encryption", to(A::TenantsEncrypt)),
    ("POST", "/v1/tenants/{tenant}/encryption/rotate", to(A::TenantsEncrypt)),
    ("POST", "/v1/tenants/{tenant}/erase", to(A::TenantsErase)),
    ("GET", "/v1/tenants/{tenant}/limits", to(A::LimitsRead)),
    ("PUT", "/v1/tenants/{tenant}/limits", to(A::LimitsSet)),
    ("GET", "/v1/tenants/{tenant}/quotas", to(A::TenantsRead)),
    ("PUT", "/v1/tenants/{tenant}/quotas", to(A::TenantsQuota)),
    ("GET", "/v1/tenants/{tenant}/retention", to(A::RetentionRead)),
    ("PUT", "/v1/tenants/{tenant}/retention", to(A::RetentionSet)),
    ("GET", "/v1/tenants/{tenant}/secrets", to(A::SecretsRead)),
    ("PUT", "/v1/tenants/{tenant}/secrets/{name}", to(A::SecretsWrite)),
    ("DELETE", "/v1/tenants/{tenant}/secrets/{name}", to(A::SecretsWrite)),
    ("GET", "/v1/tenants/{tenant}/usage", to(A::TenantsRead)),
    ("GET", "/v1/triggers", to(A::TriggersRead)),
    ("POST", "/v1/triggers", to(A::TriggersWrite)),
    ("GET", "/v1/triggers/{id}", to(A::TriggersRead)),
    ("PUT", "/v1/triggers/{id}", to(A::TriggersWrite)),
    ("DELETE", "/v1/triggers/{id}", to(A::TriggersWrite)),
    ("GET", "/v1/user-tasks", to(A::UserTasksRead)),
    ("GET", "/v1/user-tasks/{executionId}/{nodeId}", to(A::UserTasksRead)),
    ("POST", "/v1/user-tasks/{executionId}/{nodeId}/claim", to(A::UserTasksClaim)),
    ("GET", "/v1/user-tasks/{executionId}/{nodeId}/input", to(A::UserTasksRead)),
    ("POST", "/v1/user-tasks/{executionId}/{nodeId}/release", to(A::UserTasksClaim)),
    ("GET", "/v1/search/suggest", to(A::JobsRead)),
    ("GET", "/v1/servers", to(A::ServersRead)),
    ("GET", "/v1/stats", to(A::QueuesRead)),
    ("GET", "/v1/views", to(A::ViewsRead)),
    ("POST", "/v1/views", to(A::ViewsWrite)),
    ("GET", "/v1/views/{id}", to(A::ViewsRead)),
    ("PUT", "/v1/views/{id}", to(A::ViewsWrite)),
    ("DELETE", "/v1/views/{id}", to(A::ViewsWrite)),
    ("GET", "/v1/webhooks", to(A::WebhooksRead)),
    ("POST", "/v1/webhooks", to(A::WebhooksWrite)),
    ("GET", "/v1/webhooks/{id}", to(A::WebhooksRead)),
    ("PUT", "/v1/webhooks/{id}", to(A::WebhooksWrite)),
    ("DELETE", "/v1/webhooks/{id}", to(A::WebhooksWrite)),
    ("GET", "/v1/webhooks/{id}/deliveries", to(A::DeliveriesRead)),
    ("POST", "/v1/webhooks/{id}/pause", to(A::WebhooksWrite)),
    ("POST", "/v1/webhooks/{id}/resume", to(A::WebhooksWrite)),
    ("POST", "/v1/webhooks/{id}/rotate-secret", to(A::WebhooksWrite)),
    ("POST", "/v1/webhooks/{id}/test", to(A::WebhooksWrite)),
    ("GET", "/v1/workers", to(A::WorkersRead)),
    ("POST", "/v1/workers/{id}/drain", to(A::WorkersDrain)),
    ("GET", "/v1/workflows", to(A::WorkflowsRead)),
    ("POST", "/v1/workflows", to(A::WorkflowsRegister)),
    ("GET", "/v1/workflows/schema", to(A::WorkflowsRead)),
    ("POST", "/v1/workflows/simulate", to(A::WorkflowsSimulate)),
    ("GET", "/v1/workflows/{name}", to(A::WorkflowsRead)),
    ("GET", "/v1/workflows/{name}/attributes", to(A::AttributesRead)),
    ("PUT", "/v1/workflows/{name}/attributes", to(A::AttributesDeclare)),
    ("GET", "/v1/workflows/{name}/graph", to(A::WorkflowsRead)),
    ("GET", "/v1/workflows/{name}/limits", to(A::LimitsRead)),
    ("PUT", "/v1/workflows/{name}/limits", to(A::WorkflowsLimit)),
    ("POST", "/v1/workflows/{name}/pause", to(A::WorkflowsPause)),
    ("POST", "/v1/workflows/{name}/resume", to(A::WorkflowsPause)),
    ("GET", "/v1/workflows/{name}/versions", to(A::WorkflowsRead)),
    ("GET", "/v1/workflows/{name}/versions/{version}", to(A::WorkflowsRead)),
    ("GET", "/v1/workflows/{name}/versions/{version}/graph", to(A::WorkflowsRead)),
    ("PUT", "/v1/workflows/{name}/versions/{version}/source", to(A::WorkflowsRegister)),
];

static BY_ROUTE: LazyLock<HashMap<(&'static str, &'static str), Right>> =
    LazyLock::new(|| RIGHTS.iter().map(|&(method, path, right)| ((method, path), right)).collect());

/// What a call of a route needs; `None` for a route that nobody wrote down, which is then answered to nobody.
pub(crate) fn right_of(method: &Method, path: &str, query: Option<&str>) -> Option<Right> {
    let rights: &HashMap<(&str, &str), Right> = &BY_ROUTE;
    let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
    let right = rights.get(&(method, path)).copied()?;
    // A check registers nothing.
    let is_check = right == to(A::WorkflowsRegister)
        && form_urlencoded::parse(query.unwrap_or_default().as_bytes())
            .any(|(name, value)| name == "validate" && value == "true");
    Some(if is_check { to(A::WorkflowsValidate) } else { right })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_guarded_route_has_one_right() {
        let (_, document) = crate::routes::guarded().split_for_parts();
        let mut routes = BTreeSet::new();
        for (path, item) in &document.paths.paths {
            for (method, operation) in
                [("GET", &item.get), ("POST", &item.post), ("PUT", &item.put), ("DELETE", &item.delete)]
            {
                if operation.is_some() {
                    routes.insert((method.to_owned(), path.clone()));
                }
            }
            assert!(
                item.patch.is_none() && item.head.is_none() && item.options.is_none(),
                "{path}: say here what it needs"
            );
        }
        let written: BTreeSet<(String, String)> =
            RIGHTS.iter().map(|(method, path, _)| ((*method).to_owned(), (*path).to_owned())).collect();
        assert_eq!(written.len(), RIGHTS.len(), "a route is written down twice");
        assert_eq!(routes, written);
    }

    #[test]
    fn reading_needs_rights_to_read() {
        for (method, path, right) in RIGHTS {
            if let (&"GET", Right::To(action)) = (method, right) {
                assert!(action.is_read(), "{path} needs {}", action.as_str());
            }
        }
    }

    #[test]
    fn a_check_of_a_definition_registers_nothing() {
        let right = |query| right_of(&Method::POST, "/v1/workflows", query);
        assert_eq!(right(Some("validate=true")), Some(Right::To(Action::WorkflowsValidate)));
        assert_eq!(right(Some("validate=false")), Some(Right::To(Action::WorkflowsRegister)));
        assert_eq!(right(None), Some(Right::To(Action::WorkflowsRegister)));
        assert_eq!(right_of(&Method::HEAD, "/v1/jobs", None), Some(Right::To(Action::JobsRead)));
        assert_eq!(right_of(&Method::PATCH, "/v1/jobs", None), None);
    }
}
