//! The preset of a provider.

use super::provider_traits::{ProviderTraits, provider_traits};
use super::schemes;
use crate::webhook::provider::Provider;
use crate::webhook::scheme::Scheme;

/// What a provider does.
#[derive(Debug, Clone, Copy)]
pub(in crate::webhook) struct Preset {
    /// How it signs. Empty for `hmac`, whose endpoints say it themselves, and for `none`.
    pub(in crate::webhook) schemes: &'static [Scheme],
    /// What is known of its deliveries.
    pub(in crate::webhook) provider_traits: ProviderTraits,
}

/// The preset of `provider`.
pub(in crate::webhook) const fn preset(provider: Provider) -> Preset {
    let schemes: &'static [Scheme] = match provider {
        Provider::GitHub | Provider::Meta => &schemes::HUB,
        Provider::Stripe => &schemes::STRIPE,
        Provider::Slack => &schemes::SLACK,
        Provider::Shopify => &schemes::SHOPIFY,
        Provider::Standard => &schemes::STANDARD,
        Provider::Svix => &schemes::SVIX,
        Provider::Twilio => &schemes::TWILIO,
        Provider::Linear => &schemes::LINEAR,
        Provider::GitLab => &schemes::GITLAB,
        Provider::Square => &schemes::SQUARE,
        Provider::Zoom => &schemes::ZOOM,
        Provider::Discord => &schemes::DISCORD,
        Provider::PagerDuty => &schemes::PAGERDUTY,
        Provider::Paddle => &schemes::PADDLE,
        Provider::HubSpot => &schemes::HUBSPOT,
        Provider::SendGrid => &schemes::SENDGRID,
        Provider::Razorpay => &schemes::RAZORPAY,
        Provider::Hmac | Provider::None => &[],
    };
    Preset { schemes, provider_traits: provider_traits(provider) }
}
