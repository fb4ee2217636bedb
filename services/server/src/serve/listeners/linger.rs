//! The end of a connection whose request was answered before its body had come.
//!
//! A socket that is closed while bytes wait in it is reset, and a reset takes the answer along: the caller sees a broken pipe in
//! the place of its 413 or 401. So what still comes is read and dropped for a moment after the answer.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::http::{Request, Version};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// How long a caller may go on sending after its answer.
const TIME_MAX: Duration = Duration::from_secs(2);
/// How much it may send then.
const BYTES_MAX: usize = 16 * 1024 * 1024;
/// How much is read at a time.
const PIECE: usize = 8 * 1024;

/// Whether the body of the request that came last on a connection has not been read to its end.
#[derive(Debug, Clone, Default)]
pub(super) struct UnreadBody(Arc<AtomicBool>);

impl UnreadBody {
    /// Watches how far the body of a request is read. Streams of HTTP/2 end one by one, and are left alone.
    pub(super) fn watch(&self, request: Request<Incoming>) -> Request<RequestBody> {
        let is_watched = request.version() < Version::HTTP_2;
        self.set(is_watched && !request.body().is_end_stream());
        request.map(|incoming| RequestBody { incoming, unread: is_watched.then(|| self.clone()) })
    }

    fn set(&self, is_unread: bool) {
        self.0.store(is_unread, Ordering::Relaxed);
    }

    fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The body of a request as it comes.
#[derive(Debug)]
pub(super) struct RequestBody {
    incoming: Incoming,
    unread: Option<UnreadBody>,
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.incoming).poll_frame(context));
        let is_whole = frame.is_none() || self.incoming.is_end_stream();
        if let (true, Some(unread)) = (is_whole, &self.unread) {
            unread.set(false);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

/// A connection that, once its answers are written and its sending side is shut, drops what is left of an unread body.
pub(super) struct Lingering<I> {
    stream: I,
    unread: UnreadBody,
    rest: Option<Rest>,
}

/// What may still be dropped.
struct Rest {
    bytes: usize,
    end: Pin<Box<Sleep>>,
}

impl<I> Lingering<I> {
    /// A connection, and what is known of its last body.
    pub(super) fn new(stream: I, unread: UnreadBody) -> Self {
        Self { stream, unread, rest: None }
    }
}

impl Rest {
    fn new() -> Self {
        Self { bytes: BYTES_MAX, end: Box::pin(tokio::time::sleep(TIME_MAX)) }
    }

    /// Ready when the caller has closed, or had enough.
    fn poll_drop<I: AsyncRead + Unpin>(&mut self, stream: &mut I, context: &mut Context<'_>) -> Poll<()> {
        let mut piece = [0; PIECE];
        while self.bytes > 0 && self.end.as_mut().poll(context).is_pending() {
            let mut buffer = ReadBuf::new(&mut piece);
            let read = ready!(Pin::new(&mut *stream).poll_read(context, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                break;
            }
            self.bytes = self.bytes.saturating_sub(buffer.filled().len());
        }
        Poll::Ready(())
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for Lingering<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<I: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Lingering<I> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.rest.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(context))?;
            if !this.unread.get() {
                return Poll::Ready(Ok(()));
            }
        }
        let rest = this.rest.get_or_insert_with(Rest::new);
        ready!(rest.poll_drop(&mut this.stream, context));
        Poll::Ready(Ok(()))
    }
}
