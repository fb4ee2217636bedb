//! The JSON Schema of definitions: for programs beside the workflows, and for editors at an address that needs no key.

use std::sync::LazyLock;

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::workflow::schema::json_schema;
use sha2::{Digest, Sha256};

/// How long an editor may go without asking again. The schema only changes with the server.
const CACHE: &str = "public, max-age=3600";

struct Published {
    text: String,
    etag: String,
}

static SCHEMA: LazyLock<Published> = LazyLock::new(|| {
    let text = format!("{:#}", json_schema());
    let etag = format!("\"{}\"", hex::encode(&Sha256::digest(text.as_bytes())[..16]));
    Published { text, etag }
});

/// Show the JSON Schema of workflow definitions
///
/// A workflow with the name `schema` is available through its versions.
#[utoipa::path(
    get, path = "/v1/workflows/schema", tag = "workflows",
    responses(
        (status = 200, description = "The schema (draft 2020-12).", body = serde_json::Value,
         content_type = "application/schema+json"),
        (status = 304, description = "Not modified."),
    )
)]
pub(super) async fn get_schema(headers: HeaderMap) -> Response {
    published(&headers)
}

/// Get the public JSON Schema of workflow definitions
///
/// For `$schema` in a definition file in an editor; requires no API key.
#[utoipa::path(
    get, path = "/schemas/workflow.json", tag = "workflows",
    responses(
        (status = 200, description = "The schema (draft 2020-12).", body = serde_json::Value,
         content_type = "application/schema+json"),
        (status = 304, description = "Not modified."),
    )
)]
pub(super) async fn get_published_schema(headers: HeaderMap) -> Response {
    published(&headers)
}

fn published(headers: &HeaderMap) -> Response {
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let caching = [(ETAG, SCHEMA.etag.as_str()), (CACHE_CONTROL, CACHE)];
    // An answer that was compressed on its way comes back with a weak tag.
    if known.split(',').any(|tag| tag.trim().trim_start_matches("W/") == SCHEMA.etag) {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    (caching, [(CONTENT_TYPE, "application/schema+json")], SCHEMA.text.as_str()).into_response()
}
