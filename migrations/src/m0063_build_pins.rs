//! Job types that are pinned to builds of workers.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0063_build_pins", &[STATEMENTS]);

// `tenant` is empty for a pin of all tenants. `builds` is a list of names as JSON: pins are read as a whole.
const STATEMENTS: &[&str] = &["CREATE TABLE build_pin (
       tenant text NOT NULL,
       job_type text NOT NULL,
       builds text NOT NULL,
       source text NOT NULL CHECK (source IN ('operator', 'worker')),
       since bigint NOT NULL,
       PRIMARY KEY (tenant, job_type)
     )"];
