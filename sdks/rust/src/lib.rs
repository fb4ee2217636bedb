//! Client, worker and test kit for Trunkline, the job and workflow platform.
//!
//! ```no_run
//! use serde::{Deserialize, Serialize};
//! use trunkline_client::{Client, Context, Worker};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Greet {
//!     name: String,
//! }
//! #[derive(Serialize, Deserialize)]
//! struct Greeting {
//!     text: String,
//! }
//!
//! # async fn serve() -> Result<(), trunkline_client::ClientError> {
//! Worker::new(Client::from_env()?)
//!     .concurrency(50)
//!     .handle("greet", |data: Greet, _ctx: Context| async move {
//!         Ok(Greeting { text: format!("Hello, {}", data.name) })
//!     })
//!     .run()
//!     .await
//! # }
//! ```

mod background;
mod client;
mod context;
mod environment;
mod error;
mod follow;
#[cfg(feature = "grpc")]
mod grpc;
mod handler_error;
mod handles;
mod json;
#[cfg(feature = "kafka")]
mod kafka;
mod open_enum;
mod options;
mod repeat;
mod rest;
mod timestamp;
mod transport;
mod worker;

pub mod api;
pub mod models;
#[cfg(feature = "testing")]
pub mod testing;
pub mod webhook;
pub mod workflow;

pub use client::{Client, ClientBuilder, Enqueue, EnqueueBatch, Start};
pub use context::{CancelReason, Context, LogLevel, Logger};
pub use error::{ClientError, JobFailed, ProblemError, RunFailed};
#[cfg(feature = "grpc")]
pub use grpc::Grpc;
pub use handler_error::Error;
pub use handles::{JobHandle, RunHandle};
pub use json::{Codec, CodecError, Json, Payload, PayloadKind};
#[cfg(feature = "kafka")]
pub use kafka::{Kafka, KafkaOptions, TopicLayout};
pub use options::JobOptions;
pub use timestamp::{NoTimestamp, Timestamp};
pub use transport::{CallOptions, EventStream, OnCancel, Request, Transport};
pub use worker::{Event, Handler, HandlerFuture, Health, HealthStatus, Middleware, Worker};
