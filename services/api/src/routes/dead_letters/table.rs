//! Which call is answered where.

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{read, resolve};
use crate::state::ApiState;

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(read::list_dead_letters))
        .routes(routes!(read::list_groups))
        .routes(routes!(read::get_dead_letter))
        .routes(routes!(resolve::requeue_dead_letter))
        .routes(routes!(resolve::archive_dead_letter))
}
