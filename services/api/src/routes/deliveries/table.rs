//! The routes of deliveries.

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{read, replay};
use crate::state::ApiState;

/// The routes.
pub(in crate::routes) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(read::list_deliveries))
        .routes(routes!(read::list_webhook_deliveries))
        .routes(routes!(read::get_delivery))
        .routes(routes!(replay::replay_delivery))
}
