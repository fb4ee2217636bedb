//! `/v1/dead-letters`: look at what died, requeue it, archive it.

mod bulk;
mod query;
mod read;
mod resolve;

pub(super) use query::DeadLettersQuery;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(read::list_dead_letters))
        .routes(routes!(read::list_groups))
        .routes(routes!(bulk::requeue_dead_letters))
        .routes(routes!(bulk::archive_dead_letters))
        .routes(routes!(read::get_dead_letter))
        .routes(routes!(resolve::requeue_dead_letter))
        .routes(routes!(resolve::archive_dead_letter))
}
