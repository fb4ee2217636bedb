//! What tenants may keep: quotas, what of them is used, and the refusal of what would go beyond.
//!
//! Nothing that is written is counted in the database: rows that everybody writes to would make everybody wait. A process
//! measures what it needs to know when it first needs it, adds what it lets in, and measures anew before it refuses. So a
//! tenant may go beyond a quota by what other processes let in since (for some seconds), and never by more.

mod enforce;
mod meter;
mod policy;
mod set;
mod view;

pub(crate) use meter::Meter;
pub use policy::QuotaPolicy;
pub use set::QuotaEdit;
pub(crate) use set::{QuotaCache, require_tenant};
pub use view::{UsageLine, UsageView};
