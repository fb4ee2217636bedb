//! The addresses of the console: `/console` and everything below it.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::middleware::map_response;
use axum::response::{Redirect, Response};
use axum::routing::get;

use crate::options::ConsoleOptions;
use crate::policy::protect;
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
