//! Callers whom an identity provider vouches for: bearer tokens, and browsers that sign in.

use std::sync::Arc;

use api::{ApiOptions, SessionCookie, SignInOptions, router};
use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::http::Request;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::access::{IdentityRules, RoleRule};
use domain::time::DurationMs;
use engine::{IdentityFault, IdentityPolicy, IdentityProvider, Outside, SignInRequest};
use serde_json::{Map, Value, json};
use testkit::EngineHarness;

use crate::harness::{Answer, Harness, bare, send};

/// A provider whose signature is the word `signed`, and whose code is the token that it stands for.
struct Word;

#[async_trait]
impl IdentityProvider for Word {
    async fn claims(&self, token: &str) -> Result<Map<String, Value>, IdentityFault> {
        let parts: Vec<&str> = token.split('.').collect();
        match parts[2] {
            "signed" => {
                let payload = URL_SAFE_NO_PAD.decode(parts[1]).expect("base64");
                Ok(serde_json::from_slice(&payload).expect("claims"))
            }
            "away" => Err(IdentityFault::Unavailable("away".to_owned())),
            _ => Err(IdentityFault::Refused("not signed")),
        }
    }

    async fn sign_in_url(&self, request: &SignInRequest<'_>) -> Result<String, IdentityFault> {
        let SignInRequest { state, nonce, challenge, redirect_url } = request;
        Ok(format!(
            "https://id.example/?state={state}&nonce={nonce}&challenge={challenge}&back={redirect_url}"
        ))
    }

    async fn redeem(&self, code: &str, verifier: &str, _: &str) -> Result<String, IdentityFault> {
        if verifier.len() < 43 || code == "used" {
            return Err(IdentityFault::Refused("not ours"));
        }
        Ok(code.to_owned())
    }
}

fn policy() -> IdentityPolicy {
    let roles = ["platform=admin@*", "ops=operator", "people=client@acme"];
    IdentityPolicy {
        provider: Arc::new(Word),
        issuer: "https://id.example".to_owned(),
        audiences: vec!["trunkline".to_owned()],
        client_id: Some("console".to_owned()),
        rules: IdentityRules {
            groups_claim: "groups".to_owned(),
            tenant_claim: "org".to_owned(),
            person_claim: "email".to_owned(),
            roles: roles.iter().filter_map(|rule| RoleRule::parse(rule)).collect(),
        },
        session_ttl: DurationMs::from_secs(3_600),
    }
}

struct World {
    node: EngineHarness,
    router: Router,
    harness: Harness,
}

impl World {
    async fn start() -> Self {
        Self::with(policy()).await
    }

    async fn with(policy: IdentityPolicy) -> Self {
        let harness = Harness::start().await;
        let node =
            harness.engine.node_with_outside(2, Outside { identity: Some(policy), ..Outside::default() });
        let router = router(node.engine.clone(), options());
        Self { node, router, harness }
    }

    fn claims(&self, change: &Value) -> Value {
        let mut claims = json!({
            "iss": "https://id.example", "aud": "trunkline", "sub": "u-1",
            "exp": self.node.engine.now().0 / 1_000 + 600, "groups": ["ops"], "org": "acme",
        });
        for (name, value) in change.as_object().expect("changes") {
            claims[name] = value.clone();
        }
        claims
    }

    fn token(&self, change: &Value) -> String {
        token(&self.claims(change))
    }

    async fn get(&self, uri: &str, token: &str) -> Answer {
        let request = Request::builder().uri(uri).header("authorization", format!("Bearer {token}"));
        send(&self.router, request.body(Body::empty()).expect("a request")).await
    }

    async fn get_with_cookie(&self, uri: &str, cookie: &str) -> Answer {
        let request = Request::builder().uri(uri).header("cookie", cookie);
        send(&self.router, request.body(Body::empty()).expect("a request")).await
    }

