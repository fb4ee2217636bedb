//! What a request says that it is: the type of its event and the id that its provider gave it.

use super::config::SchemeConfig;
use super::locator::scalar;
use super::preset::{DeliveryId, EventTypeAt, preset};
use super::request::RequestParts;
use super::verify::{Verified, form_fields};

/// The longest event type, in characters; a longer one is none.
const EVENT_TYPE_MAX: usize = 200;

/// The event type of a delivery, from where the settings say it stands, else from where the provider puts it. `None`
/// if there is none, or none that could be a name. Where a header holds it (GitHub, Shopify, GitLab, Linear), it is not
/// signed: a filter that must not be fooled reads the body.
pub fn event_type(config: &SchemeConfig, parts: &RequestParts<'_>) -> Option<String> {
    let found = match config.event_type_locator() {
        Some(locator) => locator.read(parts),
        None => preset(config.provider()).provider_traits.event_type.iter().find_map(|at| read(*at, parts)),
    };
    found.filter(|text| text.chars().count() <= EVENT_TYPE_MAX && !text.chars().any(char::is_control))
}

pub(super) fn read(at: EventTypeAt, parts: &RequestParts<'_>) -> Option<String> {
    match at {
        EventTypeAt::Header(name) => parts.header_text(name).map(str::to_owned),
        EventTypeAt::Field(pointer) => scalar(parts.json()?, pointer),
        EventTypeAt::Form(name) => form_fields(parts.body)
            .into_iter()
            .find(|(key, value)| key == name.as_bytes() && !value.is_empty())
            .and_then(|(_, value)| String::from_utf8(value).ok()),
    }
}

/// The longest id that is shown, in bytes; a longer one is none.
const ID_BYTES_MAX: usize = 256;

/// What the provider calls this delivery: the signed id where there is one, else what stands where the provider puts
/// its id.
pub fn provider_id(config: &SchemeConfig, parts: &RequestParts<'_>, verified: &Verified) -> Option<String> {
    let by_traits = || match preset(config.provider()).provider_traits.id {
        DeliveryId::Field(pointer) => scalar(parts.json()?, pointer),
        DeliveryId::Headers(names) => {
            names.iter().find_map(|name| parts.header_text(name)).map(str::to_owned)
        }
        DeliveryId::Body | DeliveryId::Items(_) => None,
    };
    verified
        .id
        .clone()
        .or_else(by_traits)
        .filter(|id| id.len() <= ID_BYTES_MAX && !id.chars().any(char::is_control))
}
