//! Which call is answered where.

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{change, enqueue, enqueue_batch, read};
use crate::state::ApiState;

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(enqueue::enqueue_job, read::list_jobs))
        .routes(routes!(enqueue_batch::enqueue_jobs))
        .routes(routes!(read::get_job))
        .routes(routes!(read::why_job))
        .routes(routes!(read::get_job_data))
        .routes(routes!(read::get_job_result))
        .routes(routes!(change::cancel_job))
        .routes(routes!(change::retry_job))
        .routes(routes!(change::reprioritize_job))
}
