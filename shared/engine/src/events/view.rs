//! A trigger as it is shown.

use domain::id::TriggerId;
use domain::names::{TenantName, TriggerName};
use domain::time::Timestamp;
use domain::webhook::TriggerConfig;
use store::StoreError;
use store::events::TriggerRecord;

/// A trigger of events as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct TriggerView {
    /// Its id.
    pub id: TriggerId,
    /// Whose it is.
    pub tenant: TenantName,
    /// Its name.
    pub name: TriggerName,
    /// What it takes and what it starts.
    pub config: TriggerConfig,
    /// Whether it starts nothing for now.
    pub is_paused: bool,
    /// Grows with each change.
    pub version: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl TriggerView {
    pub(super) fn of(record: TriggerRecord) -> Result<Self, StoreError> {
        Ok(Self {
            config: stored_config(&record)?,
            id: record.id,
            tenant: record.tenant,
            name: record.name,
            is_paused: record.is_paused,
            version: record.version,
            created_at: record.created_at,
            updated_at: record.updated_at,
        })
    }
}

/// The configuration of a row.
pub(super) fn stored_config(record: &TriggerRecord) -> Result<TriggerConfig, StoreError> {
    serde_json::from_str(&record.config).map_err(|_error| StoreError::Corrupt {
        table: "event_trigger",
        column: "config",
        row: record.id.to_string(),
    })
}
