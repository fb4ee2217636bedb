//! Which call is answered where.

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{command, read, rerun, start, start_batch};
use crate::state::ApiState;

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(start::start_execution, read::list_executions))
        .routes(routes!(start_batch::start_executions))
        .routes(routes!(read::get_execution))
        .routes(routes!(read::list_nodes))
        .routes(routes!(read::get_execution_input))
        .routes(routes!(read::get_execution_output))
        .routes(routes!(read::get_node_input))
        .routes(routes!(read::get_node_output))
        .routes(routes!(read::list_timeline))
        .routes(routes!(read::list_states))
        .routes(routes!(read::why_execution))
        .routes(routes!(command::cancel_execution))
        .routes(routes!(command::retry_execution))
        .routes(routes!(command::signal_execution))
        .routes(routes!(rerun::rerun_execution))
}
