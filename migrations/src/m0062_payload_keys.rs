//! Keys that payloads of tenants are sealed with.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0062_payload_keys", &[STATEMENTS]);

// A tenant has a few rows: one for each rotation. '' is the server's own key, for what belongs to no tenant.
const STATEMENTS: &[&str] = &["CREATE TABLE payload_key (
        id {uuid} PRIMARY KEY,
        tenant text NOT NULL,
        key_id text NOT NULL,
        sealed {bytes} NOT NULL,
        seals smallint NOT NULL,
        created_at bigint NOT NULL
    )"];
