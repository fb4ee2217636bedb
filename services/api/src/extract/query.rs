//! Query parameters. Unknown and repeated ones are refused.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::names::TenantName;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use crate::json::pointer_of;
use crate::problem::{ApiResult, Problem};
use crate::state::ApiState;

/// The query parameters of a call.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<ApiState> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &ApiState) -> ApiResult<Self> {
        read_query(parts.uri.query().unwrap_or_default()).map(Self)
    }
}

/// A call that has no query parameters.
#[derive(Debug)]
pub(crate) struct NoQuery;

impl FromRequestParts<ApiState> for NoQuery {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &ApiState) -> ApiResult<Self> {
        match parts.uri.query() {
            None | Some("") => Ok(Self),
            Some(_) => Err(Problem::fault("", "this call accepts no query parameters")),
        }
    }
}

/// Whose thing a name means.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TenantQuery {
    /// Tenant that owns the workflow, for keys that are not bound to a tenant. Without it, the shared workflow is used,
    /// never one of a tenant.
    #[param(value_type = Option<String>)]
    pub(crate) tenant: Option<TenantName>,
}

fn read_query<T: DeserializeOwned>(text: &str) -> ApiResult<T> {
    let deserializer = serde_urlencoded::Deserializer::new(form_urlencoded::parse(text.as_bytes()));
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        Problem::fault(pointer_of(error.path()), format!("query parameter: {}", error.inner()))
    })
}

#[cfg(test)]
mod tests {
    use domain::time::DurationMs;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Sample {
        limit: Option<u32>,
        wait: Option<bool>,
        timeout: Option<DurationMs>,
    }

    #[test]
    fn parameters_are_typed_and_known() {
        let sample: Sample = read_query("limit=7&wait=true&timeout=1h30m").expect("valid");
        assert_eq!(
            (sample.limit, sample.wait, sample.timeout),
            (Some(7), Some(true), Some(DurationMs(5_400_000)))
        );
        for (text, pointer) in [
            ("limit=x", "/limit"),
            ("limit=-1", "/limit"),
            ("wait=yes", "/wait"),
            ("timeout=30", "/timeout"),
            ("colour=red", "/colour"),
            ("limit=1&limit=2", ""),
        ] {
            let problem = read_query::<Sample>(text).expect_err("invalid");
            let problem = serde_json::to_value(problem.shape()).expect("encodes");
            assert_eq!(problem["errors"][0]["pointer"], pointer, "{text}: {problem}");
        }
    }
}
