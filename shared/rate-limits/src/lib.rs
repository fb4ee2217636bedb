//! How often somebody may do something.
//!
//! [`RateLimits`] is the port. [`LocalLimits`] counts in this process; [`RedisLimits`] counts over all nodes, and in
//! this process while Redis does not answer. Both use the generic cell rate algorithm, so they agree on who may
//! go. Nothing here knows what is limited, and nothing is remembered over a restart: a limit protects, it is no promise.

mod limits;
mod local;
mod redis;

pub use limits::{Quota, RateLimits, Verdict};
pub use local::LocalLimits;
pub use redis::{RedisFault, RedisLimits};
