//! The gRPC interface: the calls of REST by name, and streams over which workers get their jobs.
//!
//! The contract is `proto/trunkline/v1`. Each of its unary methods says which call of REST it mirrors, and is carried out
//! as that call inside the process (`unary`): keys, rates, rights, idempotency, bounds and problems are those of REST because
//! they are REST's own. `connect` serves the streams of workers over the engine itself. Decides nothing and knows no
//! database.

mod changes;
mod connect;
mod contract;
mod door;
mod json;
mod meter;
mod open_calls;
mod options;
pub mod proto;
mod router;
mod status;
mod streams;
mod unary;
mod wire;

pub use contract::{DESCRIPTORS, MirroredCall, mirrored_calls};
pub use door::{Gate, GrpcParts, RestCall};
pub use meter::MessageRoom;
pub use options::{GrpcOptions, StreamOptions};
pub use router::router;
pub use unary::mirrored_request;
