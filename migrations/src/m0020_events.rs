//! Events: triggers of their own, nodes that wait for them, and what a delivery woke.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0020_events", &[STATEMENTS]);

const STATEMENTS: &[&str] = &[
    // `config` is JSON.
    "CREATE TABLE event_trigger (
        id {uuid} PRIMARY KEY,
        tenant text NOT NULL,
        name text NOT NULL,
        config text NOT NULL,
        is_paused smallint NOT NULL,
        version bigint NOT NULL,
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL,
        UNIQUE (tenant, name)
    )",
    "CREATE INDEX event_trigger_tenant ON event_trigger (tenant, id)",
    // A row for each type of event that a node waits for. `paths` says which parts of a body are compared, `digest` what
    // they have to be. `look_from` is set until somebody has looked for events that came before.
    "CREATE TABLE event_wait (
        execution_id {uuid} NOT NULL,
        node_id text NOT NULL,
        event text NOT NULL,
        round integer NOT NULL,
        tenant text NOT NULL,
        paths text NOT NULL,
        digest {bytes} NOT NULL,
        has_filter smallint NOT NULL,
        began_at bigint NOT NULL,
        look_from bigint,
        PRIMARY KEY (execution_id, node_id, event)
    ) {hot}",
    "CREATE INDEX event_wait_match ON event_wait (tenant, event, paths, digest, execution_id, node_id)",
    "CREATE INDEX event_wait_look ON event_wait (began_at) WHERE look_from IS NOT NULL",
    // What a delivery woke: elements of a JSON list, with commas between them.
    "ALTER TABLE webhook_delivery ADD COLUMN woke text",
    // The newest events of a type, for nodes that look back.
    "CREATE INDEX webhook_delivery_event ON webhook_delivery (tenant, event_type, id) WHERE event_type IS NOT NULL",
];
