//! gRPC as a transport: calls found by the contract's own options, and jobs over a stream for each worker.

mod codec;
mod contract;
mod delivery;
mod proto;
mod read;
mod status;
mod stream;
mod transport;
mod write;

pub use transport::Grpc;
