//! Small value types that settings are made of, with their text forms.

mod bounded;
mod byte_size;
mod choice;
mod rate_limit;
mod role;
pub(crate) mod secret;

pub(crate) use bounded::{count_or_unlimited, size_or_unlimited};
pub use byte_size::ByteSize;
pub(crate) use choice::{inherit, off, unlimited};
pub use rate_limit::RateLimit;
pub(crate) use rate_limit::rate_limit_or_off;
pub use role::Role;
pub(crate) use role::roles_all;
