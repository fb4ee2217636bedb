//! The index page: the built one with a nonce, the base path and what the page should know, or one that says how to build
//! it.

use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::assets;
use crate::options::{ConsoleOptions, SimulationLimits, WorkerPrice};
use crate::policy::policy;

/// What stands in the built page where the nonce belongs.
const NONCE_MARK: &str = "__TRUNKLINE_NONCE__";
/// What stands there for the address that all relative ones begin with.
const BASE_MARK: &str = "/__TRUNKLINE_BASE__/";
/// What stands there for the JSON element.
const BOOT_MARK: &str = "__TRUNKLINE_BOOT__";

const NOT_BUILT: &str = include_str!("not_built.html");

/// What the page should know before its first request.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Boot<'a> {
    base_path: &'a str,
    version: &'a str,
    database: &'a str,
    nonce: &'a str,
    /// Null where nobody signs in by an identity provider.
    sign_in_label: Option<&'a str>,
    simulation: &'a SimulationLimits,
    /// Null where nothing has a price.
    price: Option<&'a WorkerPrice>,
}

/// The page. The same for every address of the console: what is shown is the script's business.
pub(crate) fn serve(options: &ConsoleOptions) -> Response {
    let nonce = hex::encode(&(options.random)()[..16]);
    let (status, body) = match assets::index() {
        Some(template) => (StatusCode::OK, filled(&template, options, &nonce)),
        None => (StatusCode::SERVICE_UNAVAILABLE, NOT_BUILT.replace(NONCE_MARK, &nonce)),
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(value) = HeaderValue::try_from(policy(&nonce)) {
        headers.insert(CONTENT_SECURITY_POLICY, value);
    }
    (status, headers, body).into_response()
}

fn filled(template: &str, options: &ConsoleOptions, nonce: &str) -> String {
    let ConsoleOptions { base_path, version, database, simulation, .. } = options;
    let (sign_in_label, price) = (options.sign_in_label.as_deref(), options.price.as_ref());
    let boot = Boot { base_path, version, database, nonce, sign_in_label, simulation, price };
    // `<` is written as an escape, so that no value can end the element.
    let boot = serde_json::to_string(&boot).unwrap_or_default().replace('<', "\\u003c");
    template
        .replace(NONCE_MARK, nonce)
        .replace(BASE_MARK, &escaped(&format!("{base_path}/console/")))
        .replace(BOOT_MARK, &boot)
}

/// Text as the value of an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn marks_are_filled_and_cannot_be_broken_out_of() {
        let options = ConsoleOptions {
            base_path: "/a\"<b".to_owned(),
            version: "</script><script>".to_owned(),
            database: "sqlite".to_owned(),
            sign_in_label: Some("</script>".to_owned()),
            simulation: SimulationLimits { nodes: 7, ..crate::options::SimulationLimits::default() },
            price: Some(WorkerPrice { worker_hour: 0.5, currency: "</script>".to_owned() }),
            random: Arc::new(|| [7; 32]),
        };
        let template = "<base href=\"/__TRUNKLINE_BASE__/\"><script nonce=\"__TRUNKLINE_NONCE__\">__TRUNKLINE_BOOT__</script>";
        let page = filled(template, &options, "n0");
        assert!(page.starts_with("<base href=\"/a&quot;&lt;b/console/\"><script nonce=\"n0\">{"));
        assert_eq!(page.matches("</script>").count(), 1);
        assert!(page.contains("\"nodes\":7"), "{page}");
    }
}
