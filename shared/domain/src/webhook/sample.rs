//! A small realistic delivery of each provider, to send to an endpoint that is being set up.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::Signer as _;
use p256::ecdsa::signature::hazmat::PrehashSigner;
use sha2::{Digest, Sha256};

use super::config::SchemeConfig;
use super::identity::event_type;
use super::key::{Algorithm, KeyForm, P256_DER_PREFIX, PUBLIC_KEY_PREFIX, SECRET_PREFIX};
use super::provider::Provider;
use super::request::RequestParts;
use super::scheme::{Scheme, TimestampSource, TimestampUnit};
use super::verify::{Message, Signing, mac, messages};
use crate::time::Timestamp;

/// A delivery before it is signed. It is a POST.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// What it is about, by the provider's own place for it; `None` for `hmac` and `none`.
    pub event_type: Option<String>,
    /// The headers, without those of the signature.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
}

struct Row {
    body: &'static str,
    headers: &'static [(&'static str, &'static str)],
}

const JSON: (&str, &str) = ("Content-Type", "application/json");
const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

/// A delivery of `provider` with this id, as it could be sent at `now`. Two ids make two deliveries that are not
/// duplicates of one another.
pub fn sample(provider: Provider, id: &str, now: Timestamp) -> Sample {
    let row = row(provider);
    let fill = |text: &str| {
        text.replace("{{id}}", id)
            .replace("{{now}}", &now.to_string())
            .replace("{{now_s}}", &now.0.div_euclid(1000).to_string())
            .replace("{{now_ms}}", &now.0.to_string())
    };
    let headers: Vec<(&'static str, String)> =
        row.headers.iter().map(|(name, value)| (*name, fill(value))).collect();
    let body = fill(row.body.trim_end()).into_bytes();
    let received: Vec<(&str, &[u8])> =
        headers.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
    let parts = RequestParts::new("POST", "/", &received, &body);
    let event_type = event_type(&SchemeConfig::preset(provider), &parts);
    Sample { event_type, headers, body }
}

fn row(provider: Provider) -> Row {
    match provider {
        Provider::GitHub => Row {
            body: include_str!("samples/github.json"),
            headers: &[
                JSON,
                ("X-GitHub-Event", "push"),
                ("X-GitHub-Delivery", "{{id}}"),
                ("User-Agent", "GitHub-Hookshot/sample"),
            ],
        },
        Provider::Stripe => Row { body: include_str!("samples/stripe.json"), headers: &[JSON] },
        Provider::Slack => Row { body: include_str!("samples/slack.json"), headers: &[JSON] },
        Provider::Shopify => Row {
            body: include_str!("samples/shopify.json"),
            headers: &[
                JSON,
                ("X-Shopify-Topic", "orders/create"),
                ("X-Shopify-Event-Id", "{{id}}"),
                ("X-Shopify-Shop-Domain", "sample.myshopify.com"),
            ],
        },
        Provider::Standard | Provider::Svix => {
            Row { body: include_str!("samples/standard.json"), headers: &[JSON] }
        }
        Provider::Twilio => Row {
            body: include_str!("samples/twilio.form"),
            headers: &[FORM, ("I-Twilio-Idempotency-Token", "{{id}}")],
        },
        Provider::Linear => Row {
            body: include_str!("samples/linear.json"),
            headers: &[JSON, ("Linear-Event", "Issue"), ("Linear-Delivery", "{{id}}")],
        },
        Provider::GitLab => Row {
            body: include_str!("samples/gitlab.json"),
            headers: &[JSON, ("X-Gitlab-Event", "Push Hook"), ("Idempotency-Key", "{{id}}")],
        },
        Provider::Square => Row { body: include_str!("samples/square.json"), headers: &[JSON] },
        Provider::Zoom => Row { body: include_str!("samples/zoom.json"), headers: &[JSON] },
        Provider::Discord => Row { body: include_str!("samples/discord.json"), headers: &[JSON] },
        Provider::PagerDuty => {
            Row { body: include_str!("samples/pagerduty.json"), headers: &[JSON, ("X-Webhook-Id", "{{id}}")] }
        }
        Provider::Paddle => Row { body: include_str!("samples/paddle.json"), headers: &[JSON] },
        Provider::Meta => Row { body: include_str!("samples/meta.json"), headers: &[JSON] },
        Provider::HubSpot => Row { body: include_str!("samples/hubspot.json"), headers: &[JSON] },
        Provider::SendGrid => Row { body: include_str!("samples/sendgrid.json"), headers: &[JSON] },
        Provider::Razorpay => Row {
            body: include_str!("samples/razorpay.json"),
            headers: &[JSON, ("X-Razorpay-Event-Id", "{{id}}")],
        },
        Provider::Hmac | Provider::None => Row { body: include_str!("samples/plain.json"), headers: &[JSON] },
    }
}

// The sender's side: the headers that make a request verify. For samples and tests.

/// What signs.
#[derive(Clone, Copy)]
pub enum Signer<'a> {
    /// A secret that both sides know.
    Secret(&'a str),
    /// A key pair whose public half the endpoint knows.
    Key(&'a TestKey),
}

/// Why nothing can be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignFault {
    /// The scheme signs the endpoint's URL, and the request has none.
    #[error("the scheme signs the URL, and the endpoint has no publicUrl")]
    PublicUrlMissing,
    /// No scheme of the provider takes such a secret.
    #[error("the provider does not accept this kind of secret")]
    SignerUnfit,
}

/// The headers that a sender adds to this request when it signs it at `now`, by the first of its schemes that the
/// signer fits. `id` is the delivery's, where the scheme signs one.
pub fn sign(
    config: &SchemeConfig,
    signer: Signer<'_>,
    id: &str,
    parts: &RequestParts<'_>,
    now: Timestamp,
) -> Result<Vec<(String, String)>, SignFault> {
    if config.provider() == Provider::None {
        return Ok(Vec::new());
    }
    let scheme = config.schemes().iter().find(|scheme| signer.fits(scheme)).ok_or(SignFault::SignerUnfit)?;
    let time = match scheme.timestamp_unit {
        TimestampUnit::Seconds => now.0.div_euclid(1000),
        TimestampUnit::Milliseconds => now.0,
    };
    sign_by(scheme, signer, id, &time.to_string(), parts)
}

/// Signs by this scheme, with the time as it is given.
pub(super) fn sign_by(
    scheme: &Scheme,
    signer: Signer<'_>,
    id: &str,
    time: &str,
    parts: &RequestParts<'_>,
) -> Result<Vec<(String, String)>, SignFault> {
    let signing = Signing { timestamp: time.as_bytes(), id };
    let messages = messages(scheme, parts, &signing).map_err(|_| SignFault::PublicUrlMissing)?;
    let message = messages.first().ok_or(SignFault::SignerUnfit)?;
    let signature = match signer {
        Signer::Key(key) => key.sign(message),
        Signer::Secret(text) if scheme.algorithm == Algorithm::Token => Some(text.as_bytes().to_vec()),
        Signer::Secret(text) => scheme.key.key(text).and_then(|key| mac(scheme.algorithm, &key, message)),
    };
    let signature = scheme.encoding.encode(&signature.ok_or(SignFault::SignerUnfit)?);
    let mut value = format!("{}{signature}", scheme.prefix);
    let mut headers = Vec::new();
    if let Some(name) = &scheme.id_header {
        headers.push((name.to_string(), id.to_owned()));
    }
    match &scheme.timestamp {
        TimestampSource::Header(name) => headers.push((name.to_string(), time.to_owned())),
        TimestampSource::Item(prefix) => {
            value = format!("{prefix}{time}{}{value}", scheme.list_separator.unwrap_or(','));
        }
        TimestampSource::Nowhere | TimestampSource::Body(_) => {}
    }
    headers.push((scheme.header.to_string(), value));
    Ok(headers)
}

impl Signer<'_> {
    /// Whether this signs by that scheme.
    pub(super) fn fits(&self, scheme: &Scheme) -> bool {
        match self {
            Self::Key(key) => key.algorithm() == scheme.algorithm,
            Self::Secret(_) if matches!(scheme.algorithm, Algorithm::Ed25519 | Algorithm::EcdsaP256) => false,
            // GitLab signs with a signing token, and sends any other as it is.
            Self::Secret(text) if scheme.key == KeyForm::PrefixedOrText => text.starts_with(SECRET_PREFIX),
            Self::Secret(text) => scheme.key.key(text).is_some(),
        }
    }
}

