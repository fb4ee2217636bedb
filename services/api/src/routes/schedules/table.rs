//! The routes of schedules.

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{act, preview, read, save};
use crate::state::ApiState;

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(save::create_schedule, read::list_schedules))
        .routes(routes!(preview::preview_cron))
        .routes(routes!(read::get_schedule, save::replace_schedule, save::delete_schedule))
        .routes(routes!(act::pause_schedule))
        .routes(routes!(act::resume_schedule))
        .routes(routes!(act::run_schedule))
        .routes(routes!(act::backfill_schedule))
        .routes(routes!(preview::preview_schedule))
        .routes(routes!(read::list_schedule_runs))
}