    /// Begins a sign-in; answers the cookie, the state and the nonce.
    async fn begin(&self, to: &str) -> (String, String, String) {
        let answer = send(&self.router, bare("GET", &format!("/auth/oidc/login?to={to}"))).await.expect(303);
        let cookie = cookie_of(&answer, "trunkline_sign_in");
        let location = answer.header("location").expect("an address");
        let of = |name: &str| {
            let start = location.find(&format!("{name}=")).expect("a parameter") + name.len() + 1;
            location[start..].split('&').next().unwrap_or_default().to_owned()
        };
        assert_eq!(of("back"), "https://ops.example/t/auth/oidc/callback");
        (cookie, of("state"), of("nonce"))
    }
}

fn options() -> ApiOptions {
    ApiOptions {
        session_cookie: SessionCookie { path: "/t/".to_owned(), is_secure: true },
        sign_in: Some(SignInOptions { public_url: "https://ops.example/t".to_owned() }),
        ..ApiOptions::default()
    }
}

fn token(claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}.signed", part(&json!({"alg": "EdDSA"})), part(claims))
}

/// The pair of a cookie that an answer sets.
fn cookie_of(answer: &Answer, name: &str) -> String {
    let lines = answer.headers.get_all("set-cookie").iter().filter_map(|line| line.to_str().ok());
    let line =
        lines.into_iter().find(|line| line.starts_with(&format!("{name}="))).expect("the cookie is set");
    line.split(';').next().expect("a pair").to_owned()
}

#[tokio::test]
async fn a_token_has_the_role_and_the_tenant_of_its_claims() {
    let world = World::start().await;
    let me = world.get("/v1/me", &world.token(&json!({"email": "ann@acme.example"}))).await.expect(200);
    assert_eq!((me.str("role"), me.str("tenant"), me.str("actor")), ("operator", "acme", "oidc:u-1"));
    assert_eq!(
        (me.str("person"), &me.body["groups"], &me.body["key"]),
        ("ann@acme.example", &json!(["ops"]), &Value::Null)
    );
    let me = world.get("/v1/me", &world.token(&json!({"groups": ["people", "platform"]}))).await.expect(200);
    assert_eq!((me.str("role"), &me.body["tenant"]), ("admin", &Value::Null));
    world.get("/v1/jobs", &world.token(&json!({}))).await.expect(200);
    world.get("/v1/api-keys", &world.token(&json!({}))).await.problem(403, "forbidden");
}

/// As with keys: whoever only looks sees no payloads, unless the rule says so.
#[tokio::test]
async fn viewers_of_a_provider_see_no_payloads_unless_their_rule_says_so() {
    let mut policy = policy();
    let roles = ["lookers=viewer@acme", "readers=viewer+payloads@acme", "ops=operator@acme"];
    policy.rules.roles = roles.iter().filter_map(|rule| RoleRule::parse(rule)).collect();
    let world = World::with(policy).await;
    let harness = &world.harness;
    let job = json!({"jobType": "mail", "tenant": "acme", "data": {"to": "ann"}});
    let made = harness.admin().post("/v1/jobs", &job).await.expect(202);
    let path = format!("/v1/jobs/{}", made.str("id"));
    for (group, expected) in
        [("lookers", Value::Null), ("readers", json!({"to": "ann"})), ("ops", json!({"to": "ann"}))]
    {
        let token = world.token(&json!({"groups": [group]}));
        assert_eq!(world.get(&path, &token).await.expect(200).body["data"], expected, "{group}");
        let me = world.get("/v1/me", &token).await.expect(200);
        assert_eq!(me.body["payloads"], json!(!expected.is_null()), "{group}");
    }
}

