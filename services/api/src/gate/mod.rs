//! What every request passes on its way to a handler and back: time limit, figures, key, rate, right, idempotency.

mod authenticate;
mod authorize;
mod deadline;
mod figures;
mod host;
mod idempotency;
mod in_flight;
mod loopback;
mod panics;
mod rate;
mod request_id;
mod session;
mod spans;

pub(crate) use authenticate::{authenticate, bearer, identify, limit_failures, origin_of, source_of};
pub(crate) use authorize::{authorize, veil, veil_of};
pub(crate) use deadline::deadline;
pub(crate) use figures::figures;
pub use host::require_host;
pub(crate) use idempotency::{RetainedAnswer, UNKEYED_CALLS, idempotency};
pub(crate) use in_flight::InFlight;
pub(crate) use panics::{log_panic, panicked};
pub(crate) use rate::{count, limit_rate, over_rate};
pub(crate) use request_id::{OwnRequestId, REQUEST_ID, record_request_id};
pub(crate) use session::{
    clear_cookie, clear_sign_in_cookie, sealed_sign_in_of, session_cookie, sign_in_cookie,
};
pub(crate) use spans::RequestSpan;
