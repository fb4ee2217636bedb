//! Pages and documents that never change while the process runs: compressed once, with a tag by which a client tells that
//! it has them.

use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    HeaderName, IF_NONE_MATCH, LOCATION, REFERRER_POLICY, VARY, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use domain::problem::ProblemCode;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use utoipa_swagger_ui::Config;

use crate::openapi::openapi_json;
use crate::problem::{ApiResult, Problem};
use crate::state::ApiState;

/// The pages of the documentation run their own scripts, ask their own server, and stand in no frame. Their styles are
/// written into elements by the scripts.
const DOCS_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                           font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What is served as it is.
#[derive(Debug, Clone)]
struct Page {
    content_type: HeaderValue,
    tag: HeaderValue,
    plain: Bytes,
    packed: Bytes,
}

/// The pages that were asked for, by name. There are as many as the documentation has files.
type Pages = Arc<Mutex<HashMap<String, Page>>>;

/// `/openapi.json` and the pages at `/docs`.
pub(crate) fn documentation() -> Router<ApiState> {
    let pages = Pages::default();
    Router::new()
        .route("/openapi.json", get(document))
        .route("/docs", get(to_docs))
        .route("/docs/", get(index))
        .route("/docs/{*path}", get(docs))
        .with_state(pages)
}

async fn document(State(pages): State<Pages>, headers: HeaderMap) -> ApiResult<Response> {
    let page =
        page(&pages, "/openapi.json", || Some((openapi_json().into_bytes(), "application/json".into())));
    page.map(|page| page.answer(&headers))
}

/// By a relative address: a path before it may have been taken off by a proxy.
async fn to_docs() -> impl IntoResponse {
    (StatusCode::SEE_OTHER, [(LOCATION, HeaderValue::from_static("docs/"))])
}

async fn index(State(pages): State<Pages>, headers: HeaderMap) -> ApiResult<Response> {
    docs(State(pages), Path("index.html".to_owned()), headers).await
}

async fn docs(
    State(pages): State<Pages>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> ApiResult<Response> {
    let page = page(&pages, &path, || {
        let config = Arc::new(Config::from("/openapi.json").validator_url("none"));
        let file = utoipa_swagger_ui::serve(&path, config).ok().flatten()?;
        Some((file.bytes.into_owned(), file.content_type))
    })?;
    let mut response = page.answer(&headers);
    let fixed = [
        (CONTENT_SECURITY_POLICY, DOCS_POLICY),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

/// A page that was made before, or is made now. 404 where there is nothing of the name; nothing is kept of it.
fn page(pages: &Pages, name: &str, make: impl FnOnce() -> Option<(Vec<u8>, String)>) -> ApiResult<Page> {
    // Nothing is left half done by a panic while it is locked.
    let mut kept = pages.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(page) = kept.get(name) {
        return Ok(page.clone());
    }
    let Some((plain, content_type)) = make() else {
        let detail = "No such documentation page.";
        return Err(Problem::new(StatusCode::NOT_FOUND, ProblemCode::NotFound, detail));
    };
    let page = Page::new(plain, &content_type).ok_or_else(Problem::internal)?;
    kept.insert(name.to_owned(), page.clone());
    Ok(page)
}

impl Page {
    fn new(plain: Vec<u8>, content_type: &str) -> Option<Self> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(&plain).ok()?;
        let packed = packer.finish().ok()?;
        let tag = hex::encode(&Sha256::digest(&plain)[..16]);
        Some(Self {
            content_type: HeaderValue::try_from(content_type).ok()?,
            tag: HeaderValue::try_from(format!("\"{tag}\"")).ok()?,
            plain: plain.into(),
            packed: packed.into(),
        })
    }

    fn answer(self, request: &HeaderMap) -> Response {
        let is_known = values(request, &IF_NONE_MATCH)
            .any(|tag| tag.trim_start_matches("W/").as_bytes() == self.tag.as_bytes());
        let mut headers = HeaderMap::new();
        // Asked for again each time, and answered in a few bytes: another version has other pages.
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        headers.insert(ETAG, self.tag);
        if is_known {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        headers.insert(CONTENT_TYPE, self.content_type);
        let takes_packed = values(request, &ACCEPT_ENCODING).any(|encoding| {
            let (name, weight) = encoding.split_once(';').unwrap_or((encoding, ""));
            let is_refused = matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000");
            name.trim().eq_ignore_ascii_case("gzip") && !is_refused
        });
        if takes_packed {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            return (headers, self.packed).into_response();
        }
        (headers, self.plain).into_response()
    }
}

/// The parts of the lines of a header that holds a list.
fn values<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(name).into_iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim)
}
