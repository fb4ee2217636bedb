//! Sessions of the console: cookies that stand for API keys.

use api::{ApiOptions, EnvironmentOptions};
use axum::body::Body;
use axum::http::Request;
use domain::access::Role;
use domain::time::DurationMs;
use serde_json::json;

use crate::harness::{Answer, Harness, bare, send};

/// Signs in; answers the cookie and the token.
async fn sign_in(harness: &Harness, role: Role, tenant: Option<&str>) -> (String, String) {
    let client = harness.client(role, tenant).await;
    let answer = client.act("/v1/session").await.expect(201);
    let cookie = answer.header("set-cookie").expect("a cookie").to_owned();
    for part in ["Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=43200"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let cookie = cookie.split(';').next().expect("a pair").to_owned();
    (cookie, answer.str("csrfToken").to_owned())
}

async fn with_cookie(
    harness: &Harness,
    method: &str,
    uri: &str,
    cookie: &str,
    token: Option<&str>,
) -> Answer {
    let mut request = Request::builder().method(method).uri(uri).header("cookie", cookie);
    if let Some(token) = token {
        request = request.header("x-csrf-token", token);
    }
    send(&harness.router, request.body(Body::empty()).expect("a request")).await
}

#[tokio::test]
async fn a_session_has_the_role_and_the_tenant_of_its_key() {
    let harness = Harness::start().await;
    let (cookie, token) = sign_in(&harness, Role::Viewer, Some("acme")).await;
    let me = with_cookie(&harness, "GET", "/v1/session", &cookie, None).await.expect(200);
    assert_eq!((me.str("role"), me.str("tenant"), me.str("csrfToken")), ("viewer", "acme", token.as_str()));
    assert_eq!(me.header("cache-control"), Some("no-store"));
    with_cookie(&harness, "GET", "/v1/jobs", &cookie, None).await.expect(200);
    let pause = "/v1/queues/workflow-node/pause";
    with_cookie(&harness, "POST", pause, &cookie, Some(&token)).await.problem(403, "forbidden");
}

#[tokio::test]
async fn what_changes_something_needs_the_token() {
    let harness = Harness::start().await;
    let (cookie, token) = sign_in(&harness, Role::Admin, None).await;
    let (_, other) = sign_in(&harness, Role::Admin, None).await;
    let pause = "/v1/queues/workflow-node/pause";
    for wrong in [None, Some(""), Some(other.as_str())] {
        with_cookie(&harness, "POST", pause, &cookie, wrong).await.problem(403, "csrf_token_invalid");
    }
    with_cookie(&harness, "POST", pause, &cookie, Some(&token)).await.expect(200);
    let out = with_cookie(&harness, "DELETE", "/v1/session", &cookie, Some(&token)).await.expect(204);
    assert!(out.header("set-cookie").is_some_and(|cookie| cookie.contains("Max-Age=0")));
}

#[tokio::test]
async fn sessions_of_a_read_only_console_change_nothing() {
    let environment = EnvironmentOptions { is_read_only: true, ..EnvironmentOptions::default() };
    let harness = Harness::with(ApiOptions { environment, ..ApiOptions::default() }).await;
    let (cookie, token) = sign_in(&harness, Role::Admin, None).await;
    let call = |method, uri| with_cookie(&harness, method, uri, &cookie, Some(&token));
    for (method, uri) in [
        ("POST", "/v1/queues/workflow-node/pause"),
        ("DELETE", "/v1/rates/k"),
        ("POST", "/v1/jobs/poll"),
        ("PUT", "/v1/limits"),
        ("POST", "/v1/api-keys"),
    ] {
        call(method, uri).await.problem(403, "forbidden");
    }
    for uri in ["/v1/audit", "/v1/api-keys", "/v1/jobs", "/v1/doctor"] {
        call("GET", uri).await.expect(200);
    }
    let me = call("GET", "/v1/me").await.expect(200);
    assert_eq!((me.str("role"), &me.body["server"]["readOnly"]), ("admin", &json!(true)));
    let can = me.body["can"].as_array().expect("a list");
    let has = |action: &str| can.contains(&json!(action));
    assert!(
        has("audit.read") && has("keys.read") && has("workflows.simulate") && has("views.write"),
        "{can:?}"
    );
    assert!(!has("queues.operate") && !has("jobs.cancel") && !has("keys.write"), "{can:?}");
    call("DELETE", "/v1/session").await.expect(204);
    harness.admin().act("/v1/queues/workflow-node/pause").await.expect(200);
    let me = harness.admin().get("/v1/me").await.expect(200);
    assert!(
        me.body["can"].as_array().expect("a list").contains(&json!("queues.operate")),
        "keys may as before"
    );
}

#[tokio::test]
async fn a_session_ends_with_its_key_and_with_its_time() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let made = admin.post("/v1/api-keys", &json!({"name": "k", "role": "admin"})).await.expect(201);
    let client = harness.client_of(made.str("key"));
    let answer = client.act("/v1/session").await.expect(201);
    let cookie =
        answer.header("set-cookie").and_then(|text| text.split(';').next()).expect("a pair").to_owned();
    with_cookie(&harness, "GET", "/v1/jobs", &cookie, None).await.expect(200);
    let key = format!("/v1/api-keys/{}", made.str("id"));
    admin.send(admin.request("DELETE", &key, "")).await.expect(204);
    with_cookie(&harness, "GET", "/v1/jobs", &cookie, None).await.problem(401, "unauthenticated");

    let (cookie, _) = sign_in(&harness, Role::Viewer, None).await;
    harness.engine.clock.advance(DurationMs::from_secs(12 * 60 * 60));
    with_cookie(&harness, "GET", "/v1/jobs", &cookie, None).await.problem(401, "unauthenticated");
}

