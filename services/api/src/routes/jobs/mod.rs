//! `/v1/jobs`: stand-alone jobs, and a look at the jobs of all queues.

mod change;
mod enqueue;
mod enqueue_batch;
mod read;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(enqueue::enqueue_job, read::list_jobs))
        .routes(routes!(enqueue_batch::enqueue_jobs))
        .routes(routes!(read::get_job))
        .routes(routes!(read::why_job))
        .routes(routes!(change::cancel_job))
        .routes(routes!(change::retry_job))
        .routes(routes!(change::reprioritize_job))
}
