//! A small realistic delivery of each provider, to send to an endpoint that is being set up.

use super::config::SchemeConfig;
use super::event_type::event_type;
use super::provider::Provider;
use super::request::RequestParts;
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
