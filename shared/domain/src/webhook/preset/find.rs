//! The preset of a provider.

use super::provider_traits::{ProviderTraits, provider_traits};
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
        Provider::GitHub | Provider::Meta => &super::HUB,
        Provider::Stripe => &super::STRIPE,
        Provider::Slack => &super::SLACK,
        Provider::Shopify => &super::SHOPIFY,
        Provider::Standard => &super::STANDARD,
        Provider::Svix => &super::SVIX,
        Provider::Twilio => &super::TWILIO,
        Provider::Linear => &super::LINEAR,
        Provider::GitLab => &super::GITLAB,
        Provider::Square => &super::SQUARE,
        Provider::Zoom => &super::ZOOM,
        Provider::Discord => &super::DISCORD,
        Provider::PagerDuty => &super::PAGERDUTY,
        Provider::Paddle => &super::PADDLE,
        Provider::HubSpot => &super::HUBSPOT,
        Provider::SendGrid => &super::SENDGRID,
        Provider::Razorpay => &super::RAZORPAY,
        Provider::Hmac | Provider::None => &[],
    };
    Preset { schemes, provider_traits: provider_traits(provider) }
}
