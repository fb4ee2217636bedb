//! Which call is answered where.

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{graph, mode, read, register, schema, simulate, source};
use crate::state::ApiState;

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(register::register_workflow, read::list_workflows))
        .routes(routes!(schema::get_schema))
        .routes(routes!(simulate::simulate_workflow))
        .routes(routes!(read::get_workflow))
        .routes(routes!(graph::get_graph))
        .routes(routes!(read::list_versions))
        .routes(routes!(read::get_version))
        .routes(routes!(source::put_source))
        .routes(routes!(graph::get_version_graph))
        .routes(routes!(mode::pause_workflow))
        .routes(routes!(mode::resume_workflow))
}

/// The route that needs no caller.
pub(in crate::routes) fn open() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(schema::get_published_schema))
}