#[tokio::test]
async fn other_tokens_let_nobody_in() {
    let world = World::start().await;
    for change in [
        json!({"iss": "https://other.example"}),
        json!({"aud": "somebody"}),
        json!({"exp": 1}),
        json!({"exp": "never"}),
        json!({"nbf": 32_503_680_000_u64}),
        json!({"sub": ""}),
    ] {
        world.get("/v1/jobs", &world.token(&change)).await.problem(401, "unauthenticated");
    }
    let forged = world.token(&json!({})).replace(".signed", ".forged");
    world.get("/v1/jobs", &forged).await.problem(401, "unauthenticated");
    let away = world.token(&json!({})).replace(".signed", ".away");
    world.get("/v1/jobs", &away).await.problem(503, "unavailable");
    let long = world.token(&json!({"pad": "x".repeat(20_000)}));
    world.get("/v1/jobs", &long).await.problem(401, "unauthenticated");
    for change in [json!({"groups": []}), json!({"groups": ["else"]}), json!({"org": "no tenant!"})] {
        world.get("/v1/jobs", &world.token(&change)).await.problem(403, "forbidden");
    }
    let session = Request::builder().method("POST").uri("/v1/session");
    let session = session.header("authorization", format!("Bearer {}", world.token(&json!({}))));
    send(&world.router, session.body(Body::empty()).expect("a request"))
        .await
        .problem(401, "unauthenticated");
}

#[tokio::test]
async fn tokens_mean_nothing_where_no_provider_is_configured() {
    let world = World::start().await;
    let plain = Harness::start().await;
    plain.client_of(&world.token(&json!({}))).get("/v1/jobs").await.problem(401, "unauthenticated");
    send(&plain.router, bare("GET", "/auth/oidc/login")).await.problem(404, "not_found");
    send(&plain.router, bare("GET", "/auth/oidc/callback?code=a&state=b")).await.problem(404, "not_found");
}

#[tokio::test]
async fn a_browser_signs_in_and_has_a_session() {
    let world = World::start().await;
    let (cookie, state, nonce) = world.begin("jobs%3Ftag=x").await;
    let code = world.token(&json!({"aud": "console", "nonce": nonce, "email": "ann@acme.example"}));
    let back = format!("/auth/oidc/callback?code={code}&state={state}&iss=https://id.example");
    let answer = world.get_with_cookie(&back, &cookie).await.expect(303);
    assert_eq!(answer.header("location"), Some("/t/console/jobs?tag=x"));
    let lines: Vec<&str> =
        answer.headers.get_all("set-cookie").iter().filter_map(|line| line.to_str().ok()).collect();
    let session = lines.iter().find(|line| line.starts_with("trunkline_session=")).expect("a session");
    for part in ["Path=/t/;", "HttpOnly", "SameSite=Strict", "Secure", "Max-Age=3600"] {
        assert!(session.contains(part), "{session}");
    }
    let cleared = lines.iter().find(|line| line.starts_with("trunkline_sign_in=;")).expect("it is over");
    for part in ["Path=/t/auth/oidc/;", "HttpOnly", "SameSite=Lax", "Secure", "Max-Age=0"] {
        assert!(cleared.contains(part), "{cleared}");
    }
    let session = cookie_of(&answer, "trunkline_session");
    assert!(!session.contains("ann") && !session.contains(&code));
    let me = world.get_with_cookie("/v1/me", &session).await.expect(200);
    assert_eq!(
        (me.str("role"), me.str("tenant"), me.str("person")),
        ("operator", "acme", "ann@acme.example")
    );
    let token = world.get_with_cookie("/v1/session", &session).await.expect(200).str("csrfToken").to_owned();
    let change = |csrf: Option<&str>| {
        let mut request =
            Request::builder().method("POST").uri("/v1/workflows/none/pause").header("cookie", &session);
        if let Some(csrf) = csrf {
            request = request.header("x-csrf-token", csrf);
        }
        request.body(Body::empty()).expect("a request")
    };
    send(&world.router, change(None)).await.problem(403, "csrf_token_invalid");
    send(&world.router, change(Some(&token))).await.problem(404, "not_found");
    world.node.clock.advance(DurationMs::from_secs(3_600));
    world.get_with_cookie("/v1/me", &session).await.problem(401, "unauthenticated");
}

