//! The intake: work that applications write into the database within their own transactions (`trunkline sql install`).
//!
//! The functions, the sequence and the trigger that fill it belong to PostgreSQL and are made by that command, not here.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0028_intake", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // Roles of the database that may write into the intake, and for whom.
    "CREATE TABLE intake_role (
        role text PRIMARY KEY,
        tenant text NOT NULL,
        created_at bigint NOT NULL
    )",
    // `position` is given by the commit that makes a row visible, so that rows are taken in the order of commits.
    "CREATE TABLE intake (
        id {identity},
        position bigint,
        kind text NOT NULL,
        subject {uuid} NOT NULL,
        target {uuid},
        tenant text NOT NULL,
        role text NOT NULL,
        name text NOT NULL,
        options text NOT NULL,
        data text NOT NULL,
        created_at bigint NOT NULL,
        refused_at bigint,
        refusal text
    ) {hot}",
    "CREATE INDEX intake_position ON intake (position) WHERE refused_at IS NULL",
    "CREATE INDEX intake_start ON intake (subject) WHERE kind = 'start'",
    "CREATE INDEX intake_refused ON intake (refused_at) WHERE refused_at IS NOT NULL",
    // Keys of applications, and the id that the first call under each got.
    "CREATE TABLE intake_key (
        tenant text NOT NULL,
        kind text NOT NULL,
        key text NOT NULL,
        subject {uuid} NOT NULL,
        fingerprint text NOT NULL,
        created_at bigint NOT NULL,
        PRIMARY KEY (tenant, kind, key)
    )",
    "CREATE INDEX intake_key_age ON intake_key (created_at)",
    // One row: which process drains, until when, and the bounds that the functions check.
    "CREATE TABLE intake_lease (
        id smallint PRIMARY KEY,
        holder {uuid},
        lease_until bigint NOT NULL,
        payload_bytes_max bigint NOT NULL
    ) {one_page}",
    "INSERT INTO intake_lease (id, holder, lease_until, payload_bytes_max) VALUES (1, NULL, 0, 1048576)",
    // Tenants of which the functions take no more work until there is room.
    "CREATE TABLE intake_over_quota (
        tenant text NOT NULL,
        quota text NOT NULL,
        used bigint NOT NULL,
        quota_limit bigint NOT NULL,
        PRIMARY KEY (tenant, quota)
    )",
];
