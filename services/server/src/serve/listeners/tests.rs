//! Callers that behave and misbehave, over sockets of loopback.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use api::TrustedProxies;
use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use axum::routing::{get, post};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::serve::authority::Authority;

const PATIENCE: Duration = Duration::from_secs(20);
const LONG: Duration = Duration::from_mins(10);

struct Served {
    addr: SocketAddr,
    closing: CancellationToken,
    task: JoinHandle<()>,
}

async fn serve(head_timeout: Duration, router: Router) -> Served {
    serve_with(options(head_timeout), router).await
}

fn options(head_timeout: Duration) -> ListenerOptions {
    let proxies = TrustedProxies::default();
    let caps = CapOptions { live: LiveCaps::new(1_000, 1_000), refused_max: 8, proxies };
    ListenerOptions { head_timeout, serves_http2: false, tls: None, streams_max: 128, age_max: None, caps }
}

async fn serve_with(options: ListenerOptions, router: Router) -> Served {
    let listener = bind("127.0.0.1:0".parse().expect("an address"), "a test", "").await.expect("a port");
    let (addr, closing) = (listener.local_addr().expect("bound"), CancellationToken::new());
    let task = super::serve(listener, router, options, closing.clone());
    Served { addr, closing, task }
}

fn hello() -> Router {
    Router::new()
        .route("/", get(|ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.to_string() }))
}

/// What the server sends after these bytes, until it closes the connection.
async fn answer(addr: SocketAddr, sent: &[u8]) -> String {
    let stream = TcpStream::connect(addr).await.expect("it listens");
    answer_on(stream, sent).await
}

async fn answer_on(stream: impl AsyncRead + AsyncWrite + Unpin, sent: &[u8]) -> String {
    String::from_utf8_lossy(&bytes_on(stream, sent).await).into_owned()
}

async fn bytes_on(mut stream: impl AsyncRead + AsyncWrite + Unpin, sent: &[u8]) -> Vec<u8> {
    // A server that closes while this is written has said what it had to say.
    let _ = stream.write_all(sent).await;
    let mut answer = Vec::new();
    // A reset ends the connection as well.
    let closed = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
    assert!(closed.is_ok(), "the connection is still open");
    answer
}

