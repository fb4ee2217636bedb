//! Secrets of tenants, for the requests of their workflows.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0019_secrets", &[STATEMENTS]);

const STATEMENTS: &[&str] = &["CREATE TABLE tenant_secret (
        tenant text NOT NULL,
        name text NOT NULL,
        id {uuid} NOT NULL,
        provider text NOT NULL CHECK (provider IN ('store', 'environment', 'file')),
        reference text,
        hosts text NOT NULL,
        key_id text,
        sealed {bytes},
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL,
        PRIMARY KEY (tenant, name)
    )"];
