//! Processes of the deployment, as they are shown.

use domain::time::Timestamp;
use serde::Serialize;
use store::servers::ServerRecord;
use utoipa::ToSchema;

/// A process of the deployment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Server)]
pub(crate) struct ServerResponse {
    #[schema(example = "srv_0193456789ab7def8123456789abcdef")]
    id: String,
    version: String,
    roles: Vec<String>,
    #[schema(value_type = String, format = DateTime)]
    started_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    last_seen_at: Timestamp,
    /// How far the clock of its machine is ahead of the database's, in milliseconds.
    clock_offset_ms: i64,
}

impl From<ServerRecord> for ServerResponse {
    fn from(server: ServerRecord) -> Self {
        Self {
            id: server.id.to_string(),
            version: server.version,
            roles: server.roles,
            started_at: server.started_at,
            last_seen_at: server.last_seen_at,
            clock_offset_ms: server.clock_offset_ms,
        }
    }
}