#[tokio::test]
async fn nothing_else_opens_as_a_session() {
    let harness = Harness::start().await;
    for cookie in ["trunkline_session=", "trunkline_session=AAAA", "other=AAAA"] {
        with_cookie(&harness, "GET", "/v1/jobs", cookie, None).await.problem(401, "unauthenticated");
    }
    send(&harness.router, bare("POST", "/v1/session")).await.problem(401, "unauthenticated");
}

#[tokio::test]
async fn i11_a_session_shows_no_key() {
    let harness = Harness::start().await;
    let admin = harness.admin();
    let made = admin.post("/v1/api-keys", &json!({"name": "k", "role": "viewer"})).await.expect(201);
    let secret = made.str("key").to_owned();
    let answer = harness.client_of(&secret).act("/v1/session").await.expect(201);
    assert!(!answer.text.contains(&secret));
    assert!(!answer.header("set-cookie").expect("a cookie").contains(&secret));
}

#[tokio::test]
async fn a_set_up_code_is_exchanged_once_for_a_session_and_a_key() {
    let harness = Harness::start().await;
    let code = harness.engine.engine.set_up_code().await.expect("made").expect("sealed");
    let exchange = |code: String| {
        let request = Request::builder().method("POST").uri("/auth/set-up");
        let request = request.header("authorization", format!("Bearer {code}")).body(Body::empty());
        send(&harness.router, request.expect("a request"))
    };
    exchange("tl_wrong".to_owned()).await.problem(401, "unauthenticated");
    let made = exchange(code.reveal().to_owned()).await.expect(201);
    assert_eq!(made.header("cache-control"), Some("no-store"));
    let cookie = made.header("set-cookie").expect("a cookie").to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().expect("a pair");
    let me = with_cookie(&harness, "GET", "/v1/session", cookie, None).await.expect(200);
    assert_eq!(me.str("role"), "admin");
    assert!(made.str("key").starts_with("tl_"));
    exchange(code.reveal().to_owned()).await.problem(401, "unauthenticated");
}