// Key pairs for samples of the providers that sign with a private key of their own.

/// A key pair that stands in for a provider's own. For samples and tests; prints its public half only.
pub struct TestKey {
    pair: Pair,
    public_text: String,
}

enum Pair {
    Ed25519(Box<ed25519_dalek::SigningKey>),
    P256(Box<p256::ecdsa::SigningKey>),
}

/// A key pair made of a seed, for the providers that have public keys: Discord, SendGrid, and Standard Webhooks and
/// Svix by `whpk_`. `None` for the others.
pub fn test_key(provider: Provider, seed: &[u8; 32]) -> Option<TestKey> {
    match provider {
        Provider::Discord | Provider::Standard | Provider::Svix => {
            let key = ed25519_dalek::SigningKey::from_bytes(seed);
            let public = key.verifying_key().to_bytes();
            let public_text = if provider == Provider::Discord {
                hex::encode(public)
            } else {
                format!("{PUBLIC_KEY_PREFIX}{}", STANDARD.encode(public))
            };
            Some(TestKey { pair: Pair::Ed25519(Box::new(key)), public_text })
        }
        Provider::SendGrid => {
            // Nearly every hash is a scalar of the curve; the next one is tried for those that are not.
            let mut scalars = std::iter::successors(Some(<[u8; 32]>::from(Sha256::digest(seed))), |last| {
                Some(Sha256::digest(last).into())
            });
            let key = scalars.find_map(|scalar| p256::ecdsa::SigningKey::from_slice(&scalar).ok())?;
            let point = key.verifying_key().to_sec1_point(false);
            let public_text = STANDARD.encode([&P256_DER_PREFIX, point.as_bytes()].concat());
            Some(TestKey { pair: Pair::P256(Box::new(key)), public_text })
        }
        _ => None,
    }
}

impl TestKey {
    /// The public key as the provider shows it: what is registered as the endpoint's secret.
    pub fn public_text(&self) -> &str {
        &self.public_text
    }

    pub(super) const fn algorithm(&self) -> Algorithm {
        match self.pair {
            Pair::Ed25519(_) => Algorithm::Ed25519,
            Pair::P256(_) => Algorithm::EcdsaP256,
        }
    }

    pub(super) fn sign(&self, message: &Message<'_>) -> Option<Vec<u8>> {
        match &self.pair {
            Pair::Ed25519(key) => Some(key.sign(&message.pieces.concat()).to_bytes().to_vec()),
            Pair::P256(key) => {
                let signature: p256::ecdsa::Signature = key.sign_prehash(&message.digest()).ok()?;
                Some(signature.to_der().as_bytes().to_vec())
            }
        }
    }
}

impl std::fmt::Debug for TestKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestKey").field("public_text", &self.public_text).finish_non_exhaustive()
    }
}
