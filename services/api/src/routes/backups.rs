//! `/v1/backups`: a copy of a SQLite database, sent while the server goes on.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use engine::{BackupFile, Caller, Engine, EngineError};
use futures::{Stream, StreamExt as _, stream};
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;
use tokio::task::JoinHandle;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::extract::{Identity, NoBody};
use crate::problem::{ApiResult, Problem};
use crate::state::ApiState;

/// The media type of a SQLite database.
const SQLITE: &str = "application/vnd.sqlite3";

/// The answer begins after so long, whether the copy is ready or not: proxies and the deadline of requests wait for no
/// longer. What goes wrong afterwards breaks the answer off.
const BEGINS_WITHIN: Duration = Duration::from_secs(10);

/// How much is read at once.
const CHUNK_BYTES: usize = 256 * 1024;

/// The routes.
pub(super) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(create_backup))
}

/// Back up the database
///
/// Sends a consistent copy of the SQLite database; the server continues to accept and run work. An incomplete response
/// is not a backup. PostgreSQL databases are backed up with PostgreSQL's own tools (409 `backup_unsupported`).
#[utoipa::path(
    post, path = "/v1/backups", tag = "operations",
    responses((status = 200, description = "A SQLite database.", body = String, content_type = "application/vnd.sqlite3"))
)]
async fn create_backup(
    State(state): State<ApiState>,
    Identity(caller): Identity,
    _: NoBody,
) -> ApiResult<Response> {
    let mut copying = copy(state.engine.clone(), caller);
    let chunks = if let Ok(copied) = tokio::time::timeout(BEGINS_WITHIN, &mut copying).await {
        let file = copied.map_err(|_| Problem::internal())??;
        chunks(async move { Ok::<_, io::Error>(file) }).left_stream()
    } else {
        let copied = async move {
            let copied: Result<BackupFile, EngineError> = copying.await.map_err(io::Error::other)?;
            copied.map_err(io::Error::other)
        };
        chunks(copied).right_stream()
    };
    let headers = [(CONTENT_TYPE, SQLITE), (CACHE_CONTROL, "no-store")];
    Ok((headers, Body::from_stream(chunks.fuse())).into_response())
}

/// In a task of its own: a copy that is nearly done is not thrown away because its caller was slow to listen.
fn copy(engine: Engine, caller: Caller) -> JoinHandle<Result<BackupFile, EngineError>> {
    tokio::spawn(async move { engine.back_up(&caller).await })
}

/// A copy, a piece at a time. It is removed with the stream.
fn chunks(
    copied: impl Future<Output = io::Result<BackupFile>> + Send,
) -> impl Stream<Item = io::Result<Bytes>> + Send {
    stream::once(copied).flat_map(|copied| match copied {
        Ok(copy) => stream::unfold(Some(Sending { copy, file: None, sent: 0 }), |sending| async {
            let mut sending = sending?;
            match sending.next().await {
                Ok(Some(bytes)) => Some((Ok(bytes), Some(sending))),
                Ok(None) => None,
                Err(error) => {
                    tracing::error!(%error, "a backup was interrupted");
                    Some((Err(error), None))
                }
            }
        })
        .left_stream(),
        Err(error) => {
            tracing::error!(%error, "a backup failed");
            stream::iter([Err(error)]).right_stream()
        }
    })
}

/// A copy that is being sent.
struct Sending {
    copy: BackupFile,
    file: Option<File>,
    sent: u64,
}

impl Sending {
    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(File::open(self.copy.path()).await?),
        };
        let mut bytes = Vec::with_capacity(CHUNK_BYTES);
        file.take(CHUNK_BYTES as u64).read_to_end(&mut bytes).await?;
        self.sent += bytes.len() as u64;
        if bytes.is_empty() && self.sent < self.copy.bytes() {
            return Err(io::Error::other("the copy is shorter than it was"));
        }
        Ok((!bytes.is_empty()).then(|| Bytes::from(bytes)))
    }
}
