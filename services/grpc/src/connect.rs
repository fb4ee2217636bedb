//! Streams of workers: the server pushes jobs within credits, and the worker reports.
//!
//! `session` keeps one stream from `hello` to its end, with `inbound` for what the worker sends and `jobs` for what it
//! gets and has; `reports` reads what it reports, and `outbox` is the way to it, with a bound on what may wait there.
//! Nothing of a stream outlives it: what was not confirmed goes back, and what was is covered by its lease.

mod held;
mod inbound;
mod jobs;
mod lines;
mod outbox;
mod reports;
mod session;

use axum::body::Body;
use axum::extract::Request;
use axum::http::Response;
use domain::access::Action;
use domain::problem::ProblemCode;
use engine::Waiting;
use tokio_util::sync::CancellationToken;
use tonic::server::Grpc;
use tonic::{Status, Streaming};

use crate::door::Head;
use crate::meter::Meter;
use crate::open_calls::refused;
use crate::proto::from_worker::Message;
use crate::proto::{FromWorker, Hello};
use crate::status;
use crate::streams::Shared;
use crate::wire::WorkerCodec;
use outbox::{Outgoing, outbox};
use session::{Session, SessionParts, silent};

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
    let codec = WorkerCodec::reading(shared.contract.message_of_worker().clone());
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
    status::of_problem(engine::Problem::new(
        422,
        ProblemCode::Invalid,
        "The first message of a stream must be hello.",
    ))
}
