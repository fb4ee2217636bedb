//! All routes: those that need a caller, and those that do not.

use utoipa_axum::router::OpenApiRouter;

use super::{
    alerts, api_keys, archive, attributes, audit, backups, batches, builds, bulk, callbacks, commands,
    dead_letters, deliveries, dev, dispatch, doctor, encryption, events, executions, health,
    hooks as ingress, job_logs, jobs, limits, me, moves, polling, queues, rates, retention, schedules,
    secrets, servers, session, set_up, sign_in, stats, suggest, tenants, triggers, usage, user_tasks, views,
    webhooks, workers, workflows,
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
        .merge(rates::router())
        .merge(workflows::router())
        .merge(executions::router())
        .merge(commands::router())
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
        .merge(workers::router())
        .merge(builds::router())
        .merge(dev::router())
        .merge(audit::router())
        .merge(alerts::router())
        .merge(views::router())
        .merge(stats::router())
        .merge(servers::router())
        .merge(dispatch::router())
        .merge(doctor::router())
        .merge(suggest::router())
        .merge(tenants::router())
        .merge(usage::router())
        .merge(encryption::router())
        .merge(retention::router())
        .merge(secrets::router())
        .merge(api_keys::router())
        .merge(me::router())
        .merge(session::router())
}

/// What anybody may ask of a process that serves REST.
pub(crate) fn open() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().merge(workflows::open()).merge(sign_in::router()).merge(set_up::router())
}

/// What anybody may ask of every process that answers HTTP: probes, and the callbacks that the world sends.
pub(crate) fn edge() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().merge(health::router()).merge(callbacks::router())
}

/// Webhook ingress: senders have no key, and sign.
pub(crate) fn hooks() -> OpenApiRouter<ApiState> {
    ingress::router()
}
