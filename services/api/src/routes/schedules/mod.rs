//! `/v1/schedules`: saved, looked at, paused, started by hand.

mod act;
mod preview;
mod read;
mod save;

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::ApiState;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(save::create_schedule, read::list_schedules))
        .routes(routes!(preview::preview_cron))
        .routes(routes!(
            read::get_schedule,
            save::replace_schedule,
            save::delete_schedule
        ))
        .routes(routes!(act::pause_schedule))
        .routes(routes!(act::resume_schedule))
        .routes(routes!(act::run_schedule))
        .routes(routes!(act::backfill_schedule))
        .routes(routes!(preview::preview_schedule))
        .routes(routes!(read::list_schedule_runs))
}
