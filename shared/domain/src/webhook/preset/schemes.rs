//! How each provider signs. Read from the providers' own libraries and documents.

use super::row::{At, Row, Signed, USUAL};
use crate::time::DurationMs;
use crate::webhook::algorithm::{Algorithm, Encoding};
use crate::webhook::key::KeyForm;
use crate::webhook::scheme::{Scheme, TimestampUnit, UrlForm};

/// GitHub and Meta. GitHub's `X-Hub-Signature` with SHA-1 is not read: whoever could choose it would.
pub(super) static HUB: [Scheme; 1] =
    [Row { header: "X-Hub-Signature-256", prefix: "sha256=", ..USUAL }.scheme()];

/// `v0` in the same header is a weaker scheme of Stripe's test mode, and is ignored. The key is the whole text of the
/// secret, `whsec_` with it.
pub(super) static STRIPE: [Scheme; 1] = [Row {
    header: "Stripe-Signature",
    prefix: "v1=",
    list_separator: Some(','),
    signed: Signed::Template("{timestamp}.{body}"),
    timestamp: At::Item("t="),
    ..USUAL
}
.scheme()];

pub(super) static SLACK: [Scheme; 1] = [Row {
    header: "X-Slack-Signature",
    prefix: "v0=",
    signed: Signed::Template("v0:{timestamp}:{body}"),
    timestamp: At::Header("X-Slack-Request-Timestamp"),
    ..USUAL
}
.scheme()];

const SHOPIFY_ADMIN: Row = Row { header: "X-Shopify-Hmac-Sha256", encoding: Encoding::Base64, ..USUAL };

/// The newer kind of deliveries has all names without `X-`.
pub(super) static SHOPIFY: [Scheme; 2] =
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
pub(super) static STANDARD: [Scheme; 2] = [STANDARD_MAC.scheme(), STANDARD_KEY.scheme()];

const SVIX_MAC: Row = Row {
    header: "svix-signature",
    timestamp: At::Header("svix-timestamp"),
    id_header: Some("svix-id"),
    ..STANDARD_MAC
};

/// Standard Webhooks, and the same under Svix's own names.
pub(super) static SVIX: [Scheme; 4] = [
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
pub(super) static TWILIO: [Scheme; 2] =
    [TWILIO_TOKEN.scheme(), Row { algorithm: Algorithm::HmacSha256, ..TWILIO_TOKEN }.scheme()];

/// `Linear-Timestamp` is not signed; the time in the body is.
pub(super) static LINEAR: [Scheme; 1] = [Row {
    header: "Linear-Signature",
    timestamp: At::Body("/webhookTimestamp"),
    timestamp_unit: TimestampUnit::Milliseconds,
    tolerance: DurationMs::from_secs(60),
    ..USUAL
}
.scheme()];

/// A signing token by Standard Webhooks' rules, or the older token that is sent as it is.
pub(super) static GITLAB: [Scheme; 2] = [
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

pub(super) static SQUARE: [Scheme; 1] = [Row {
    header: "x-square-hmacsha256-signature",
    encoding: Encoding::Base64,
    signed: Signed::Template("{url}{body}"),
    ..USUAL
}
.scheme()];

pub(super) static ZOOM: [Scheme; 1] = [Row {
    header: "x-zm-signature",
    prefix: "v0=",
    signed: Signed::Template("v0:{timestamp}:{body}"),
    timestamp: At::Header("x-zm-request-timestamp"),
    ..USUAL
}
.scheme()];

pub(super) static DISCORD: [Scheme; 1] = [Row {
    header: "X-Signature-Ed25519",
    algorithm: Algorithm::Ed25519,
    signed: Signed::Template("{timestamp}{body}"),
    timestamp: At::Header("X-Signature-Timestamp"),
    key: KeyForm::HexEd25519,
    ..USUAL
}
.scheme()];

pub(super) static PAGERDUTY: [Scheme; 1] =
    [Row { header: "X-PagerDuty-Signature", prefix: "v1=", list_separator: Some(','), ..USUAL }.scheme()];

/// Paddle's own libraries allow 5 seconds, which a busy network exceeds.
pub(super) static PADDLE: [Scheme; 1] = [Row {
    header: "Paddle-Signature",
    prefix: "h1=",
    list_separator: Some(';'),
    signed: Signed::Template("{timestamp}:{body}"),
    timestamp: At::Item("ts="),
    ..USUAL
}
.scheme()];

/// Version 3 only: versions 1 and 2 are plain hashes.
pub(super) static HUBSPOT: [Scheme; 1] = [Row {
    header: "X-HubSpot-Signature-v3",
    encoding: Encoding::Base64,
    signed: Signed::Template("{method}{url}{body}{timestamp}"),
    timestamp: At::Header("X-HubSpot-Request-Timestamp"),
    timestamp_unit: TimestampUnit::Milliseconds,
    url: UrlForm::HubSpot,
    ..USUAL
}
.scheme()];

pub(super) static SENDGRID: [Scheme; 1] = [Row {
    header: "X-Twilio-Email-Event-Webhook-Signature",
    algorithm: Algorithm::EcdsaP256,
    encoding: Encoding::Base64,
    signed: Signed::Template("{timestamp}{body}"),
    timestamp: At::Header("X-Twilio-Email-Event-Webhook-Timestamp"),
    key: KeyForm::DerP256,
    ..USUAL
}
.scheme()];

pub(super) static RAZORPAY: [Scheme; 1] = [Row { header: "X-Razorpay-Signature", ..USUAL }.scheme()];
