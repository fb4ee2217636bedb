//! Who is let in, how often, and for how long.

use std::sync::Arc;

use api::{ApiOptions, LiveRateLimit, RateLimit, TrustedProxies, router};
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode};
use domain::time::DurationMs;
use serde_json::json;
use store::Store;
use testkit::EngineHarness;

use crate::harness::{Client, Harness, bare, from_address, send};

#[tokio::test]
async fn a_key_is_needed() {
    let harness = Harness::start().await;
    let answer = send(&harness.router, bare("GET", "/v1/jobs")).await.problem(401, "unauthenticated");
    assert!(answer.header("www-authenticate").is_some_and(|value| value.starts_with("Bearer")));
    let local = from_address(bare("GET", "/v1/jobs"), "127.0.0.1:4000");
    send(&harness.router, local).await.problem(401, "unauthenticated");
    for header in ["Bearer tl_wrong", "Bearer", "Basic dXNlcjpwdw=="] {
        let mut request = bare("GET", "/v1/jobs");
        request.headers_mut().insert("authorization", header.parse().expect("a header"));
        send(&harness.router, request).await.problem(401, "unauthenticated");
    }
}

#[tokio::test]
async fn an_open_server_without_keys_lets_this_machine_in() {
    let store = testkit::database::sqlite_memory().await;
    let harness = EngineHarness::new(Arc::clone(&store.store) as Arc<dyn Store>);
    let closed = router(harness.engine.clone(), ApiOptions::default());
    let local = from_address(bare("GET", "/v1/api-keys"), "127.0.0.1:4000");
    send(&closed, local).await.problem(401, "unauthenticated");
    let router = router(harness.engine.clone(), ApiOptions { is_open: true, ..ApiOptions::default() });
    for address in ["127.0.0.1:4000", "[::1]:4000", "[::ffff:127.0.0.1]:4000"] {
        let answer = send(&router, from_address(bare("GET", "/v1/api-keys"), address)).await;
        assert_eq!(answer.status, StatusCode::OK, "{address}");
    }
    let far = from_address(bare("GET", "/v1/jobs"), "10.0.0.7:4000");
    send(&router, far).await.problem(401, "unauthenticated");
    send(&router, bare("GET", "/v1/jobs")).await.problem(401, "unauthenticated");
    let mut rebound = from_address(bare("POST", "/v1/queues/workflow-node/pause"), "127.0.0.1:4000");
    rebound.headers_mut().insert("host", "evil.example:8080".parse().expect("a header"));
    send(&router, rebound).await.problem(401, "unauthenticated");
    for header in ["x-forwarded-for", "x-real-ip", "forwarded"] {
        let mut proxied = from_address(bare("GET", "/v1/api-keys"), "127.0.0.1:4000");
        proxied.headers_mut().insert(header, "10.0.0.7".parse().expect("a header"));
        send(&router, proxied).await.problem(401, "unauthenticated");
    }
}

#[tokio::test]
async fn a_caller_over_its_rate_learns_when_to_retry() {
    let rate_limit =
        LiveRateLimit::new(Some(RateLimit { requests: 1, per: DurationMs::from_secs(60), burst: 2 }));
    let harness = Harness::with(ApiOptions { rate_limit, ..ApiOptions::default() }).await;
    let admin = harness.admin();
    admin.get("/v1/queues").await.expect(200);
    admin.get("/v1/queues").await.expect(200);
    let refused = admin.get("/v1/queues").await.problem(429, "rate_limited");
    let seconds: u64 = refused.header("retry-after").and_then(|text| text.parse().ok()).expect("a number");
    assert!((1..=60).contains(&seconds));
    let other = harness.client(domain::access::Role::Viewer, None).await;
    other.get("/v1/queues").await.expect(200);
}

#[tokio::test]
async fn the_addresses_of_a_subscriber_call_back_at_one_rate() {
    let rate_limit =
        LiveRateLimit::new(Some(RateLimit { requests: 1, per: DurationMs::from_secs(3_600), burst: 1 }));
    let harness = Harness::with(ApiOptions { rate_limit, ..ApiOptions::default() }).await;
    let call_from = async |address: &str| {
        let path = "/callbacks/exe_00000000000000000000000000000001/hook/00";
        send(&harness.router, from_address(bare("POST", path), address)).await
    };
    call_from("[2001:db8:1:2::1]:4000").await.problem(404, "not_found");
    call_from("[2001:db8:1:2:3::4]:4000").await.problem(429, "rate_limited");
    call_from("[2001:db8:1:3::1]:4000").await.problem(404, "not_found");
}

#[tokio::test]
async fn callers_behind_a_trusted_proxy_call_back_at_rates_of_their_own() {
    let rate_limit =
        LiveRateLimit::new(Some(RateLimit { requests: 1, per: DurationMs::from_secs(3_600), burst: 1 }));
    let trusted_proxies = TrustedProxies::parse(["10.0.0.0/8"]).expect("a network");
    let options = ApiOptions { rate_limit, trusted_proxies, ..ApiOptions::default() };
    let harness = Harness::with(options).await;
    let call_for = async |address: &'static str| {
        let path = "/callbacks/exe_00000000000000000000000000000001/hook/00";
        let mut request = from_address(bare("POST", path), "10.0.0.1:4000");
        request.headers_mut().insert("x-forwarded-for", HeaderValue::from_static(address));
        send(&harness.router, request).await
    };
    call_for("192.0.2.1").await.problem(404, "not_found");
    call_for("192.0.2.1").await.problem(429, "rate_limited");
    call_for("192.0.2.2").await.problem(404, "not_found");
}

#[tokio::test]
async fn an_address_that_guesses_keys_is_slowed_down() {
    let unknown_keys = Some(RateLimit { requests: 1, per: DurationMs::from_secs(3_600), burst: 2 });
    let harness = Harness::with(ApiOptions { unknown_keys, ..ApiOptions::default() }).await;
    let (admin, late) = (harness.admin(), harness.client(domain::access::Role::Viewer, None).await);
    let get = |client: &Client, address: &str| {
        let request = from_address(client.request("GET", "/v1/queues", Body::empty()), address);
        let router = harness.router.clone();
        async move { send(&router, request).await }
    };
    let (near, far) = ("192.0.2.1:4000", "192.0.2.2:4000");
    for guess in ["tl_guess", "tl_another"] {
        get(&harness.client_of(guess), near).await.problem(401, "unauthenticated");
    }
    let refused = get(&harness.client_of("tl_third"), near).await.problem(429, "rate_limited");
    assert!(refused.header("retry-after").is_some());
    get(&harness.client_of("tl_third"), far).await.problem(401, "unauthenticated");
    get(&admin, near).await.expect(200);
    get(&late, near).await.expect(200);
}

#[tokio::test]
async fn long_requests_end_in_time() {
    // A tenth of it is left for all but the wait, on a machine that is busy with others.
    let request_timeout = DurationMs::from_secs(10);
    let harness = Harness::with(ApiOptions { request_timeout, ..ApiOptions::default() }).await;
    let poll = json!({"workerId": "w", "jobTypes": ["none"], "wait": "20s"});
    let answer = harness.admin().post("/v1/jobs/poll", &poll).await.expect(200);
    assert_eq!(answer.body, json!({"jobs": []}), "a wait is cut before the time limit");
}
