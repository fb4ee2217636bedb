//! The routes of webhook endpoints.

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{act, read, save};
use crate::state::ApiState;

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(save::create_webhook, read::list_webhooks))
        .routes(routes!(read::get_webhook, save::replace_webhook, save::delete_webhook))
        .routes(routes!(act::rotate_secret))
        .routes(routes!(act::test_webhook))
        .routes(routes!(act::pause_webhook))
        .routes(routes!(act::resume_webhook))
}
