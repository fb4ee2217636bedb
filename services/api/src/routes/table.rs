//! All routes: those that need a caller, and those that do not.

use utoipa_axum::router::OpenApiRouter;

use super::{
    alerts, api_keys, archive, attributes, audit, backups, batches, builds, bulk, callbacks, dead_letters,
    deliveries, dev, dispatch, encryption, events, executions, hooks as ingress, job_logs, jobs, limits,
    moves, polling, queues, schedules, secrets, server, sign_in, tenants, triggers, user_tasks, views,
    webhooks, workflows,
};
use crate::state::ApiState;

/// Everything below `/v1`, which needs a caller.
pub(crate) fn guarded() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .merge(jobs::router())
        .merge(polling::router())
        .merge(job_logs::router())
        .merge(queues::router())
        .merge(limits::router())
        .merge(attributes::router())
        .merge(limits::rates_router())
        .merge(workflows::router())
        .merge(executions::router())
        .merge(executions::commands_router())
        .merge(user_tasks::router())
        .merge(schedules::router())
        .merge(webhooks::router())
        .merge(deliveries::router())
        .merge(dead_letters::router())
        .merge(backups::router())
        .merge(moves::router())
        .merge(bulk::router())
        .merge(batches::router())
        .merge(archive::router())
        .merge(events::router())
        .merge(triggers::router())
        .merge(polling::workers_router())
        .merge(builds::router())
        .merge(dev::router())
        .merge(audit::router())
        .merge(alerts::router())
        .merge(views::router())
        .merge(queues::stats_router())
        .merge(server::servers_router())
        .merge(dispatch::router())
        .merge(server::doctor_router())
        .merge(views::suggest_router())
        .merge(tenants::router())
        .merge(tenants::usage_router())
        .merge(encryption::router())
        .merge(tenants::retention_router())
        .merge(secrets::router())
        .merge(api_keys::router())
        .merge(server::router())
        .merge(sign_in::session_router())
}

/// What anybody may ask of a process that serves REST.
pub(crate) fn open() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().merge(workflows::open()).merge(sign_in::router()).merge(sign_in::set_up_router())
}

/// What anybody may ask of every process that answers HTTP: probes, and the callbacks that the world sends.
pub(crate) fn edge() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().merge(server::health_router()).merge(callbacks::router())
}

/// Webhook ingress: senders have no key, and sign.
pub(crate) fn hooks() -> OpenApiRouter<ApiState> {
    ingress::router()
}
