//! A development server whose time skips: its clock, and the requests that hold it.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use engine::{Engine, TimeSkip};

/// Counts the requests that hold the clock, where it skips.
pub(super) fn count_requests(engine: &Engine, rest: Router) -> Router {
    match engine.time_skip() {
        Some(skip) => rest.layer(from_fn_with_state(Arc::clone(skip), count)),
        None => rest,
    }
}

async fn count(State(skip): State<Arc<TimeSkip>>, request: Request, next: Next) -> Response {
    let uri = request.uri();
    let in_work = holds(request.method(), uri.path(), uri.query()).then(|| skip.begin_request());
    let response = next.run(request).await;
    drop(in_work);
    response
}

/// Whether time stands still until a request is answered. Those that wait do not hold it: they may wait for a timer.
fn holds(method: &Method, path: &str, query: Option<&str>) -> bool {
    let waits = query.is_some_and(|query| query.split('&').any(|pair| pair == "wait=true"));
    *method != Method::GET && path != "/v1/jobs/poll" && path != "/v1/dev/time" && !waits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_that_wait_do_not_hold_the_clock() {
        let table = [
            (Method::POST, "/v1/jobs", None, true),
            (Method::POST, "/v1/jobs/complete", None, true),
            (Method::POST, "/v1/executions", Some("timeout=30s"), true),
            (Method::POST, "/v1/executions", Some("timeout=30s&wait=true"), false),
            (Method::POST, "/v1/jobs/poll", None, false),
            (Method::GET, "/v1/events", None, false),
            (Method::POST, "/v1/dev/time", None, false),
        ];
        for (method, path, query, expected) in table {
            assert_eq!(holds(&method, path, query), expected, "{method} {path}");
        }
    }
}
