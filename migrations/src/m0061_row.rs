//! The columns of a job in another order on PostgreSQL, so that a claim writes less to the log.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0061_row", &[]).on_postgres(POSTGRES);

const POSTGRES: &[&str] = &[
    // Where the new version of a row finds room on the page of the old one, the log has only what lies between the first
    // and the last byte that changed. A claimed job is a third longer: with 40 % all new versions find room, with 50 % five of
    // six.
    "ALTER TABLE job SET (fillfactor = 40)",
    // What a claim does not change goes behind what it does. A table cannot be given another order: the columns are made
    // again, and filled while the table is written anew. More than 32 MiB of unfinished jobs would keep claims waiting
    // for seconds: they stay as they are, which costs no more than it did. So they do where somebody has made a view of
    // them, or given rights to single columns.
    // Indexes on these columns go with them, and come again.
    "DO $do$
    DECLARE
        moved CONSTANT text[] := ARRAY['run_at', 'queued_at', 'created_at', 'timeout_ms', 'attempt_base', 'retries_max',
            'crashes', 'tier', 'execution_id', 'node_id', 'backoff', 'tags', 'traceparent', 'data'];
        indexes text[]; definitions text[]; made text; filled text; dropped text; moving text;
    BEGIN
        IF pg_table_size('job') > 33554432 OR EXISTS (
            SELECT 1 FROM pg_attribute WHERE attrelid = 'job'::regclass AND attacl IS NOT NULL
        ) THEN
            RETURN;
        END IF;
        SELECT array_agg(quote_ident(c.relname) ORDER BY c.oid), array_agg(pg_get_indexdef(c.oid) ORDER BY c.oid)
            INTO indexes, definitions
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = 'job'::regclass;
        SELECT
            string_agg(format('ADD COLUMN %I %s', m.attname || '_moved', m.kind), ', ' ORDER BY m.place),
            string_agg(format('ALTER COLUMN %I TYPE %s USING %I', m.attname || '_moved', m.kind, m.attname)
                || CASE WHEN m.attnotnull THEN format(', ALTER COLUMN %I SET NOT NULL', m.attname || '_moved') ELSE '' END,
                ', '),
            string_agg(format('DROP COLUMN %I', m.attname), ', ')
            INTO made, filled, dropped
        FROM (
            SELECT a.attname, a.attnotnull, format_type(a.atttypid, a.atttypmod) AS kind, w.place
            FROM unnest(moved) WITH ORDINALITY AS w (attname, place)
            JOIN pg_attribute a ON a.attrelid = 'job'::regclass AND a.attname = w.attname
        ) m;
        EXECUTE 'ALTER TABLE job ' || made;
        EXECUTE 'ALTER TABLE job ' || filled;
        EXECUTE 'ALTER TABLE job ' || dropped;
        FOREACH moving IN ARRAY moved LOOP
            EXECUTE format('ALTER TABLE job RENAME COLUMN %I TO %I', moving || '_moved', moving);
        END LOOP;
        FOR place IN 1 .. cardinality(indexes) LOOP
            IF to_regclass(indexes[place]) IS NULL THEN
                EXECUTE definitions[place];
            END IF;
        END LOOP;
    EXCEPTION WHEN dependent_objects_still_exist THEN
        RAISE NOTICE 'the columns of jobs stay in their order: %', SQLERRM;
    END $do$",
];
