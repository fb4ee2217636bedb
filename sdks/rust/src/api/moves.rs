//! Calls of moves. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use super::Calls;
use crate::error::ClientError;
use crate::models::{Move, MoveRequest};
use crate::transport::Request;

impl Calls {
    /// Move the store to another database.
    /// Copies the SQLite database of the server to an empty PostgreSQL database and continues there. The server accepts and runs work
    /// meanwhile; only the last changes are copied while it stands still, when calls are answered 503 with `Retry-After`. Until then
    /// the old database is the one in use; afterwards it can only be read. Requires a key that is not bound to a tenant. Servers on
    /// PostgreSQL answer 409 `move_unsupported`.
    pub async fn start_move(&self, body: &MoveRequest) -> Result<Move, ClientError> {
        self.call(Request::new("startMove", "POST", "/v1/moves").keyed().body(body)?).await
    }

    /// Get the last move.
    /// The one that was last requested from this process, finished or not. Requires a key that is not bound to a tenant.
    pub async fn last_move(&self) -> Result<Move, ClientError> {
        self.call(Request::new("lastMove", "GET", "/v1/moves/last")).await
    }

    /// Abort the move.
    /// Gives up the move that is under way: the server keeps its database, and the new one can be used for another move. 409 `move_finishing`
    /// while the last changes are copied, and `move_not_running` where no move is under way. Requires a key that is not bound to a tenant.
    pub async fn abort_move(&self) -> Result<Move, ClientError> {
        self.call(Request::new("abortMove", "POST", "/v1/moves/last/abort").keyed()).await
    }
}
