//! Searchable attributes: declare them, take them from what callers send, and show them with their objects.

mod cache;
mod declare;
mod defined;
mod ended;
mod show;
mod take;

pub(crate) use cache::AttributeCache;
pub use declare::{AttributeLine, AttributeTarget};
pub(crate) use ended::{Given, GivenByJob};
pub use show::{ShownAttributes, ShownFingerprints};
