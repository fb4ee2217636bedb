//! The real binary with an identity provider on loopback that signs with a key of its own.

use std::time::SystemTime;

use axum::routing::get;
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

use crate::harness::{Database, Output, Server, bare_command, on_both_databases};

on_both_databases!(a_token_of_the_provider_is_a_caller,);

/// An identity provider, and the key that it signs with.
struct Issuer {
    address: String,
    key: Ed25519KeyPair,
}

impl Issuer {
    async fn start() -> Self {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        let key = Ed25519KeyPair::from_pkcs8(made.as_ref()).expect("a key");
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("loopback can be bound");
        let address = format!("http://{}", listener.local_addr().expect("bound"));
        let description = json!({"issuer": address, "jwks_uri": format!("{address}/keys")});
        let x = URL_SAFE_NO_PAD.encode(key.public_key().as_ref());
        let keys = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "1", "use": "sig", "x": x}]});
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(move || async move { Json(description) }))
            .route("/keys", get(move || async move { Json(keys) }));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, key }
    }

    #[expect(clippy::disallowed_methods, reason = "the server reads the same clock")]
    fn token(&self, change: &Value) -> String {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs();
        let mut claims = json!({
            "iss": self.address, "aud": "trunkline", "sub": "u-1", "exp": now + 3_600,
            "groups": ["acme-ops"], "email": "ann@acme.example",
        });
        for (name, value) in change.as_object().expect("changes") {
            claims[name] = value.clone();
        }
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&json!({"alg": "EdDSA", "kid": "1"})), part(&claims));
        let signature = URL_SAFE_NO_PAD.encode(self.key.sign(signed.as_bytes()));
        format!("{signed}.{signature}")
    }
}

async fn a_token_of_the_provider_is_a_caller(database: Database) {
    let issuer = Issuer::start().await;
    let settings = [
        ("TRUNKLINE_OIDC__ISSUER", issuer.address.as_str()),
        ("TRUNKLINE_OIDC__AUDIENCE", "trunkline"),
        ("TRUNKLINE_OIDC__ROLES", "platform=admin@*,acme-ops=operator@acme"),
    ];
    let server = Server::start_with(&database, &settings).await;
    let with = |token: &str| server.client().with_key(Some(token));
    let ann = issuer.token(&json!({}));
    let me = with(&ann).get("/v1/me").await;
    assert_eq!(
        (&me["role"], &me["tenant"], &me["person"]),
        (&json!("operator"), &json!("acme"), &json!("ann@acme.example"))
    );
    with(&ann).post("/v1/jobs", &json!({"jobType": "mail", "data": 1})).await;
    let jobs = with(&ann).all("/v1/jobs").await;
    assert_eq!((jobs.len(), &jobs[0]["tenant"]), (1, &json!("acme")));
    let other = issuer.token(&json!({"groups": ["platform"]}));
    assert_eq!(with(&other).get("/v1/me").await["role"], "admin");
    for (change, status) in [
        (json!({"aud": "somebody else"}), 401),
        (json!({"exp": 1_000}), 401),
        (json!({"groups": ["strangers"]}), 403),
    ] {
        assert_eq!(with(&issuer.token(&change)).try_get("/v1/jobs").await.status, status, "{change}");
    }
    let forged = Issuer::start().await.token(&json!({"iss": issuer.address}));
    assert_eq!(with(&forged).try_get("/v1/jobs").await.status, 401);
    // The command line shows a token as it shows a key.
    let mut command = bare_command();
    command.args(["job", "list"]).current_dir(server.directory());
    command.env("TRUNKLINE_URL", server.url()).env("TRUNKLINE_API_KEY", &ann);
    Output::of(&mut command).prints(&["mail"]);
    assert!(!server.log().contains(&ann), "tokens are not logged");
}
