//! `/auth/set-up`: the browser that opened the link of a first start. Not a part of the interface for programs.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::header::{CACHE_CONTROL, SET_COOKIE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use engine::{Door, Origin};
use serde::Serialize;
use utoipa_axum::router::OpenApiRouter;

use crate::gate::{bearer, limit_failures, origin_of, session_cookie, source_of};
use crate::problem::{ApiResult, Problem};
use crate::state::ApiState;

/// The routes. They are for browsers, and are not in the OpenAPI document.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().route("/auth/set-up", post(set_up))
}

/// What a code was exchanged for. The session is in the cookie.
#[derive(Serialize)]
struct SetUpAnswer<'a> {
    key: &'a str,
}

/// Exchanges the code, which comes as keys do, for a session and an admin key that is in this answer and nowhere else.
async fn set_up(State(state): State<ApiState>, request: Request) -> ApiResult<Response> {
    let source = source_of(&state, &request);
    let origin = Origin { door: Door::Console, ..origin_of(&request, source) };
    let code = bearer(request.headers())?.unwrap_or_default();
    let Some(done) = state.engine.set_up(origin, code).await? else {
        state.engine.record_auth_failure(source);
        limit_failures(&state, source).await?;
        return Err(Problem::unauthenticated("The link was used, has ended, or is of another deployment."));
    };
    let cookie =
        session_cookie(&state.options.session_cookie, done.session.sealed.reveal(), done.session.ttl)?;
    let no_store = (CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let answer = Json(SetUpAnswer { key: done.key.reveal() });
    Ok((StatusCode::CREATED, [(SET_COOKIE, cookie), no_store], answer).into_response())
}
