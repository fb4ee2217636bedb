//! The console's addresses, with or without a built console.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, StatusCode};
use tower::ServiceExt;
use web_console::{ConsoleOptions, SimulationLimits, router};

fn console(base_path: &str) -> Router {
    let count = AtomicU8::new(0);
    router(ConsoleOptions {
        base_path: base_path.to_owned(),
        version: "1.2.3".to_owned(),
        database: "sqlite".to_owned(),
        sign_in_label: None,
        simulation: SimulationLimits::default(),
        price: None,
        random: Arc::new(move || [count.fetch_add(1, Ordering::Relaxed); 32]),
    })
}

async fn get(router: &Router, uri: &str) -> Response<Body> {
    let request = Request::builder().uri(uri).body(Body::empty()).expect("a request");
    router.clone().oneshot(request).await.expect("routers do not fail")
}

fn header<'a>(response: &'a Response<Body>, name: &str) -> &'a str {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

#[tokio::test]
async fn each_page_has_a_policy_with_a_nonce_of_its_own() {
    let router = console("");
    let mut nonces = Vec::new();
    for uri in ["/console/", "/console/jobs/job_1"] {
        let response = get(&router, uri).await;
        let policy = header(&response, "content-security-policy").to_owned();
        assert!(!policy.contains("unsafe"), "{policy}");
        let (_, nonce) = policy.split_once("'nonce-").expect("a nonce");
        let nonce = nonce.split_once('\'').expect("its end").0.to_owned();
        assert_eq!(header(&response, "x-content-type-options"), "nosniff");
        assert_eq!(header(&response, "x-frame-options"), "DENY");
        assert_eq!(header(&response, "referrer-policy"), "same-origin");
        assert_eq!(header(&response, "cache-control"), "no-store");
        let body = to_bytes(response.into_body(), usize::MAX).await.expect("a page");
        let body = String::from_utf8(body.to_vec()).expect("text");
        assert!(body.contains(&format!("nonce=\"{nonce}\"")), "{body}");
        assert!(!body.contains("__TRUNKLINE"), "{body}");
        nonces.push(nonce);
    }
    assert_ne!(nonces[0], nonces[1]);
}

#[tokio::test]
async fn the_root_leads_to_the_console_below_the_base_path() {
    for (base, expected) in [("", "/console/"), ("/ops", "/ops/console/")] {
        for uri in ["/", "/console"] {
            let response = get(&console(base), uri).await;
            assert_eq!(response.status(), StatusCode::SEE_OTHER);
            assert_eq!(header(&response, "location"), expected);
        }
    }
}

#[tokio::test]
async fn files_of_other_versions_are_not_found() {
    for uri in ["/console/assets/index-00000000.js", "/console/favicon.xyz", "/console/index.html"] {
        let response = get(&console(""), uri).await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{uri}");
        assert!(!header(&response, "content-security-policy").is_empty());
    }
}
