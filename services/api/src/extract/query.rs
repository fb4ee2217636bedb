//! Query parameters. Unknown and repeated ones are refused.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::id::{Id, Kind};
use domain::names::TenantName;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use store::PageRequest;
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
    /// never a tenant's.
    #[param(value_type = Option<String>)]
    pub(crate) tenant: Option<TenantName>,
}

fn read_query<T: DeserializeOwned>(text: &str) -> ApiResult<T> {
    let deserializer = serde_urlencoded::Deserializer::new(form_urlencoded::parse(text.as_bytes()));
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        Problem::fault(pointer_of(error.path()), format!("query parameter: {}", error.inner()))
    })
}

// `limit` and `cursor` of lists.

/// How many items a list shows when nobody says how many.
const LIMIT_DEFAULT: u32 = 50;

/// How many items a list shows at most.
const LIMIT_MAX: u32 = 500;

/// The longest cursor, in bytes.
pub(crate) const CURSOR_MAX: usize = 200;

/// The parameters of a list that has no filters.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PagesQuery {
    /// Page size, 1 to 500 (default 50).
    pub(crate) limit: Option<u32>,
    /// The `nextCursor` of the previous page.
    pub(crate) cursor: Option<String>,
}

/// The part of a list that is asked for, where the cursor is the id of the last item seen.
pub(crate) fn page<K: Kind>(limit: Option<u32>, cursor: Option<&str>) -> ApiResult<PageRequest> {
    let after = cursor.map(|text| Id::<K>::parse(text).ok_or_else(bad_cursor)).transpose()?;
    Ok(PageRequest { limit: page_limit(limit)?, after: after.map(Id::uuid) })
}

/// How many items are asked for.
pub(crate) fn page_limit(limit: Option<u32>) -> ApiResult<u32> {
    match limit.unwrap_or(LIMIT_DEFAULT) {
        limit @ 1..=LIMIT_MAX => Ok(limit),
        _ => Err(Problem::fault("/limit", format!("expected 1 to {LIMIT_MAX}"))),
    }
}

/// The cursor of a list by name.
pub(crate) fn name_cursor(cursor: Option<String>) -> ApiResult<Option<String>> {
    match cursor {
        Some(text) if text.is_empty() || text.len() > CURSOR_MAX || text.chars().any(char::is_control) => {
            Err(bad_cursor())
        }
        cursor => Ok(cursor),
    }
}

/// The cursor of a list by position.
pub(crate) fn position_cursor<N: std::str::FromStr>(cursor: Option<&str>) -> ApiResult<Option<N>> {
    cursor.map(|text| text.parse().map_err(|_| bad_cursor())).transpose()
}

fn bad_cursor() -> Problem {
    Problem::fault("/cursor", "expected the nextCursor of an earlier page of this list")
}

#[cfg(test)]
mod tests {
    use domain::id::{JobId, JobKind};
    use domain::time::DurationMs;
    use uuid::Uuid;

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

    #[test]
    fn limits_are_bounded() {
        assert_eq!(page_limit(None).ok(), Some(LIMIT_DEFAULT));
        assert_eq!(page_limit(Some(500)).ok(), Some(500));
        for limit in [0, 501, u32::MAX] {
            assert!(page_limit(Some(limit)).is_err(), "{limit}");
        }
    }

    #[test]
    fn cursors_are_ids_of_the_list() {
        let id = JobId::from_uuid(Uuid::from_u128(7));
        let page = page::<JobKind>(None, Some(&id.to_string())).expect("valid");
        assert_eq!(page.after, Some(id.uuid()));
        assert!(super::page::<JobKind>(None, Some("exe_00000000000000000000000000000007")).is_err());
        assert!(super::page::<JobKind>(None, Some("")).is_err());
    }
}
