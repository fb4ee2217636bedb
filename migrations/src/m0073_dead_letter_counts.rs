//! Counts of open dead letters by kind of error, kept with each change of one.
//!
//! The database keeps them itself, so that processes of the former version, which work beside newer ones during an upgrade,
//! are counted too. What changes is appended, and added up by upkeep: a counter would be what all who change letters of one
//! kind wait for.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration =
    SqlMigration::new("m0073_dead_letter_counts", &[STATEMENTS]).on_postgres(POSTGRES).on_sqlite(SQLITE);

const STATEMENTS: &[&str] = &[
    // What has been added up.
    "CREATE TABLE dead_letter_count (
        fingerprint text NOT NULL,
        tenant text NOT NULL,
        queue smallint NOT NULL,
        job_type text NOT NULL,
        workflow text NOT NULL,
        reason text NOT NULL,
        opened bigint NOT NULL,
        PRIMARY KEY (fingerprint, tenant, queue, job_type, workflow, reason)
    ) {hot}",
    "CREATE INDEX dead_letter_count_tenant ON dead_letter_count (tenant)",
    // How many died in an hour of the last day, which begins at `at`.
    "CREATE TABLE dead_letter_hour (
        fingerprint text NOT NULL,
        at bigint NOT NULL,
        tenant text NOT NULL,
        died bigint NOT NULL,
        PRIMARY KEY (fingerprint, at, tenant)
    ) {hot}",
    "CREATE INDEX dead_letter_hour_age ON dead_letter_hour (at)",
    "CREATE INDEX dead_letter_hour_tenant ON dead_letter_hour (tenant)",
    // What is to be added: `opened` may be negative.
    "CREATE TABLE dead_letter_change (
        position {identity},
        fingerprint text NOT NULL,
        tenant text NOT NULL,
        queue smallint NOT NULL,
        job_type text NOT NULL,
        workflow text NOT NULL,
        reason text NOT NULL,
        at bigint NOT NULL,
        opened bigint NOT NULL,
        died bigint NOT NULL
    ) {hot}",
    "INSERT INTO dead_letter_count (fingerprint, tenant, queue, job_type, workflow, reason, opened)
     SELECT fingerprint, tenant, queue, job_type, workflow, reason, count(*) FROM dead_letter WHERE status = 'open'
     GROUP BY fingerprint, tenant, queue, job_type, workflow, reason",
    // The last day before the newest, whatever the clock says.
    "INSERT INTO dead_letter_hour (fingerprint, at, tenant, died)
     SELECT fingerprint, died_at / 3600000 * 3600000, tenant, count(*) FROM dead_letter
     WHERE died_at >= (SELECT max(died_at) FROM dead_letter) - 90000000
     GROUP BY fingerprint, died_at / 3600000 * 3600000, tenant",
    // Counted by a statement of its own no longer.
    "DROP INDEX dead_letter_open",
];

/// Once for each statement: what dies together is mostly of one kind.
const POSTGRES: &[&str] = &[
    "CREATE FUNCTION dead_letters_counted() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $do$
    BEGIN
        IF TG_OP = 'INSERT' THEN
            INSERT INTO dead_letter_change
                (fingerprint, tenant, queue, job_type, workflow, reason, at, opened, died)
            SELECT fingerprint, tenant, queue, job_type, workflow, reason, died_at / 3600000 * 3600000, count(*), count(*)
            FROM made WHERE status = 'open' GROUP BY 1, 2, 3, 4, 5, 6, 7;
        ELSIF TG_OP = 'UPDATE' THEN
            INSERT INTO dead_letter_change
                (fingerprint, tenant, queue, job_type, workflow, reason, at, opened, died)
            SELECT fingerprint, tenant, queue, job_type, workflow, reason, 0, sum(one), 0
            FROM (
                SELECT fingerprint, tenant, queue, job_type, workflow, reason, 1 AS one FROM made WHERE status = 'open'
                UNION ALL
                SELECT fingerprint, tenant, queue, job_type, workflow, reason, -1 FROM gone WHERE status = 'open'
            ) changed GROUP BY 1, 2, 3, 4, 5, 6 HAVING sum(one) <> 0;
        ELSE
            INSERT INTO dead_letter_change
                (fingerprint, tenant, queue, job_type, workflow, reason, at, opened, died)
            SELECT fingerprint, tenant, queue, job_type, workflow, reason, 0, -count(*), 0
            FROM gone WHERE status = 'open' GROUP BY 1, 2, 3, 4, 5, 6;
        END IF;
        RETURN NULL;
    END $do$",
    "CREATE TRIGGER dead_letter_counted_insert AFTER INSERT ON dead_letter REFERENCING NEW TABLE AS made
        FOR EACH STATEMENT EXECUTE FUNCTION dead_letters_counted()",
    "CREATE TRIGGER dead_letter_counted_update AFTER UPDATE ON dead_letter
        REFERENCING NEW TABLE AS made OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION dead_letters_counted()",
    "CREATE TRIGGER dead_letter_counted_delete AFTER DELETE ON dead_letter REFERENCING OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION dead_letters_counted()",
];

const SQLITE: &[&str] = &[
    "CREATE TRIGGER dead_letter_counted_insert AFTER INSERT ON dead_letter WHEN NEW.status = 'open'
    BEGIN
        INSERT INTO dead_letter_change (fingerprint, tenant, queue, job_type, workflow, reason, at, opened, died)
        VALUES (NEW.fingerprint, NEW.tenant, NEW.queue, NEW.job_type, NEW.workflow, NEW.reason,
            NEW.died_at / 3600000 * 3600000, 1, 1);
    END",
    "CREATE TRIGGER dead_letter_counted_update AFTER UPDATE ON dead_letter
        WHEN (OLD.status = 'open') <> (NEW.status = 'open')
    BEGIN
        INSERT INTO dead_letter_change (fingerprint, tenant, queue, job_type, workflow, reason, at, opened, died)
        VALUES (NEW.fingerprint, NEW.tenant, NEW.queue, NEW.job_type, NEW.workflow, NEW.reason, 0,
            CASE WHEN NEW.status = 'open' THEN 1 ELSE -1 END, 0);
    END",
    "CREATE TRIGGER dead_letter_counted_delete AFTER DELETE ON dead_letter WHEN OLD.status = 'open'
    BEGIN
        INSERT INTO dead_letter_change (fingerprint, tenant, queue, job_type, workflow, reason, at, opened, died)
        VALUES (OLD.fingerprint, OLD.tenant, OLD.queue, OLD.job_type, OLD.workflow, OLD.reason, 0, -1, 0);
    END",
];
