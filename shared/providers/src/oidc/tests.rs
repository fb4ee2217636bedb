//! Against an identity provider on loopback that signs with keys of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::extract::{RawForm, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use engine::{IdentityFault, IdentityProvider, SecretText, SignInRequest};
use parking_lot::Mutex;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
    RsaPublicKeyComponents,
};
use serde_json::{Value, json};

use super::{OidcOptions, OidcProvider};

/// A key that was made for these tests and signs nothing else.
const RSA_KEY: &str = include_str!("test_rsa_key.b64");

/// Who signs.
enum Signer {
    Ed(Ed25519KeyPair),
    Ec(Box<EcdsaKeyPair>),
    Rsa(Box<RsaKeyPair>),
}

impl Signer {
    fn ed() -> Self {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
        Self::Ed(Ed25519KeyPair::from_pkcs8(made.as_ref()).expect("a key"))
    }

    fn ec() -> Self {
        let random = SystemRandom::new();
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, made.as_ref(), &random);
        Self::Ec(Box::new(key.expect("a key")))
    }

    fn rsa() -> Self {
        let der = STANDARD.decode(RSA_KEY.replace('\n', "")).expect("base64");
        Self::Rsa(Box::new(RsaKeyPair::from_pkcs8(&der).expect("a key")))
    }

    fn alg(&self) -> &'static str {
        match self {
            Self::Ed(_) => "EdDSA",
            Self::Ec(_) => "ES256",
            Self::Rsa(_) => "RS256",
        }
    }

    fn jwk(&self, kid: &str) -> Value {
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        match self {
            Self::Ed(key) => {
                json!({"kty": "OKP", "crv": "Ed25519", "kid": kid, "x": text(key.public_key().as_ref())})
            }
            Self::Ec(key) => {
                let point = key.public_key().as_ref();
                json!({"kty": "EC", "crv": "P-256", "kid": kid, "x": text(&point[1..33]), "y": text(&point[33..])})
            }
            Self::Rsa(key) => {
                let RsaPublicKeyComponents { n, e } = RsaPublicKeyComponents::<Vec<u8>>::from(key.public());
                json!({"kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid, "n": text(&n), "e": text(&e)})
            }
        }
    }

    fn token(&self, header: &Value, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(header), part(claims));
        let random = SystemRandom::new();
        let signature = match self {
            Self::Ed(key) => key.sign(signed.as_bytes()).as_ref().to_vec(),
            Self::Ec(key) => key.sign(&random, signed.as_bytes()).expect("signed").as_ref().to_vec(),
            Self::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, signed.as_bytes(), &mut signature).expect("signed");
                signature
            }
        };
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    fn signed(&self, kid: &str) -> String {
        self.token(&json!({"alg": self.alg(), "kid": kid}), &json!({"sub": "ann"}))
    }
}

/// A provider of the tests.
struct Issuer {
    address: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// The answer to a question for the description; the right one where there is none.
    description: Mutex<Option<(StatusCode, String)>>,
    address: Mutex<String>,
    keys: Mutex<Vec<Value>>,
    key_reads: AtomicUsize,
    /// Bodies and `Authorization` of redeemed codes.
    redeemed: Mutex<Vec<(String, Option<String>)>>,
}

async fn describe(State(shared): State<Arc<Shared>>) -> (StatusCode, String) {
    if let Some(answer) = shared.description.lock().clone() {
        return answer;
    }
    let address = shared.address.lock().clone();
    let description = json!({
        "issuer": address,
        "jwks_uri": format!("{address}/keys"),
        "authorization_endpoint": format!("{address}/authorize?kept=1"),
        "token_endpoint": format!("{address}/token"),
    });
    (StatusCode::OK, description.to_string())
}

async fn list_keys(State(shared): State<Arc<Shared>>) -> Json<Value> {
    shared.key_reads.fetch_add(1, Ordering::SeqCst);
    Json(json!({"keys": *shared.keys.lock()}))
}

async fn redeem(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    RawForm(form): RawForm,
) -> (StatusCode, Json<Value>) {
    let form = String::from_utf8_lossy(&form).into_owned();
    let authorization = headers.get("authorization").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let is_known = form.contains("code=good");
    shared.redeemed.lock().push((form, authorization));
    if is_known {
        (StatusCode::OK, Json(json!({"access_token": "x", "id_token": "a.b.c"})))
    } else {
        (StatusCode::BAD_REQUEST, Json(json!({"error": "invalid_grant"})))
    }
}

