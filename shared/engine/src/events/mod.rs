//! Events: sent by callers, matched against triggers, and given to nodes of executions that wait for them.
//!
//! An event is a delivery without an endpoint: `send` stores it with its job, and `webhooks::matching` does the rest as for
//! any other delivery. `wake` gives deliveries to the nodes that wait for them, `look_back` those that came before a wait
//! began. `change`, `read` and `cache` are about triggers.

mod cache;
mod change;
mod look_back;
mod read;
mod request;
mod send;
mod view;
mod wake;

pub(crate) use cache::TriggerCache;
pub use request::{EventRequest, TriggerRequest};
pub use send::SentEvent;
pub use view::TriggerView;
