//! What each provider does, as rows of data.
//!
//! How each provider signs is the table in this file, read from the providers' own libraries and documents;
//! `provider_traits` has where ids and event types stand and how long a provider retries, `find` is the way in.

mod find;
mod provider_traits;

use std::borrow::Cow;

use crate::time::DurationMs;
use crate::webhook::key::{Algorithm, KeyForm};
use crate::webhook::scheme::{Content, Encoding, Scheme, TimestampSource, TimestampUnit, UrlForm};
use crate::webhook::template::Template;

pub(super) use find::preset;
pub(super) use provider_traits::{DeliveryId, EventTypeAt, ProviderTraits};

// How each provider signs. Read from the providers' own libraries and documents.

/// GitHub and Meta. GitHub's `X-Hub-Signature` with SHA-1 is not read: whoever could choose it would.
static HUB: [Scheme; 1] = [Row { header: "X-Hub-Signature-256", prefix: "sha256=", ..USUAL }.scheme()];

/// `v0` in the same header is a weaker scheme of Stripe's test mode, and is ignored. The key is the whole text of the
/// secret, `whsec_` with it.
static STRIPE: [Scheme; 1] = [Row {
    header: "Stripe-Signature",
    prefix: "v1=",
    list_separator: Some(','),
    signed: Signed::Template("{timestamp}.{body}"),
    timestamp: At::Item("t="),
    ..USUAL
}
.scheme()];

static SLACK: [Scheme; 1] = [Row {
    header: "X-Slack-Signature",
    prefix: "v0=",
    signed: Signed::Template("v0:{timestamp}:{body}"),
    timestamp: At::Header("X-Slack-Request-Timestamp"),
    ..USUAL
}
.scheme()];

const SHOPIFY_ADMIN: Row = Row { header: "X-Shopify-Hmac-Sha256", encoding: Encoding::Base64, ..USUAL };

/// The newer kind of deliveries has all names without `X-`.
static SHOPIFY: [Scheme; 2] =
    [SHOPIFY_ADMIN.scheme(), Row { header: "Shopify-Hmac-Sha256", ..SHOPIFY_ADMIN }.scheme()];

const STANDARD_MAC: Row = Row {
    header: "webhook-signature",
    encoding: Encoding::Base64,
    prefix: "v1,",
    list_separator: Some(' '),
    signed: Signed::Template("{id}.{timestamp}.{body}"),
    timestamp: At::Header("webhook-timestamp"),
    id_header: Some("webhook-id"),
    key: KeyForm::Prefixed,
    ..USUAL
};

const STANDARD_KEY: Row =
    Row { algorithm: Algorithm::Ed25519, prefix: "v1a,", key: KeyForm::PrefixedEd25519, ..STANDARD_MAC };

/// By secret (`v1`) or by public key (`v1a`).
static STANDARD: [Scheme; 2] = [STANDARD_MAC.scheme(), STANDARD_KEY.scheme()];

const SVIX_MAC: Row = Row {
    header: "svix-signature",
    timestamp: At::Header("svix-timestamp"),
    id_header: Some("svix-id"),
    ..STANDARD_MAC
};

/// Standard Webhooks, and the same under Svix's own names.
static SVIX: [Scheme; 4] = [
    SVIX_MAC.scheme(),
    Row { algorithm: Algorithm::Ed25519, prefix: "v1a,", key: KeyForm::PrefixedEd25519, ..SVIX_MAC }.scheme(),
    STANDARD_MAC.scheme(),
    STANDARD_KEY.scheme(),
];

const TWILIO_TOKEN: Row = Row {
    header: "X-Twilio-Signature",
    algorithm: Algorithm::HmacSha1,
    encoding: Encoding::Base64,
    signed: Signed::Twilio,
    url: UrlForm::Twilio,
    ..USUAL
};

/// By auth token (SHA-1) or by shared key (SHA-256). The header that names the algorithm is not signed, and the length
/// of the signature says the same.
static TWILIO: [Scheme; 2] =
    [TWILIO_TOKEN.scheme(), Row { algorithm: Algorithm::HmacSha256, ..TWILIO_TOKEN }.scheme()];

/// `Linear-Timestamp` is not signed; the time in the body is.
static LINEAR: [Scheme; 1] = [Row {
    header: "Linear-Signature",
    timestamp: At::Body("/webhookTimestamp"),
    timestamp_unit: TimestampUnit::Milliseconds,
    tolerance: DurationMs::from_secs(60),
    ..USUAL
}
.scheme()];

/// A signing token by Standard Webhooks' rules, or the older token that is sent as it is.
static GITLAB: [Scheme; 2] = [
    Row { key: KeyForm::PrefixedOrText, ..STANDARD_MAC }.scheme(),
    Row {
        header: "X-Gitlab-Token",
        algorithm: Algorithm::Token,
        encoding: Encoding::Plain,
        key: KeyForm::Unprefixed,
        ..USUAL
    }
    .scheme(),
];

