//! All routes: those that need a caller, and those that do not.

use utoipa_axum::router::OpenApiRouter;

use super::{
    api_keys, archive, audit, batches, commands, dead_letters, events, executions, health, jobs, limits,
    polling, queues, schedules, tenants, workers, workflows,
};
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
        .merge(schedules::router())
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
