//! A server for tests that answers each connection with prepared bytes, so that it can also misbehave.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with a connection, in order.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// Sends these bytes and closes.
    Bytes(Vec<u8>),
    /// Sends a head, and then one byte after another for ever.
    Drip,
    /// Sends a head without a length, and then blocks of bytes for ever.
    Flood,
    /// Reads the request and says nothing.
    Silence,
    /// Closes at once.
    Close,
}

/// A server on loopback. It ends with the runtime of its test.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl TestServer {
    /// Gives each connection the next answer; the last one is repeated.
    pub(crate) async fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback can be bound");
        let address = listener.local_addr().expect("bound");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            let mut answers = answers.into_iter().peekable();
            let mut last = Answer::Close;
            while let Ok((stream, _)) = listener.accept().await {
                last = answers.next().unwrap_or(last);
                tokio::spawn(serve(stream, last.clone(), Arc::clone(&seen)));
            }
        });
        Self { address, requests }
    }

    /// A URL of the server.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The requests so far, as they came over the wire.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().clone()
    }
}

/// A response with a body.
pub(crate) fn response(status: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut text = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        let _ = write!(text, "{name}: {value}\r\n");
    }
    Answer::Bytes(format!("{text}\r\n{body}").into_bytes())
}

async fn serve(mut stream: TcpStream, answer: Answer, seen: Arc<Mutex<Vec<String>>>) {
    if matches!(answer, Answer::Close) {
        return;
    }
    let request = read_request(&mut stream).await;
    seen.lock().push(request);
    match answer {
        Answer::Bytes(bytes) => {
            let _ = stream.write_all(&bytes).await;
            let _ = stream.shutdown().await;
        }
        Answer::Drip => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n").await;
            while stream.write_all(b"x").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
        Answer::Flood => {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await;
            while stream.write_all(&[b'x'; 8192]).await.is_ok() {}
        }
        Answer::Silence => {
            let _ = stream.read(&mut [0; 1]).await;
        }
        Answer::Close => {}
    }
}

/// Reads a request with its body, by its content length.
async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut block = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_ascii_lowercase().strip_prefix("content-length: ").map(str::to_owned)
                })
                .and_then(|length| length.parse::<usize>().ok())
                .unwrap_or(0);
            if body.len() >= length {
                return text;
            }
        }
        match stream.read(&mut block).await {
            Ok(0) | Err(_) => return text,
            Ok(count) => bytes.extend_from_slice(&block[..count]),
        }
    }
}