impl Issuer {
    async fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("loopback can be bound");
        let address = format!("http://{}", listener.local_addr().expect("bound"));
        shared.address.lock().clone_from(&address);
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(describe))
            .route("/keys", get(list_keys))
            .route("/token", post(redeem))
            .with_state(Arc::clone(&shared));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, shared }
    }

    fn provider(&self, read_interval: Duration) -> OidcProvider {
        OidcProvider::new(self.options(read_interval)).expect("usable settings")
    }

    fn options(&self, read_interval: Duration) -> OidcOptions {
        OidcOptions {
            issuer: self.address.clone(),
            hosts: Vec::new(),
            authorities: None,
            client_id: Some("console".to_owned()),
            client_secret: None,
            scopes: vec!["openid".to_owned(), "email".to_owned()],
            read_interval: Some(read_interval),
        }
    }

    fn key_reads(&self) -> usize {
        self.shared.key_reads.load(Ordering::SeqCst)
    }
}

const ALWAYS: Duration = Duration::ZERO;
const NEVER: Duration = Duration::from_hours(1);

#[tokio::test]
async fn tokens_of_all_three_kinds_are_read() {
    let issuer = Issuer::start().await;
    let signers = [Signer::ed(), Signer::ec(), Signer::rsa()];
    *issuer.shared.keys.lock() = signers.iter().map(|signer| signer.jwk(signer.alg())).collect();
    let provider = issuer.provider(NEVER);
    for signer in &signers {
        let token = signer.signed(signer.alg());
        let claims = provider.claims(&token).await.expect("it is signed");
        assert_eq!(claims["sub"], "ann");
        let (signed, signature) = token.rsplit_once('.').expect("a signature");
        let (header, _) = signed.split_once('.').expect("a header");
        let other = URL_SAFE_NO_PAD.encode(json!({"sub": "bob"}).to_string());
        for forged in [
            format!("{header}.{other}.{signature}"),
            format!("{signed}."),
            format!("{signed}.{}", &signature[..signature.len() - 4]),
            format!("{}.{other}.", URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#)),
        ] {
            assert!(matches!(provider.claims(&forged).await, Err(IdentityFault::Refused(_))), "{forged}");
        }
    }
    assert_eq!(issuer.key_reads(), 1);
}

#[tokio::test]
async fn a_key_of_one_kind_signs_nothing_of_another() {
    let issuer = Issuer::start().await;
    let (ed, rsa) = (Signer::ed(), Signer::rsa());
    *issuer.shared.keys.lock() = vec![rsa.jwk("1"), ed.jwk("2")];
    let provider = issuer.provider(NEVER);
    let claims = json!({"sub": "ann"});
    // The name of one key with the algorithm of another, and the public key as a shared secret.
    for token in [
        ed.token(&json!({"alg": "EdDSA", "kid": "1"}), &claims),
        rsa.token(&json!({"alg": "RS256", "kid": "2"}), &claims),
        rsa.token(&json!({"alg": "HS256", "kid": "1"}), &claims),
        ed.token(&json!({"alg": "EdDSA", "kid": "2", "crit": ["b64"], "b64": false}), &claims),
        Signer::ed().signed("2"),
    ] {
        assert!(matches!(provider.claims(&token).await, Err(IdentityFault::Refused(_))));
    }
    assert!(provider.claims(&ed.token(&json!({"alg": "EdDSA"}), &claims)).await.is_ok(), "the only one");
}

#[tokio::test]
async fn new_keys_are_found_and_strangers_do_not_make_us_ask() {
    let issuer = Issuer::start().await;
    let (old, new) = (Signer::ed(), Signer::ed());
    *issuer.shared.keys.lock() = vec![old.jwk("old")];
    let provider = issuer.provider(ALWAYS);
    assert!(provider.claims(&old.signed("old")).await.is_ok());
    *issuer.shared.keys.lock() = vec![old.jwk("old"), new.jwk("new")];
    assert!(provider.claims(&new.signed("new")).await.is_ok(), "the provider has rotated its keys");
    assert_eq!(issuer.key_reads(), 2);

    let seldom = issuer.provider(NEVER);
    assert!(seldom.claims(&new.signed("new")).await.is_ok());
    for _ in 0..50 {
        assert!(matches!(seldom.claims(&new.signed("unknown")).await, Err(IdentityFault::Refused(_))));
    }
    assert_eq!(issuer.key_reads(), 3, "asked once however many come");
}

#[tokio::test]
async fn what_is_known_counts_while_the_provider_is_away() {
    let issuer = Issuer::start().await;
    let signer = Signer::ec();
    *issuer.shared.keys.lock() = vec![signer.jwk("1")];
    let provider = issuer.provider(ALWAYS);
    let away = (StatusCode::SERVICE_UNAVAILABLE, String::new());
    *issuer.shared.description.lock() = Some(away.clone());
    assert!(matches!(provider.claims(&signer.signed("1")).await, Err(IdentityFault::Unavailable(_))));
    *issuer.shared.description.lock() = None;
    assert!(provider.claims(&signer.signed("1")).await.is_ok(), "it is back");
    *issuer.shared.description.lock() = Some(away);
    assert!(provider.claims(&signer.signed("1")).await.is_ok(), "its keys are known");
    assert!(matches!(provider.claims(&signer.signed("2")).await, Err(IdentityFault::Refused(_))));
}

#[tokio::test]
async fn a_description_that_leads_elsewhere_is_of_no_use() {
    let issuer = Issuer::start().await;
    let signer = Signer::ed();
    *issuer.shared.keys.lock() = vec![signer.jwk("1")];
    let at = issuer.address.clone();
    let keys = format!("{at}/keys");
    for description in [
        json!({"issuer": format!("{at}/"), "jwks_uri": keys}).to_string(),
        json!({"issuer": at, "jwks_uri": "https://evil.example/keys"}).to_string(),
        json!({"issuer": at, "jwks_uri": "http://169.254.169.254/keys"}).to_string(),
        json!({"issuer": at, "jwks_uri": keys, "token_endpoint": "https://evil.example/"}).to_string(),
        json!({"issuer": at}).to_string(),
        "not JSON".to_owned(),
        format!("{{\"pad\": \"{}\"}}", "x".repeat(300 * 1024)),
    ] {
        *issuer.shared.description.lock() = Some((StatusCode::OK, description.clone()));
        let provider = issuer.provider(ALWAYS);
        let fault = provider.claims(&signer.signed("1")).await;
        assert!(
            matches!(fault, Err(IdentityFault::Unavailable(_))),
            "{}",
            &description[..40.min(description.len())]
        );
    }
    *issuer.shared.description.lock() = Some((StatusCode::FOUND, String::new()));
    let provider = issuer.provider(ALWAYS);
    assert!(matches!(provider.claims(&signer.signed("1")).await, Err(IdentityFault::Unavailable(_))));
}

#[tokio::test]
async fn sign_in_uses_the_code_flow_with_pkce() {
    let issuer = Issuer::start().await;
    let provider = issuer.provider(NEVER);
    let request = SignInRequest {
        state: "s&1",
        nonce: "n1",
        challenge: "c1",
        redirect_url: "https://ops.example/t/auth/oidc/callback",
    };
    let url = provider.sign_in_url(&request).await.expect("an address");
    let (at, query) = url.split_once('?').expect("a query");
    assert_eq!(at, format!("{}/authorize", issuer.address));
    let pairs: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    for (name, value) in [
        ("kept", "1"),
        ("response_type", "code"),
        ("client_id", "console"),
        ("redirect_uri", request.redirect_url),
        ("scope", "openid email"),
        ("state", "s&1"),
        ("nonce", "n1"),
        ("code_challenge", "c1"),
        ("code_challenge_method", "S256"),
    ] {
        assert!(pairs.contains(&(name.to_owned(), value.to_owned())), "{name} in {query}");
    }
    assert_eq!(provider.redeem("good", "v1", request.redirect_url).await.expect("redeemed"), "a.b.c");
    assert!(matches!(
        provider.redeem("bad", "v1", request.redirect_url).await,
        Err(IdentityFault::Refused(_))
    ));
    let redeemed = issuer.shared.redeemed.lock().clone();
    for part in ["grant_type=authorization_code", "code=good", "code_verifier=v1", "client_id=console"] {
        assert!(redeemed[0].0.contains(part), "{part}");
    }
    assert_eq!(redeemed[0].1, None);

    let secret = Some(SecretText::new("s:e c"));
    let options = OidcOptions { client_secret: secret, ..issuer.options(NEVER) };
    let provider = OidcProvider::new(options).expect("usable settings");
    provider.redeem("good", "v1", request.redirect_url).await.expect("redeemed");
    let (form, authorization) = issuer.shared.redeemed.lock().last().cloned().expect("redeemed");
    let expected = format!("Basic {}", STANDARD.encode("console:s%3Ae+c"));
    assert_eq!(authorization.as_deref(), Some(expected.as_str()));
    assert!(!form.contains("secret") && !form.contains("client_id"));
}
