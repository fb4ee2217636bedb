//! The relay: claims jobs of outside workers as a worker would, and publishes them as offers.
//!
//! The claim's own commit is the entry of the outbox: a job that was offered and is not known to be with the broker is
//! published again, by this relay or by the one after it. What is decided is in `domain::dispatch`, what is stored behind
//! `engine`, and a broker behind [`Publisher`].

mod envelope;
#[cfg(feature = "kafka")]
mod kafka;
#[cfg(feature = "kafka")]
mod oauth_token;
mod options;
mod publisher;
mod relay;
mod sending;
mod shards;

pub use envelope::{Envelope, Message};
#[cfg(feature = "kafka")]
pub use kafka::{KafkaOptions, KafkaPublisher, PropertiesError};
pub use options::RelayOptions;
pub use publisher::{PublishError, Publisher, Receipt};
pub use relay::{Relay, RunningRelay, start};
