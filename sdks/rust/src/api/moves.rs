//! Calls of moves. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use super::Calls;
use crate::error::ClientError;
use crate::models::{Move, MoveRequest};
use crate::transport::Request;

impl Calls {
    /// Move the store to another database.
    /// Copies the SQLite database of the server to an empty PostgreSQL database and continues on it. The server accepts and
    /// runs work during the copy, and pauses only while the last changes are copied; calls then get 503 with `Retry-After`.
    /// Until then the old database is in use; afterwards it is read-only. Requires a key that is not bound to a tenant.
    /// Servers on PostgreSQL return 409 `move_unsupported`.
    ///
    /// Action `moves.start`: requires role `admin`.
    pub async fn start_move(&self, body: &MoveRequest) -> Result<Move, ClientError> {
        self.call(Request::new("startMove", "POST", "/v1/moves").keyed().body(body)?).await
    }

    /// Get the last move.
    /// Returns the move that was last requested from this process, finished or not. Requires a key that is not bound to a
    /// tenant.
    ///
    /// Action `moves.read`: requires role `admin`.
    pub async fn last_move(&self) -> Result<Move, ClientError> {
        self.call(Request::new("lastMove", "GET", "/v1/moves/last")).await
    }

    /// Abort the move.
    /// The server keeps its database, and the target can be used for another move. Errors: 409 `move_finishing` while the
    /// last changes are copied, 409 `move_not_running` if no move is in progress. Requires a key that is not bound to a
    /// tenant.
    ///
    /// Action `moves.start`: requires role `admin`.
    pub async fn abort_move(&self) -> Result<Move, ClientError> {
        self.call(Request::new("abortMove", "POST", "/v1/moves/last/abort").keyed()).await
    }
}