#[tokio::test]
async fn a_session_follows_the_rules_of_the_settings() {
    let world = World::start().await;
    let (cookie, state, nonce) = world.begin("").await;
    let code = world.token(&json!({"aud": "console", "nonce": nonce, "groups": ["people"]}));
    let answer =
        world.get_with_cookie(&format!("/auth/oidc/callback?code={code}&state={state}"), &cookie).await;
    let session = cookie_of(&answer.expect(303), "trunkline_session");
    let as_seen_with = |change: fn(&mut IdentityPolicy)| {
        let mut policy = policy();
        change(&mut policy);
        let node = world.node.node_with_outside(3, Outside { identity: Some(policy), ..Outside::default() });
        let router = router(node.engine.clone(), options());
        let request = Request::builder().uri("/v1/me").header("cookie", &session);
        async move { send(&router, request.body(Body::empty()).expect("a request")).await }
    };
    assert_eq!(as_seen_with(|_| ()).await.expect(200).str("role"), "client");
    let lower =
        as_seen_with(|policy| policy.rules.roles = RoleRule::parse("people=viewer@*").into_iter().collect());
    assert_eq!(lower.await.expect(200).str("role"), "viewer");
    as_seen_with(|policy| policy.rules.roles.clear()).await.problem(401, "unauthenticated");
    as_seen_with(|policy| policy.issuer.push('x')).await.problem(401, "unauthenticated");
}

#[tokio::test]
async fn only_the_browser_that_began_can_finish() {
    let world = World::start().await;
    let (cookie, state, nonce) = world.begin("//evil.example").await;
    let (other_cookie, other_state, _) = world.begin("jobs").await;
    let good = world.token(&json!({"aud": "console", "nonce": nonce}));
    let refused = |code: &str, state: &str, cookie: &str, word: &'static str| {
        let uri = format!("/auth/oidc/callback?code={code}&state={state}");
        let (world, cookie) = (&world, cookie.to_owned());
        async move {
            let answer = world.get_with_cookie(&uri, &cookie).await.expect(303);
            assert_eq!(answer.header("location"), Some(format!("/t/console/?signIn={word}").as_str()));
            let lines = answer.headers.get_all("set-cookie").iter().filter_map(|line| line.to_str().ok());
            assert_eq!(lines.filter(|line| line.starts_with("trunkline_session")).count(), 0);
        }
    };
    refused(&good, &other_state, &cookie, "expired").await;
    refused(&good, &state, &other_cookie, "expired").await;
    refused(&good, &state, "trunkline_sign_in=AAAA", "expired").await;
    refused(&good, &state, "other=1", "expired").await;
    refused("used", &state, &cookie, "refused").await;
    refused(&world.token(&json!({"aud": "console", "nonce": "another"})), &state, &cookie, "refused").await;
    refused(&world.token(&json!({"nonce": nonce})), &state, &cookie, "refused").await;
    let stranger = world.token(&json!({"aud": "console", "nonce": nonce, "groups": ["else"]}));
    refused(&stranger, &state, &cookie, "no_role").await;
    let denied = format!("/auth/oidc/callback?error=access_denied&state={state}");
    let answer = world.get_with_cookie(&denied, &cookie).await.expect(303);
    assert_eq!(answer.header("location"), Some("/t/console/?signIn=refused"));
    // A session is no sign-in, and nobody is sent to another host.
    let uri = format!("/auth/oidc/callback?code={good}&state={state}");
    let answer = world.get_with_cookie(&uri, &cookie).await.expect(303);
    assert_eq!(answer.header("location"), Some("/t/console/"));
    let session = cookie_of(&answer, "trunkline_session").replace("trunkline_session", "trunkline_sign_in");
    refused(&good, &state, &session, "expired").await;
    world.node.clock.advance(DurationMs::from_secs(600));
    refused(&good, &state, &cookie, "expired").await;
}
