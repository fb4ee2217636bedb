//! The last resort: a handler that panicked.

use std::any::Any;

use axum::response::{IntoResponse, Response};

use crate::problem::Problem;

/// Answers 500 without details; the log has them.
pub(crate) fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response {
    log_panic(panic);
    Problem::internal().into_response()
}

/// Logs what a handler panicked about.
pub(crate) fn log_panic(panic: Box<dyn Any + Send + 'static>) {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown");
    tracing::error!(panic = message, "a request handler panicked");
    drop(panic);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_panicked_is_not_shown() {
        for panic in [Box::new("secret") as Box<dyn Any + Send>, Box::new("secret".to_owned()), Box::new(7)] {
            let response = panicked(panic);
            assert_eq!(response.status(), 500);
            assert_eq!(response.headers()["content-type"], "application/problem+json");
        }
    }
}
