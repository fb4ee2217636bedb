//! A TCP proxy before the PostgreSQL server of the tests, which delays, stalls, cuts and swallows on demand.
//!
//! It reads the protocol's messages, so that a fault hits exactly the message that it is meant for: the reply to a
//! `COMMIT` that was carried out, the third message of a connection, everything that is under way. A [`Fault`] says when
//! it has struck, so that a test waits for it and never sleeps.
//!
//! ```ignore
//! let proxy = PgProxy::start(&direct_url).await;
//! let store = SqlStore::connect(&options(&proxy.url(), &[])).await?;
//! let lost = proxy.arm(Way::ToClient, Message::Answered("COMMIT"), Act::Cut);
//! let answer = store.enqueue(&jobs, now).await; // committed, but nobody said so
//! lost.struck().await;
//! ```

mod fault;
mod link;
mod proxy;
mod wire;

pub use fault::{Act, Fault, Message, Way};
pub use proxy::PgProxy;
