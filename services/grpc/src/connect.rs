//! Streams of workers: the server pushes jobs within credits, and the worker reports.
//!
//! `session` keeps one stream from `hello` to its end, with `inbound` for what the worker sends and `jobs` for what it
//! gets and has; `reports` reads what it reports, and `outbox` is the way to it, with a bound on what may wait there.
//! Nothing of a stream outlives it: what was not confirmed goes back, and what was is covered by its lease.

mod inbound;
mod jobs;
mod lines;
mod outbox;
mod reports;
mod session;

use std::collections::HashSet;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::http::Response;
use domain::access::Action;
use engine::Waiting;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use tonic::server::Grpc;
use tonic::{Status, Streaming};
use tonic_prost::ProstCodec;

use crate::door::Head;
use crate::meter::Meter;
use crate::proto::from_worker::Message;
use crate::proto::{FromWorker, Hello, ToWorker};
use crate::router::{Shared, refused};
use crate::status;
use outbox::{Outgoing, outbox};
use session::{Session, SessionParts};

// Opens a stream: lets the worker in, reads its `hello`, and starts its session.

/// Serves one stream.
pub(crate) async fn serve(shared: Shared, request: Request) -> Response<Body> {
    let head = Head::of(request.headers(), request.uri(), request.extensions());
    let connection = request.extensions().get::<CancellationToken>().cloned().unwrap_or_default();
    let caller = match shared.parts.gate.admit(head.bare(), Action::JobsWork).await {
        Ok(caller) => caller,
        Err(answer) => return refused(status::of_answer(answer).await),
    };
    let seat = match shared.parts.engine.take_seat(&caller, Waiting::Poll) {
        Ok(seat) => seat,
        Err(error) => return refused(status::of_problem(error.into())),
    };
    let max = shared.parts.options.message_bytes_max;
    let meter = Meter::new(shared.parts.gate.room(&caller));
    let request = request.map(|body| meter.counted(body));
    let codec = ProstCodec::<ToWorker, FromWorker>::default();
    let mut grpc = Grpc::new(codec).apply_max_message_size_config(Some(max), None);
    let parts = SessionParts { shared, caller, head, connection, meter, _seat: seat };
    let mut parts = Some(parts);
    let service = tower::service_fn(move |inbound: tonic::Request<Streaming<FromWorker>>| {
        let parts = parts.take();
        async move {
            let parts = parts.ok_or_else(|| Status::internal("The stream was opened twice."))?;
            Ok::<_, Status>(tonic::Response::new(open(parts, inbound.into_inner())))
        }
    });
    grpc.streaming(service, request).await.map(Body::new)
}

/// The answer begins at once; what is wrong with `hello` ends it.
fn open(parts: SessionParts, mut inbound: Streaming<FromWorker>) -> Outgoing {
    let (outbox, outgoing) = outbox();
    tokio::spawn(async move {
        let within = parts.shared.parts.options.streams.silence_max.to_std();
        let first = tokio::select! {
            first = tokio::time::timeout(within, inbound.message()) => first,
            () = outbox.gone() => return,
        };
        let hello = match first {
            Ok(Ok(Some(FromWorker { message: Some(Message::Hello(hello)), .. }))) => hello,
            Ok(Ok(Some(_))) => return outbox.fail(expected_hello()),
            Ok(Ok(None)) => return,
            Ok(Err(status)) => return outbox.fail(status),
            Err(_late) => return outbox.fail(silent()),
        };
        match begin(parts, hello, outbox) {
            Ok(session) => session.run(inbound).await,
            Err(refusal) => refusal.0.fail(refusal.1),
        }
    });
    outgoing
}

type Refusal = (outbox::Outbox, Status);

fn begin(parts: SessionParts, hello: Hello, outbox: outbox::Outbox) -> Result<Session, Box<Refusal>> {
    let within = parts.shared.parts.options.streams.receipt_within;
    match inbound::request_of(&parts.shared.parts.engine, hello, within) {
        Ok(request) => Ok(Session::new(parts, request, outbox)),
        Err(problem) => Err(Box::new((outbox, status::of_problem(problem)))),
    }
}

fn expected_hello() -> Status {
    status::of_problem(engine::Problem::new(422, "invalid", "The first message of a stream must be hello."))
}

/// The status of a stream whose worker says nothing.
fn silent() -> Status {
    let detail = "The worker sent nothing for too long; open another stream.";
    status::of_problem(engine::Problem::new(408, "stream_silent", detail))
}

// The streams that are open in this process.

/// Metadata by which a unary report of a worker names its stream.
pub(crate) const STREAM_ID: &str = "trunkline-stream";

/// The streams that are open in this process.
#[derive(Debug, Default)]
pub(crate) struct Streams(Mutex<HashSet<String>>);

/// A stream that is open until this is dropped.
#[derive(Debug)]
struct OpenStream {
    id: String,
    streams: Arc<Streams>,
}

impl Streams {
    /// Whether a stream is open here.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.0.lock().contains(id)
    }

    /// Opens a stream.
    fn open(self: &Arc<Self>, id: String) -> OpenStream {
        self.0.lock().insert(id.clone());
        metrics::gauge!("trunkline_grpc_streams").increment(1.0);
        OpenStream { id, streams: Arc::clone(self) }
    }
}

impl OpenStream {
    fn id(&self) -> &str {
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
    status::of_problem(engine::Problem::new(409, "reconnect", detail))
}
