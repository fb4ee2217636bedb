//! The providers that are known by name. What each of them does stands in `preset`.

use std::fmt;

words! {
    serde
    /// Who sends to an endpoint, and so how it signs.
    #[derive(PartialOrd, Ord)]
    Provider {
        /// GitHub, by its SHA-256 signature; the older SHA-1 one is ignored.
        GitHub "github",
        /// Stripe.
        Stripe "stripe",
        /// Slack's Events API.
        Slack "slack",
        /// Shopify.
        Shopify "shopify",
        /// Any sender that follows Standard Webhooks.
        Standard "standard",
        /// Svix, whose headers have a prefix of their own.
        Svix "svix",
        /// Twilio: forms and JSON, by auth token or shared key.
        Twilio "twilio",
        /// Linear.
        Linear "linear",
        /// GitLab: a signing token, or the older plain token.
        GitLab "gitlab",
        /// Square.
        Square "square",
        /// Zoom.
        Zoom "zoom",
        /// Discord's webhook events and interactions.
        Discord "discord",
        /// PagerDuty, version 3.
        PagerDuty "pagerduty",
        /// Paddle Billing.
        Paddle "paddle",
        /// Meta: Facebook, Instagram, WhatsApp.
        Meta "meta",
        /// HubSpot, version 3 of its signature only.
        HubSpot "hubspot",
        /// SendGrid's signed event webhook.
        SendGrid "sendgrid",
        /// Razorpay.
        Razorpay "razorpay",
        /// Any sender that signs by HMAC; the endpoint says how.
        Hmac "hmac",
        /// Nobody signs; whoever knows the address may send.
        None "none",
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
