//! `/v1/executions`: start workflows, wait for them, look at them, send them commands.

mod command;
mod read;
mod start;
mod start_batch;
mod wait;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(start::start_execution, read::list_executions))
        .routes(routes!(start_batch::start_executions))
        .routes(routes!(read::get_execution))
        .routes(routes!(read::list_nodes))
        .routes(routes!(read::list_timeline))
        .routes(routes!(command::cancel_execution))
        .routes(routes!(command::retry_execution))
}
