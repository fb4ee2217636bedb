//! A small HTTP server for HTTP nodes to call. It counts calls, and can hold them until a test releases them; `/redirect/ADDRESS`
//! sends the caller elsewhere.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::Uri;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::any;
use testkit::ports::free_port;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

#[derive(Debug, Clone)]
struct Door {
    calls: Arc<AtomicUsize>,
    is_open: watch::Receiver<bool>,
}

/// A running target. Ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Target {
    port: u16,
    calls: Arc<AtomicUsize>,
    open: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Target {
    /// A target that answers at once.
    pub(crate) async fn open() -> Self {
        Self::start(true).await
    }

    /// A target that holds every call until [`Target::answer`].
    pub(crate) async fn hanging() -> Self {
        Self::start(false).await
    }

    async fn start(is_open: bool) -> Self {
        let port = free_port();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.expect("the port is free");
        let (open, receiver) = watch::channel(is_open);
        let calls = Arc::new(AtomicUsize::new(0));
        let door = Door { calls: Arc::clone(&calls), is_open: receiver };
        let router = Router::new().fallback(any(pass)).with_state(door);
        let task = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("the target serves");
        });
        Self { port, calls, open, task }
    }

    /// Answers what is held, and everything from now on.
    pub(crate) fn answer(&self) {
        self.open.send_replace(true);
    }

    /// How many calls arrived.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    /// Its base URL.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Its entry in the list of addresses that HTTP nodes may call.
    pub(crate) fn allow(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(State(mut door): State<Door>, uri: Uri) -> Response {
    door.calls.fetch_add(1, Ordering::SeqCst);
    // An error says that the target is gone, and with it whoever waits for the answer.
    let _ = door.is_open.wait_for(|is_open| *is_open).await;
    match uri.path().strip_prefix("/redirect/") {
        Some(address) => Redirect::temporary(&format!("http://{address}/")).into_response(),
        None => ([(CONTENT_TYPE, "application/json")], "{\"fine\": true}").into_response(),
    }
}
