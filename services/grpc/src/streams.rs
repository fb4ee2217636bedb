//! What every call shares: the streams that are open in this process, by their ids.

use std::collections::HashSet;
use std::sync::Arc;

use domain::problem::ProblemCode;
use parking_lot::Mutex;
use tonic::Status;

use crate::contract::Contract;
use crate::door::GrpcParts;
use crate::status;

/// Metadata by which a unary report of a worker names its stream.
pub(crate) const STREAM_ID: &str = "trunkline-stream";

/// The streams that are open in this process.
#[derive(Debug, Default)]
pub(crate) struct Streams(Mutex<HashSet<String>>);

/// A stream that is open until this is dropped.
#[derive(Debug)]
pub(super) struct OpenStream {
    id: String,
    streams: Arc<Streams>,
}

impl Streams {
    /// Whether a stream is open here.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.0.lock().contains(id)
    }

    /// Opens a stream.
    pub(super) fn open(self: &Arc<Self>, id: String) -> OpenStream {
        self.0.lock().insert(id.clone());
        metrics::gauge!("trunkline_grpc_streams").increment(1.0);
        OpenStream { id, streams: Arc::clone(self) }
    }
}

impl OpenStream {
    pub(super) fn id(&self) -> &str {
        &self.id
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.streams.0.lock().remove(&self.id);
        metrics::gauge!("trunkline_grpc_streams").decrement(1.0);
    }
}

/// The answer to a report that names a stream which is not open here: its worker gets no jobs, and must not be taken for
/// alive by its reports.
pub(crate) fn reconnect() -> Status {
    let detail = "The stream of this worker is not open; open another.";
    status::of_problem(engine::Problem::new(409, ProblemCode::Reconnect, detail))
}

/// What every call shares.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) parts: GrpcParts,
    pub(super) contract: Arc<Contract>,
    pub(crate) streams: Arc<Streams>,
}
