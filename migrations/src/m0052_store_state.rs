//! What a store is: which protocol its processes speak, and whether it is in use, being filled by a move, or was moved.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration =
    SqlMigration::new("m0052_store_state", &[STATEMENTS]).on_postgres(POSTGRES);

const STATEMENTS: &[&str] = &[
    // One row. `other` is the other end of the move, without credentials. `nonce` distinguishes one PostgreSQL store from
    // another one; its replicas have the same.
    "CREATE TABLE store_state (
        id smallint PRIMARY KEY CHECK (id = 1),
        protocol integer NOT NULL,
        state text NOT NULL CHECK (state IN ('serving', 'receiving', 'complete', 'moved')),
        move_id {uuid},
        other text,
        changed_at bigint NOT NULL,
        nonce bigint NOT NULL
    )",
    "INSERT INTO store_state (id, protocol, state, changed_at, nonce) VALUES (1, 1, 'serving', 0, 0)",
];

const POSTGRES: &[&str] = &["UPDATE store_state SET nonce = (random() * 9007199254740991)::bigint"];