static SQUARE: [Scheme; 1] = [Row {
    header: "x-square-hmacsha256-signature",
    encoding: Encoding::Base64,
    signed: Signed::Template("{url}{body}"),
    ..USUAL
}
.scheme()];

static ZOOM: [Scheme; 1] = [Row {
    header: "x-zm-signature",
    prefix: "v0=",
    signed: Signed::Template("v0:{timestamp}:{body}"),
    timestamp: At::Header("x-zm-request-timestamp"),
    ..USUAL
}
.scheme()];

static DISCORD: [Scheme; 1] = [Row {
    header: "X-Signature-Ed25519",
    algorithm: Algorithm::Ed25519,
    signed: Signed::Template("{timestamp}{body}"),
    timestamp: At::Header("X-Signature-Timestamp"),
    key: KeyForm::HexEd25519,
    ..USUAL
}
.scheme()];

static PAGERDUTY: [Scheme; 1] =
    [Row { header: "X-PagerDuty-Signature", prefix: "v1=", list_separator: Some(','), ..USUAL }.scheme()];

/// Paddle's own libraries allow 5 seconds, which a busy network exceeds.
static PADDLE: [Scheme; 1] = [Row {
    header: "Paddle-Signature",
    prefix: "h1=",
    list_separator: Some(';'),
    signed: Signed::Template("{timestamp}:{body}"),
    timestamp: At::Item("ts="),
    ..USUAL
}
.scheme()];

/// Version 3 only: versions 1 and 2 are plain hashes.
static HUBSPOT: [Scheme; 1] = [Row {
    header: "X-HubSpot-Signature-v3",
    encoding: Encoding::Base64,
    signed: Signed::Template("{method}{url}{body}{timestamp}"),
    timestamp: At::Header("X-HubSpot-Request-Timestamp"),
    timestamp_unit: TimestampUnit::Milliseconds,
    url: UrlForm::HubSpot,
    ..USUAL
}
.scheme()];

static SENDGRID: [Scheme; 1] = [Row {
    header: "X-Twilio-Email-Event-Webhook-Signature",
    algorithm: Algorithm::EcdsaP256,
    encoding: Encoding::Base64,
    signed: Signed::Template("{timestamp}{body}"),
    timestamp: At::Header("X-Twilio-Email-Event-Webhook-Timestamp"),
    key: KeyForm::DerP256,
    ..USUAL
}
.scheme()];

static RAZORPAY: [Scheme; 1] = [Row { header: "X-Razorpay-Signature", ..USUAL }.scheme()];

// The shape of a scheme in the table: names that are known at compile time, so that a row can be written as what it
// differs in from the usual.

/// Where a preset's signed time stands.
#[derive(Clone, Copy)]
enum At {
    Nowhere,
    Header(&'static str),
    Item(&'static str),
    Body(&'static str),
}

/// What a preset signs.
#[derive(Clone, Copy)]
enum Signed {
    Template(&'static str),
    Twilio,
}

/// A scheme that is known at compile time.
#[derive(Clone, Copy)]
struct Row {
    header: &'static str,
    algorithm: Algorithm,
    encoding: Encoding,
    prefix: &'static str,
    list_separator: Option<char>,
    signed: Signed,
    timestamp: At,
    timestamp_unit: TimestampUnit,
    tolerance: DurationMs,
    id_header: Option<&'static str>,
    key: KeyForm,
    url: UrlForm,
}

/// The usual: one HMAC-SHA256 of the body in hexadecimal, by the text of the secret, with no time.
const USUAL: Row = Row {
    header: "",
    algorithm: Algorithm::HmacSha256,
    encoding: Encoding::Hex,
    prefix: "",
    list_separator: None,
    signed: Signed::Template("{body}"),
    timestamp: At::Nowhere,
    timestamp_unit: TimestampUnit::Seconds,
    tolerance: DurationMs::from_secs(300),
    id_header: None,
    key: KeyForm::Text,
    url: UrlForm::Registered,
};

impl Row {
    /// The scheme of this row.
    const fn scheme(self) -> Scheme {
        Scheme {
            header: Cow::Borrowed(self.header),
            algorithm: self.algorithm,
            encoding: self.encoding,
            prefix: Cow::Borrowed(self.prefix),
            list_separator: self.list_separator,
            content: match self.signed {
                Signed::Template(text) => Content::Template(Template::preset(text)),
                Signed::Twilio => Content::Twilio,
            },
            timestamp: match self.timestamp {
                At::Nowhere => TimestampSource::Nowhere,
                At::Header(name) => TimestampSource::Header(Cow::Borrowed(name)),
                At::Item(prefix) => TimestampSource::Item(Cow::Borrowed(prefix)),
                At::Body(pointer) => TimestampSource::Body(pointer),
            },
            timestamp_unit: self.timestamp_unit,
            tolerance: self.tolerance,
            id_header: match self.id_header {
                Some(name) => Some(Cow::Borrowed(name)),
                None => None,
            },
            key: self.key,
            url: self.url,
        }
    }
}
