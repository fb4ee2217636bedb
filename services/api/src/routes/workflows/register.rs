//! Register versions of workflows, or only check them.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use engine::Registration;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::extract::{Identity, Query, WorkflowBody};
use crate::problem::ApiResult;
use crate::shapes::workflows::{RegisteredResponse, WorkflowResponse};
use crate::state::ApiState;

/// How to register.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct RegisterQuery {
    /// Validates the definition without registering it.
    #[serde(default)]
    #[param(required = false)]
    validate: bool,
}

/// Register a version of a workflow
///
/// Versions are immutable: the same content again returns 200, different content under the same version returns 409.
#[utoipa::path(
    post, path = "/v1/workflows", tag = "workflows", params(RegisterQuery),
    request_body(
        description = "The definition.",
        content((serde_json::Value = "application/json"), (String = "application/yaml"))
    ),
    responses(
        (status = 201, description = "A new version.", body = WorkflowResponse),
        (status = 200, description = "The version already exists with the same content; with `validate`: the definition is valid.",
         body = RegisteredResponse),
    )
)]
pub(super) async fn register_workflow(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    Query(query): Query<RegisterQuery>,
    body: WorkflowBody,
) -> ApiResult<(StatusCode, Json<RegisteredResponse>)> {
    if query.validate {
        let parsed = state.engine.validate_workflow(&caller, &body.text, body.format).await?;
        return Ok((StatusCode::OK, Json(RegisteredResponse::Validated(parsed.into()))));
    }
    let (registration, version) = state.engine.register_workflow(&caller, &body.text, body.format).await?;
    let status = match registration {
        Registration::Created => StatusCode::CREATED,
        Registration::Same => StatusCode::OK,
    };
    Ok((status, Json(RegisteredResponse::Version(Box::new(WorkflowResponse::registered(version))))))
}
