//! Where each provider's ids and event types stand, and how long it retries.

use crate::time::DurationMs;
use crate::webhook::provider::Provider;

/// By what a repeated delivery is known, unless the scheme signs an id.
#[derive(Debug, Clone, Copy)]
pub(in crate::webhook) enum DeliveryId {
    /// By this field of the signed body.
    Field(&'static str),
    /// By these fields of each item of the signed body, which is an array. A retry changes other fields of the items.
    Items(&'static [&'static str]),
    /// By the first of these headers that is there, and the body: the header is not signed.
    Headers(&'static [&'static str]),
    /// By the body.
    Body,
}

/// Where an event type stands.
#[derive(Debug, Clone, Copy)]
pub(in crate::webhook) enum EventTypeAt {
    /// In this header.
    Header(&'static str),
    /// At this JSON pointer into the body.
    Field(&'static str),
    /// In this field of a form.
    Form(&'static str),
}

/// What is known of a provider's deliveries.
#[derive(Debug, Clone, Copy)]
pub(in crate::webhook) struct ProviderTraits {
    /// By what a repeated delivery is known.
    pub(in crate::webhook) id: DeliveryId,
    /// A top-level field of the body that a retry changes, and that the body is compared without.
    pub(in crate::webhook) volatile: Option<&'static str>,
    /// How long a delivery is remembered: at least as long as the provider retries.
    pub(in crate::webhook) window: DurationMs,
    /// Where the event type stands; the first place that has one counts.
    pub(in crate::webhook) event_type: &'static [EventTypeAt],
}

const fn hours(hours: i64) -> DurationMs {
    DurationMs::from_secs(hours * 3600)
}

const USUAL: ProviderTraits =
    ProviderTraits { id: DeliveryId::Body, volatile: None, window: hours(24), event_type: &[] };

/// How `provider` signs and names its deliveries.
pub(super) const fn provider_traits(provider: Provider) -> ProviderTraits {
    use DeliveryId::{Field as IdField, Headers, Items};
    use EventTypeAt::{Field, Header};
    match provider {
        Provider::GitHub => GITHUB,
        Provider::Stripe => {
            ProviderTraits { id: IdField("/id"), window: hours(72), event_type: &[Field("/type")], ..USUAL }
        }
        Provider::Slack => ProviderTraits {
            id: IdField("/event_id"),
            event_type: &[Field("/event/type"), Field("/type")],
            ..USUAL
        },
        Provider::Shopify => SHOPIFY,
        // Ten tries over 75 hours are what the specification suggests; the id is signed.
        Provider::Standard | Provider::Svix => {
            ProviderTraits { window: hours(96), event_type: &[Field("/type"), Field("/event_type")], ..USUAL }
        }
        Provider::Twilio => TWILIO,
        Provider::Linear => LINEAR,
        Provider::GitLab => ProviderTraits {
            id: Headers(&["Idempotency-Key", "X-Gitlab-Event-UUID"]),
            event_type: &[Header("X-Gitlab-Event"), Field("/object_kind")],
            ..USUAL
        },
        Provider::Square => ProviderTraits {
            id: IdField("/event_id"),
            window: hours(72),
            event_type: &[Field("/type")],
            ..USUAL
        },
        Provider::Zoom => ProviderTraits { event_type: &[Field("/event")], ..USUAL },
        Provider::Discord => ProviderTraits {
            id: IdField("/id"),
            event_type: &[Field("/event/type"), Field("/type")],
            ..USUAL
        },
        Provider::PagerDuty => ProviderTraits {
            id: IdField("/event/id"),
            window: hours(72),
            event_type: &[Field("/event/event_type")],
            ..USUAL
        },
        Provider::Paddle => ProviderTraits {
            id: IdField("/event_id"),
            window: hours(72),
            event_type: &[Field("/event_type")],
            ..USUAL
        },
        Provider::Meta => META,
        Provider::HubSpot => ProviderTraits {
            id: Items(&["/subscriptionId", "/eventId"]),
            window: hours(48),
            event_type: &[Field("/0/subscriptionType"), Field("/0/eventType")],
            ..USUAL
        },
        Provider::SendGrid => ProviderTraits {
            id: Items(&["/sg_event_id"]),
            window: hours(48),
            event_type: &[Field("/0/event")],
            ..USUAL
        },
        Provider::Razorpay => RAZORPAY,
        Provider::Hmac | Provider::None => USUAL,
    }
}

/// The event id is the same in every retry, and the body tells subscriptions apart where they differ.
const SHOPIFY: ProviderTraits = ProviderTraits {
    id: DeliveryId::Headers(&[
        "X-Shopify-Event-Id",
        "Shopify-Event-Id",
        "X-Shopify-Webhook-Id",
        "Shopify-Webhook-Id",
    ]),
    event_type: &[EventTypeAt::Header("X-Shopify-Topic"), EventTypeAt::Header("Shopify-Topic")],
    ..USUAL
};

const TWILIO: ProviderTraits = ProviderTraits {
    id: DeliveryId::Headers(&["I-Twilio-Idempotency-Token"]),
    event_type: &[
        EventTypeAt::Form("EventType"),
        EventTypeAt::Form("MessageStatus"),
        EventTypeAt::Form("SmsStatus"),
        EventTypeAt::Form("CallStatus"),
        EventTypeAt::Field("/0/type"),
        EventTypeAt::Field("/type"),
    ],
    ..USUAL
};

/// Anyone may ask GitHub to send again for three days.
const GITHUB: ProviderTraits = ProviderTraits {
    id: DeliveryId::Headers(&["X-GitHub-Delivery"]),
    window: hours(72),
    event_type: &[EventTypeAt::Header("X-GitHub-Event")],
    ..USUAL
};

/// A retry carries the time at which it is sent, in the body.
const LINEAR: ProviderTraits = ProviderTraits {
    id: DeliveryId::Headers(&["Linear-Delivery"]),
    volatile: Some("webhookTimestamp"),
    event_type: &[EventTypeAt::Header("Linear-Event"), EventTypeAt::Field("/type")],
    ..USUAL
};

/// What changed says more than what it changed on.
const META: ProviderTraits = ProviderTraits {
    window: hours(48),
    event_type: &[EventTypeAt::Field("/entry/0/changes/0/field"), EventTypeAt::Field("/object")],
    ..USUAL
};

const RAZORPAY: ProviderTraits = ProviderTraits {
    id: DeliveryId::Headers(&["X-Razorpay-Event-Id"]),
    window: hours(48),
    event_type: &[EventTypeAt::Field("/event")],
    ..USUAL
};