#[tokio::test]
async fn requests_are_answered_and_know_their_peer() {
    let served = serve(LONG, hello()).await;
    let text = answer(served.addr, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert!(text.starts_with("HTTP/1.1 200") && text.contains("127.0.0.1:"), "{text}");
    served.closing.cancel();
    served.task.await.expect("it ends");
}

#[tokio::test]
async fn a_head_that_does_not_come_ends_the_connection() {
    // Long enough for a head that is sent at once, on a machine that does something else first.
    let served = serve(Duration::from_secs(1), hello()).await;
    for sent in ["", "G", "GET / HTTP/1.1\r\nHost: x\r\nX-A: b"] {
        let text = answer(served.addr, sent.as_bytes()).await;
        assert!(!text.contains("200"), "{sent:?}: {text}");
    }
    let text = answer(served.addr, b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HT").await;
    assert!(text.starts_with("HTTP/1.1 200"), "the second head is late, the first was not: {text}");
}

#[tokio::test]
async fn what_is_under_way_is_answered_before_the_end() {
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (Arc::clone(&begun), Arc::clone(&go_on));
    let slow = get(move || async move {
        tell.notify_one();
        wait.notified().await;
        "done"
    });
    let served = serve(LONG, Router::new().route("/", slow)).await;
    let asking = tokio::spawn(answer(served.addr, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    let _idle = TcpStream::connect(served.addr).await.expect("it listens");
    begun.notified().await;
    served.closing.cancel();
    go_on.notify_one();
    let text = tokio::time::timeout(PATIENCE, asking).await.expect("in time").expect("no panic");
    assert!(text.ends_with("done"), "{text}");
    tokio::time::timeout(PATIENCE, served.task)
        .await
        .expect("idle connections do not hold it")
        .expect("no panic");
}

/// A connection whose first request was answered, so that it is known to have its place.
async fn open(addr: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(addr).await.expect("it listens");
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.expect("it is read");
    let mut first = [0; 12];
    let read = tokio::time::timeout(PATIENCE, stream.read_exact(&mut first)).await;
    assert!(read.is_ok_and(|read| read.is_ok()), "it is answered");
    assert_eq!(&first, b"HTTP/1.1 200");
    stream
}

#[tokio::test]
async fn beyond_the_caps_callers_are_asked_to_retry_and_health_is_answered() {
    let mut bounded = options(LONG);
    bounded.caps.live = LiveCaps::new(2, 1_000);
    let router = hello().route("/healthz", get(|| async { "well" }));
    let served = serve_with(bounded, router).await;
    let held = [open(served.addr).await, open(served.addr).await];
    let text = answer(served.addr, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(text.starts_with("HTTP/1.1 503"), "{text}");
    assert!(text.to_lowercase().contains("retry-after: 1"), "{text}");
    let text = answer(served.addr, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(text.starts_with("HTTP/1.1 200") && text.ends_with("well"), "{text}");
    drop(held);
    testkit::eventually("a place is free again", || async {
        let text = answer(served.addr, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
        text.starts_with("HTTP/1.1 200")
    })
    .await;
}

#[tokio::test]
async fn beyond_all_caps_connections_are_closed_and_none_hangs() {
    let mut bounded = options(LONG);
    (bounded.caps.live, bounded.caps.refused_max) = (LiveCaps::new(1, 1_000), 0);
    let served = serve_with(bounded, hello()).await;
    let _held = open(served.addr).await;
    for _ in 0..3 {
        let text = answer(served.addr, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
        assert_eq!(text, "", "it is closed without an answer");
    }
}

#[tokio::test]
async fn heads_are_bounded() {
    let served = serve(LONG, hello()).await;
    let long = "a".repeat(60 * 1024);
    let text = answer(
        served.addr,
        format!("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Long: {long}\r\n\r\n").as_bytes(),
    )
    .await;
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    let long = "a".repeat(70 * 1024);
    let text = answer(served.addr, format!("GET / HTTP/1.1\r\nHost: x\r\nX-Long: {long}").as_bytes()).await;
    assert!(!text.contains("200"), "{text}");
}

/// Answers before the body of a request has come, as whoever is not let in is answered.
fn refusing() -> Router {
    Router::new().route("/", post(|| async { StatusCode::UNAUTHORIZED }))
}

/// Sends the head of a large body, and a part of it; answers the connection when it has the whole head of the answer.
async fn answered_early(addr: SocketAddr, length: usize) -> TcpStream {
    let mut stream = TcpStream::connect(addr).await.expect("it listens");
    let head = format!("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\nx");
    stream.write_all(head.as_bytes()).await.expect("the head is taken");
    let (mut answer, mut piece) = (Vec::new(), [0; 1024]);
    while !answer.ends_with(b"\r\n\r\n") {
        let read = tokio::time::timeout(PATIENCE, stream.read(&mut piece)).await.expect("it is answered");
        let count = read.expect("the answer is read");
        assert_ne!(count, 0, "it ended early: {}", String::from_utf8_lossy(&answer));
        answer.extend_from_slice(&piece[..count]);
    }
    assert!(answer.starts_with(b"HTTP/1.1 401"), "{}", String::from_utf8_lossy(&answer));
    stream
}

#[tokio::test]
async fn the_rest_of_a_body_is_taken_after_an_early_answer() {
    let served = serve(LONG, refusing()).await;
    let length = 4 * 1024 * 1024;
    let mut stream = answered_early(served.addr, length).await;
    // Beyond what the buffers of the two sockets hold together, in pieces: the first one after a reset would still be taken.
    for _ in 0..64 {
        stream.write_all(&vec![b'x'; length / 64]).await.expect("a caller that goes on sending is not reset");
    }
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await.expect("it ends");
    assert!(ended.is_ok() && rest.is_empty(), "{ended:?}");
}

#[tokio::test]
async fn a_caller_that_never_stops_sending_is_cut() {
    let served = serve(LONG, refusing()).await;
    let mut stream = answered_early(served.addr, usize::MAX / 2).await;
    let endless = async {
        let piece = vec![b'x'; 64 * 1024];
        while stream.write_all(&piece).await.is_ok() {}
    };
    tokio::time::timeout(PATIENCE, endless).await.expect("the connection ends");
}

impl Authority {
    fn options(&self, offers_http2: bool, asks_callers: bool, closing: CancellationToken) -> ListenerOptions {
        let at = |name: &str| self.file(name);
        let files = TlsFiles {
            certificate: at("localhost.crt"),
            key: at("localhost.key"),
            client_ca: asks_callers.then(|| at("ca.crt")),
            offers_http2,
        };
        let tls = watched(watch::channel(files).1, closing).expect("usable files");
        ListenerOptions { serves_http2: offers_http2, tls: Some(tls), ..options(LONG) }
    }

    fn caller(&self, shows_certificate: bool, protocol: &[u8]) -> TlsConnector {
        install_provider();
        let at = |name: &str| self.file(name);
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(at("ca.crt")).expect("a certificate")).expect("an authority");
        let builder = ClientConfig::builder().with_root_certificates(roots);
        let mut config = if shows_certificate {
            let chain = vec![CertificateDer::from_pem_file(at("caller.crt")).expect("a certificate")];
            let key = PrivateKeyDer::from_pem_file(at("caller.key")).expect("a key");
            builder.with_client_auth_cert(chain, key).expect("they fit")
        } else {
            builder.with_no_client_auth()
        };
        config.alpn_protocols = vec![protocol.to_vec()];
        TlsConnector::from(Arc::new(config))
    }
}

async fn connect(
    connector: &TlsConnector,
    addr: SocketAddr,
) -> std::io::Result<tokio_rustls::client::TlsStream<TcpStream>> {
    let stream = TcpStream::connect(addr).await?;
    let name = ServerName::try_from("localhost").expect("a name");
    connector.connect(name, stream).await
}

#[tokio::test]
async fn tls_is_spoken_and_callers_can_be_asked_for_a_certificate() {
    let authority = Authority::new();
    let closing = CancellationToken::new();
    let served = serve_with(authority.options(false, true, closing.clone()), hello()).await;
    let known = authority.caller(true, b"http/1.1");
    let stream = connect(&known, served.addr).await.expect("a caller with a certificate");
    let text = answer_on(stream, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    let stranger = authority.caller(false, b"http/1.1");
    // With TLS 1.3 the caller gets the refusal when it reads.
    let text = match connect(&stranger, served.addr).await {
        Ok(stream) => answer_on(stream, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await,
        Err(_) => String::new(),
    };
    assert_eq!(text, "", "nobody without a certificate is answered");
    let text = answer(served.addr, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(!text.contains("200"), "nor without TLS: {text}");
    closing.cancel();
}

/// The preface of HTTP/2 and empty settings.
const HTTP2_HELLO: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";
/// The identifier of the setting by which a server bounds streams.
const MAX_CONCURRENT_STREAMS: u16 = 3;

#[tokio::test]
async fn http2_is_spoken_where_it_is_wanted_and_bounds_its_streams() {
    let authority = Authority::new();
    let closing = CancellationToken::new();
    let served = serve_with(authority.options(true, false, closing.clone()), hello()).await;
    let caller = authority.caller(false, b"h2");
    let mut stream = connect(&caller, served.addr).await.expect("a connection");
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    stream.write_all(HTTP2_HELLO).await.expect("it is read");
    let mut head = [0; 9];
    stream.read_exact(&mut head).await.expect("a frame");
    assert_eq!(head[3], 4, "the first frame holds settings");
    let length = usize::from(u16::from_be_bytes([head[1], head[2]]));
    let mut settings = vec![0; length];
    stream.read_exact(&mut settings).await.expect("the settings");
    let bound = settings.chunks_exact(6).find_map(|one| {
        let value = u32::from_be_bytes([one[2], one[3], one[4], one[5]]);
        (u16::from_be_bytes([one[0], one[1]]) == MAX_CONCURRENT_STREAMS).then_some(value)
    });
    assert_eq!(bound, Some(128));
    closing.cancel();

    // It is no head of a request, and ends as one that does not come.
    let plain = serve(Duration::from_millis(50), hello()).await;
    let text = answer(plain.addr, HTTP2_HELLO).await;
    assert!(!text.contains("200") && !text.starts_with('\0'), "HTTP/1.1 is the default: {text:?}");
}

/// Kinds and flags of frames.
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// `GET http://x/` by the indexes of HPACK's table.
const HTTP2_HEAD: &[u8] = &[0x82, 0x86, 0x84, 0x01, 0x01, b'x'];

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a frame is small").to_be_bytes();
    let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
    [head.as_slice(), payload].concat()
}

/// The kind of the first frame about a stream, or of the one that ends the connection; `None` where it ended without.
async fn first_about(stream: &mut TcpStream, id: u32) -> Option<u8> {
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await.ok()?;
        let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
        stream.read_exact(&mut payload).await.ok()?;
        let about = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        if about == id || head[3] == GOAWAY {
            return Some(head[3]);
        }
    }
}

/// A listener for HTTP/2 without TLS, and how many requests it has answered.
async fn counting() -> (Served, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let router = Router::new().route(
        "/",
        get(move || async move {
            counted.fetch_add(1, Ordering::Relaxed);
            "hello"
        }),
    );
    (serve_with(ListenerOptions { serves_http2: true, ..options(LONG) }, router).await, count)
}

#[tokio::test]
async fn heads_of_http2_are_bounded() {
    let (served, count) = counting().await;
    let asked = async |block: &[u8]| {
        let mut sent = HTTP2_HELLO.to_vec();
        let parts: Vec<&[u8]> = block.chunks(16_000).collect();
        for (index, part) in parts.iter().enumerate() {
            let (kind, flags) = if index == 0 { (HEADERS, END_STREAM) } else { (CONTINUATION, 0) };
            let end = if index + 1 == parts.len() { END_HEADERS } else { 0 };
            sent.extend(frame(kind, flags | end, 1, part));
        }
        let mut stream = TcpStream::connect(served.addr).await.expect("it listens");
        // A server that ends the connection meanwhile has said what it had to say.
        let _ = stream.write_all(&sent).await;
        tokio::time::timeout(PATIENCE, first_about(&mut stream, 1)).await.expect("it is answered")
    };
    assert_eq!(asked(HTTP2_HEAD).await, Some(HEADERS));
    assert_eq!(count.load(Ordering::Relaxed), 1);
    // Five fields `x-a` of 16,000 bytes: their length begins with 127 and goes on in groups of seven bits.
    let field = [&[0x00_u8, 3][..], b"x-a", &[0x7f, 0x81, 0x7c], &[b'a'; 16_000]].concat();
    asked(&[HTTP2_HEAD, &field.repeat(5)].concat()).await;
    assert_eq!(count.load(Ordering::Relaxed), 1, "nobody sees such a request");
}

#[tokio::test]
async fn a_caller_that_opens_and_resets_streams_is_cut() {
    let (served, count) = counting().await;
    let mut flood = HTTP2_HELLO.to_vec();
    for stream in (1..8_000).step_by(2) {
        flood.extend(frame(HEADERS, END_STREAM | END_HEADERS, stream, HTTP2_HEAD));
        flood.extend(frame(RST_STREAM, 0, stream, &8_u32.to_be_bytes()));
    }
    let stream = TcpStream::connect(served.addr).await.expect("it listens");
    // Ends only when the server closes the connection.
    bytes_on(stream, &flood).await;
    let answered = count.load(Ordering::Relaxed);
    assert!(answered < 400, "{answered} of 4,000 requests were worked on");
    assert!(
        answer(served.addr, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            .await
            .ends_with("hello")
    );
}
