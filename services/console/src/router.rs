//! The addresses of the console: `/console` and everything below it.

use std::fmt;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::map_response;
use axum::response::{Redirect, Response};
use axum::routing::get;
use serde::Serialize;

use crate::{assets, page};

/// The console. `/` leads to it.
pub fn router(options: ConsoleOptions) -> Router {
    Router::new()
        .route("/", get(to_console))
        .route("/console", get(to_console))
        .route("/console/", get(index))
        .route("/console/{*path}", get(page_or_file))
        .layer(map_response(protected))
        .with_state(options)
}

async fn protected(mut response: Response) -> Response {
    protect(response.headers_mut());
    response
}

async fn to_console(State(options): State<ConsoleOptions>) -> Redirect {
    Redirect::to(&format!("{}/console/", options.base_path))
}

async fn index(State(options): State<ConsoleOptions>) -> Response {
    page::serve(&options)
}

/// A file where the name has an extension, and otherwise the page, which shows what the address says.
async fn page_or_file(
    State(options): State<ConsoleOptions>,
    Path(path): Path<String>,
    request: HeaderMap,
) -> Response {
    let is_file = path.starts_with("assets/") || is_root_file(&path);
    if is_file { assets::serve(&path, &request) } else { page::serve(&options) }
}

/// Whether it is a file beside the index page. Ids and names of workflows have no dot.
fn is_root_file(path: &str) -> bool {
    !path.contains('/') && path.contains('.')
}

// The headers that keep a page to itself.

/// The policy of a page: its own scripts by nonce, its own files, its own server; no frame, no form that leaves.
pub(crate) fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic'; worker-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' \
         data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'self'; \
         frame-ancestors 'none'"
    )
}

/// The policy of the worker that makes dry runs: it reads its module from its own server and compiles that, and nothing else. No
/// page may compile anything.
pub(crate) const WORKER_POLICY: &str =
    "default-src 'none'; connect-src 'self'; script-src 'wasm-unsafe-eval'; frame-ancestors 'none'";

/// Adds what every answer of the console carries.
pub(crate) fn protect(headers: &mut HeaderMap) {
    let fixed = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
}

// What the console needs to know of the server that it is part of.

/// Bytes that nobody can guess.
type RandomBytes = Arc<dyn Fn() -> [u8; 32] + Send + Sync>;

/// What the console needs to know.
#[derive(Clone)]
pub struct ConsoleOptions {
    /// The path below which the world reaches the server, without a slash at the end; empty for the root.
    pub base_path: String,
    /// The server's version.
    pub version: String,
    /// The kind of the database: `sqlite` or `postgres`.
    pub database: String,
    /// What the button says by which people sign in at an identity provider; `None` where they cannot.
    pub sign_in_label: Option<String>,
    /// The limits of dry runs in the browser.
    pub simulation: SimulationLimits,
    /// What worker time costs; `None` where nobody said it.
    pub price: Option<WorkerPrice>,
    /// Where nonces come from.
    pub random: RandomBytes,
}

/// What worker time costs.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkerPrice {
    /// The price of an hour.
    pub worker_hour: f64,
    /// Its currency; empty where nobody said it.
    pub currency: String,
}

/// The limits of simulations, which those in the browser keep to as well.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SimulationLimits {
    /// The most bytes of an input.
    pub input_bytes: usize,
    /// How deep the body of a call may be nested.
    pub depth: usize,
    /// The most bytes of a definition.
    pub definition_bytes: usize,
    /// The most nodes of a definition.
    pub nodes: usize,
    /// The most bytes of an expression.
    pub expression_bytes: usize,
    /// The most steps of an expression.
    pub expression_steps: u64,
    /// The most memory of an expression, in bytes.
    pub expression_memory: u64,
    /// The most steps of all expressions of a simulation.
    pub step_steps: u64,
    /// The most bytes of inputs and outputs that one step brings about before the rest is left to the next.
    pub step_bytes: usize,
}

impl fmt::Debug for ConsoleOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsoleOptions")
            .field("base_path", &self.base_path)
            .field("version", &self.version)
            .field("database", &self.database)
            .field("sign_in_label", &self.sign_in_label)
            .field("simulation", &self.simulation)
            .field("price", &self.price)
            .finish_non_exhaustive()
    }
}
