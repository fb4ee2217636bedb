//! Which call is answered where.

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{groups, read, resolve};
use crate::state::ApiState;

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(read::list_dead_letters))
        .routes(routes!(groups::list_groups))
        .routes(routes!(groups::resolve_group))
        .routes(routes!(groups::ignore_group))
        .routes(routes!(groups::reopen_group))
        .routes(routes!(read::get_dead_letter))
        .routes(routes!(read::get_dead_letter_data))
        .routes(routes!(resolve::requeue_dead_letter))
        .routes(routes!(resolve::archive_dead_letter))
}
