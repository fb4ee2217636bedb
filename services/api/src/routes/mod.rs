//! The handlers, by resource: extract, one call of the engine, map. No decisions here.

mod api_keys;
mod archive;
mod audit;
mod batch_items;
mod batches;
mod commands;
mod dead_letters;
mod events;
mod executions;
mod health;
mod jobs;
mod limits;
mod polling;
mod queues;
mod tenants;
mod workers;
mod workflows;

use utoipa_axum::router::OpenApiRouter;

use crate::state::ApiState;

/// Everything below `/v1`, which needs a caller.
pub(crate) fn guarded() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .merge(jobs::router())
        .merge(polling::router())
        .merge(queues::router())
        .merge(limits::router())
        .merge(workflows::router())
        .merge(executions::router())
        .merge(commands::router())
        .merge(dead_letters::router())
        .merge(batches::router())
        .merge(archive::router())
        .merge(events::router())
        .merge(workers::router())
        .merge(audit::router())
        .merge(tenants::router())
        .merge(api_keys::router())
}

/// What anybody may ask.
pub(crate) fn open() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().merge(health::router())
}
