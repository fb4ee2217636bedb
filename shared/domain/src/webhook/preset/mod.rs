//! What each provider does, as rows of data.
//!
//! `row` is the shape of a scheme in the table, `schemes` the table, `provider_traits` where ids and event types stand and how
//! long a provider retries, `find` the way in.

mod find;
mod provider_traits;
mod row;
mod schemes;

pub(super) use find::preset;
pub(super) use provider_traits::{DeliveryId, EventTypeAt, ProviderTraits};
