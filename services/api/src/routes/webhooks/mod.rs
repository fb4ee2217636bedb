//! `/v1/webhooks`: endpoints saved, looked at, paused, tested, given another secret.

mod act;
mod once;
mod read;
mod save;
mod table;

pub(super) use table::router;
