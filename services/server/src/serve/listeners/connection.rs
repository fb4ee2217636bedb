//! One connection, from its first byte to its end.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower::{Service, ServiceExt};

use super::linger::{Lingering, RequestBody, UnreadBody};
use super::tls::TlsConfig;

/// The most bytes of a request's head.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// How many streams a caller may open and reset before they were looked at; more end the connection.
const RESETS_MAX: usize = 32;
/// How much of an answer waits in the buffers of an HTTP/2 stream; the rest stays with whoever counts it.
const STREAM_BUFFER_BYTES_MAX: usize = 64 * 1024;
/// How often an HTTP/2 caller is asked whether it is there.
const PING_INTERVAL: Duration = Duration::from_secs(20);
/// How long it may take to answer that.
const PING_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a caller that is turned away may take for all of it.
const REFUSAL_TIME: Duration = Duration::from_secs(5);

/// What every connection of a listener is served with.
#[derive(Clone)]
pub(super) struct Manner {
    /// How long a head may take to arrive, from the connection or the answer before it on.
    pub(super) head_timeout: Duration,
    /// Whether callers may speak HTTP/2.
    pub(super) serves_http2: bool,
    /// TLS, where there is one.
    pub(super) tls: Option<TlsConfig>,
    /// How many requests of one HTTP/2 connection may be under way.
    pub(super) streams_max: u32,
    /// How old a connection gets, up to a fifth more or less.
    pub(super) age_max: Option<Duration>,
    /// Ends connections when they have answered.
    pub(super) closing: CancellationToken,
}

impl Manner {
    fn builder(&self) -> Builder<TokioExecutor> {
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(self.head_timeout)
            .max_buf_size(HEAD_BYTES_MAX);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(self.streams_max)
            .max_pending_accept_reset_streams(RESETS_MAX)
            .max_header_list_size(HEAD_BYTES_MAX as u32)
            .max_send_buf_size(STREAM_BUFFER_BYTES_MAX)
            .keep_alive_interval(PING_INTERVAL)
            .keep_alive_timeout(PING_TIMEOUT);
        if self.serves_http2 { builder } else { builder.http1_only() }
    }
}

/// Serves a connection until it ends.
pub(super) async fn serve(mut manner: Manner, stream: TcpStream, peer: SocketAddr, router: Router) {
    // Answers are written whole: holding a small one back for the caller's acknowledgement gains nothing.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(
            error = &error as &dyn std::error::Error,
            "the connection ended before its first request"
        );
        return;
    }
    // Long streams look at it: they say good-bye before the connection ends.
    let ending = manner.closing.child_token();
    manner.closing = ending.clone();
    let age_max = manner.age_max.map(|age| varied(age, peer));
    let service = router.map_request(move |mut request: Request<RequestBody>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(ending.clone());
        request
    });
    let ending = manner.closing.clone();
    let old = async {
        match age_max {
            Some(age) => tokio::time::sleep(age).await,
            None => std::future::pending().await,
        }
        ending.cancel();
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = over_tls_or_not(&manner, stream, service) => {}
        () = old => {}
    }
}

/// Four to six fifths of an age, by the caller's port: connections that began together do not end together.
fn varied(age: Duration, peer: SocketAddr) -> Duration {
    let spread = u32::from(peer.port()).wrapping_mul(2_654_435_761) % 401;
    age.mul_f64(0.8 + f64::from(spread) / 1_000.0)
}

/// Tells a caller to come again, unless it asks for health.
pub(super) async fn refuse(manner: Manner, stream: TcpStream, peer: SocketAddr, router: Router) {
    let service = tower::service_fn(move |mut request: Request<RequestBody>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let router = router.clone();
        async move {
            let mut response = if matches!(request.uri().path(), "/healthz" | "/readyz") {
                router.oneshot(request).await?
            } else {
                full().await?
            };
            // The place is for the next one.
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            Ok::<_, Infallible>(response)
        }
    });
    let _ = tokio::time::timeout(REFUSAL_TIME, over_tls_or_not(&manner, stream, service)).await;
}

fn full() -> Ready<Result<Response<Body>, Infallible>> {
    let body = "{\"type\":\"urn:trunkline:problem:unavailable\",\"title\":\"Service Unavailable\",\"status\":503,\
                \"detail\":\"Too many open connections; retry later.\",\"code\":\"unavailable\"}";
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    ready(Ok(response))
}

async fn over_tls_or_not<S>(manner: &Manner, stream: TcpStream, service: S)
where
    S: Service<Request<RequestBody>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
{
    let Some(tls) = &manner.tls else {
        drive(manner, stream, service).await;
        return;
    };
    let acceptor = TlsAcceptor::from(Arc::clone(&tls.borrow()));
    match tokio::time::timeout(manner.head_timeout, acceptor.accept(stream)).await {
        Ok(Ok(stream)) => drive(manner, stream, service).await,
        Ok(Err(error)) => {
            tracing::trace!(error = &error as &dyn std::error::Error, "a TLS handshake failed");
        }
        Err(_) => tracing::trace!("a TLS handshake timed out"),
    }
}

/// Which version of HTTP a caller speaks is read without a bound on time, and anyone could hold any number of connections
/// with a byte each: so the first request has one of its own.
async fn drive<I, S>(manner: &Manner, stream: I, service: S)
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    S: Service<Request<RequestBody>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
{
    let heard = Arc::new(Notify::new());
    let tell = Arc::clone(&heard);
    let unread = UnreadBody::default();
    let stream = Lingering::new(stream, unread.clone());
    let service = service.map_request(move |request: Request<Incoming>| {
        tell.notify_one();
        unread.watch(request)
    });
    let builder = manner.builder();
    // With upgrades, which nothing here asks for, the bound on versions would not hold.
    let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    let mut connection = pin!(connection);
    let mut closing = pin!(manner.closing.cancelled());
    let mut first = pin!(async {
        // Later than the bound on heads itself, which knows more about what came.
        let late = tokio::time::sleep(manner.head_timeout + manner.head_timeout / 4);
        tokio::select! {
            () = heard.notified() => std::future::pending::<()>().await,
            () = late => {}
        }
    });
    let ended = tokio::select! {
        ended = &mut connection => ended,
        () = &mut first => return,
        () = &mut closing => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::trace!(error = &*error, "a connection broke");
    }
}
