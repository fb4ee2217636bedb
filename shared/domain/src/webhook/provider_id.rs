//! The id by which the provider knows a delivery, for the delivery log. Trusts nothing: it may be unsigned.

use super::config::SchemeConfig;
use super::locator::scalar;
use super::preset::{DeliveryId, preset};
use super::request::RequestParts;
use super::verify::Verified;

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
