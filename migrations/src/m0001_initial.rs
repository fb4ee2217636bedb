//! The first schema.
//!
//! Instants are epoch milliseconds, ids UUIDs, states short text, JSON opaque text. Absent text in keys is `''`,
//! so that unique keys hold on both databases.

use crate::sql_migration::SqlMigration;

/// The migration.
pub(crate) const MIGRATION: SqlMigration = SqlMigration::new("m0001_initial", &[TABLES, INDEXES, ROWS]);

const TABLES: &[&str] = &[
    // Lanes are few and never removed; jobs refer to them by number.
    "CREATE TABLE lane (
        id {identity},
        queue smallint NOT NULL,
        tier smallint NOT NULL,
        tenant text NOT NULL,
        workflow_owner text NOT NULL,
        workflow text NOT NULL,
        job_type text NOT NULL,
        UNIQUE (queue, tier, tenant, workflow_owner, workflow, job_type)
    )",
    // Whoever moves jobs of a queue to 'processing' adds 1 to its epoch in the same transaction; the row is the
    // lock that makes limits exact. `limits_version` grows with every change of what claims have to obey.
    "CREATE TABLE queue_claim (
        queue smallint PRIMARY KEY,
        epoch bigint NOT NULL,
        limits_version bigint NOT NULL,
        mode text NOT NULL CHECK (mode IN ('running', 'paused', 'draining')),
        changed_at bigint NOT NULL
    ) {one_page}",
    // Unfinished jobs. 'blocked' is a queued job whose concurrency key is taken; it is shown as QUEUED.
    "CREATE TABLE job (
        position {identity},
        id {uuid} NOT NULL UNIQUE,
        queue smallint NOT NULL,
        lane integer NOT NULL,
        state text NOT NULL CHECK (state IN ('scheduled', 'queued', 'blocked', 'processing', 'waiting', 'retry_wait')),
        attempt integer NOT NULL,
        attempt_base integer NOT NULL,
        retries_max integer NOT NULL,
        crashes integer NOT NULL,
        run_at bigint NOT NULL,
        queued_at bigint NOT NULL,
        created_at bigint NOT NULL,
        started_at bigint,
        lease_until bigint,
        lease_ms bigint,
        deadline_at bigint,
        lease_token {uuid},
        worker_id text,
        tier smallint NOT NULL,
        timeout_ms bigint,
        backoff text,
        unique_key text,
        concurrency_key text,
        tags text,
        traceparent text,
        execution_id {uuid},
        node_id text,
        error text,
        progress text,
        data text NOT NULL
    ) {hot}",
    // Finished jobs, moved here when they are settled. The last attempt is in the row, earlier ones in `attempt`.
    "CREATE TABLE job_done (
        id {uuid} PRIMARY KEY,
        position bigint NOT NULL,
        queue smallint NOT NULL,
        lane integer NOT NULL,
        status text NOT NULL CHECK (status IN ('COMPLETED', 'FAILED', 'DEAD_LETTER', 'CANCELLED')),
        attempt integer NOT NULL,
        attempt_base integer NOT NULL,
        retries_max integer NOT NULL,
        run_at bigint NOT NULL,
        queued_at bigint NOT NULL,
        created_at bigint NOT NULL,
        started_at bigint,
        finished_at bigint NOT NULL,
        lease_token {uuid},
        worker_id text,
        attempt_status text,
        tier smallint NOT NULL,
        timeout_ms bigint,
        backoff text,
        unique_key text,
        concurrency_key text,
        tags text,
        traceparent text,
        execution_id {uuid},
        node_id text,
        error text,
        result text,
        data text NOT NULL
    )",
    // Attempts that were followed by another one.
    "CREATE TABLE attempt (
        job_id {uuid} NOT NULL,
        attempt_number integer NOT NULL,
        status text NOT NULL,
        error text,
        started_at bigint NOT NULL,
        finished_at bigint NOT NULL,
        worker_id text NOT NULL,
        PRIMARY KEY (job_id, attempt_number)
    )",
    "CREATE TABLE dead_letter (
        id {uuid} PRIMARY KEY,
        job_id {uuid} NOT NULL,
        queue smallint NOT NULL,
        tier smallint NOT NULL,
        tenant text NOT NULL,
        workflow_owner text NOT NULL,
        workflow text NOT NULL,
        job_type text NOT NULL,
        execution_id {uuid},
        node_id text,
        status text NOT NULL CHECK (status IN ('open', 'requeued', 'archived')),
        reason text NOT NULL,
        error text NOT NULL,
        fingerprint text NOT NULL,
        attempt_count integer NOT NULL,
        data text NOT NULL,
        died_at bigint NOT NULL,
        resolved_at bigint,
        archive_reason text
    )",
    "CREATE TABLE queue_limit (
        queue smallint NOT NULL,
        scope text NOT NULL CHECK (scope IN ('global', 'tenant_default', 'workflow_default', 'tenant', 'workflow')),
        owner text NOT NULL,
        name text NOT NULL,
        max_concurrent integer,
        changed_at bigint NOT NULL,
        PRIMARY KEY (queue, scope, owner, name)
    )",
    "CREATE TABLE workflow (
        owner text NOT NULL,
        name text NOT NULL,
        version integer NOT NULL,
        content_hash text NOT NULL,
        content text NOT NULL,
        max_concurrent integer,
        created_at bigint NOT NULL,
        PRIMARY KEY (owner, name, version)
    )",
    "CREATE TABLE workflow_pause (
        owner text NOT NULL,
        name text NOT NULL,
        paused_at bigint NOT NULL,
        PRIMARY KEY (owner, name)
    )",
    "CREATE TABLE execution (
        id {uuid} PRIMARY KEY,
        job_id {uuid} NOT NULL,
        tenant text NOT NULL,
        workflow_owner text NOT NULL,
        workflow text NOT NULL,
        version integer NOT NULL,
        status text NOT NULL,
        tier smallint NOT NULL,
        trigger_kind text NOT NULL,
        trigger_detail text,
        correlation_id text,
        tags text,
        traceparent text,
        created_at bigint NOT NULL,
        started_at bigint,
        completed_at bigint,
        error text,
        state {bytes},
        input text NOT NULL,
        output text
    )",
    // Append-only; the latest row of a node is its result.
    "CREATE TABLE node_result (
        position {identity},
        execution_id {uuid} NOT NULL,
        node_id text NOT NULL,
        round integer NOT NULL,
        status text NOT NULL,
        attempts integer NOT NULL,
        started_at bigint,
        finished_at bigint NOT NULL,
        input text,
        output text,
        error text
    )",
    "CREATE TABLE execution_event (
        position {identity},
        execution_id {uuid} NOT NULL,
        kind text NOT NULL,
        node_id text,
        detail text,
        at bigint NOT NULL
    )",
    "CREATE TABLE inbox (
        position {identity},
        execution_id {uuid} NOT NULL,
        kind text NOT NULL,
        entry text NOT NULL,
        status text NOT NULL CHECK (status IN ('pending', 'applied', 'refused')),
        reason text,
        created_at bigint NOT NULL
    )",
    "CREATE TABLE tenant (
        name text PRIMARY KEY,
        created_at bigint NOT NULL
    )",
    "CREATE TABLE api_key (
        id {uuid} PRIMARY KEY,
        name text NOT NULL,
        role text NOT NULL,
        tenant text,
        prefix text NOT NULL,
        digest {bytes} NOT NULL UNIQUE,
        created_at bigint NOT NULL,
        revoked_at bigint
    )",
    "CREATE TABLE idempotency (
        owner text NOT NULL,
        key text NOT NULL,
        fingerprint text NOT NULL,
        seed {uuid} NOT NULL,
        process {uuid} NOT NULL,
        response_status integer,
        response_body text,
        reserved_at bigint NOT NULL,
        created_at bigint NOT NULL,
        PRIMARY KEY (owner, key)
    )",
    "CREATE TABLE worker (
        id text PRIMARY KEY,
        kind text NOT NULL,
        tenant text,
        job_types text NOT NULL,
        first_seen_at bigint NOT NULL,
        last_seen_at bigint NOT NULL
    )",
    "CREATE TABLE audit (
        id {uuid} PRIMARY KEY,
        at bigint NOT NULL,
        actor text NOT NULL,
        tenant text,
        action text NOT NULL,
        subject text NOT NULL,
        detail text
    )",
    "CREATE TABLE batch (
        id {uuid} PRIMARY KEY,
        tenant text,
        kind text NOT NULL,
        request text NOT NULL,
        status text NOT NULL,
        total bigint NOT NULL,
        done bigint NOT NULL,
        failed bigint NOT NULL,
        created_at bigint NOT NULL,
        updated_at bigint NOT NULL
    )",
];

const INDEXES: &[&str] = &[
    // The claim: the heads of the lanes of a queue, and the first jobs of each.
    "CREATE INDEX job_claim ON job (queue, lane, position) WHERE state = 'queued'",
    // Counts of leased jobs, and the reaper.
    "CREATE INDEX job_leased ON job (queue, lease_until) WHERE state = 'processing'",
    // Promotion.
    "CREATE INDEX job_due ON job (run_at) WHERE state IN ('scheduled', 'retry_wait')",
    // One unfinished job a unique key.
    "CREATE UNIQUE INDEX job_unique_key ON job (unique_key) WHERE unique_key IS NOT NULL",
    // One admitted job a concurrency key: exactness rests on this index, not on the code that admits.
    "CREATE UNIQUE INDEX job_concurrency_key ON job (concurrency_key)
        WHERE concurrency_key IS NOT NULL AND state IN ('queued', 'processing')",
    "CREATE INDEX job_blocked ON job (concurrency_key, position) WHERE state = 'blocked'",
    "CREATE INDEX job_execution ON job (execution_id) WHERE execution_id IS NOT NULL",
    "CREATE INDEX job_done_ended ON job_done (status, finished_at)",
    "CREATE INDEX job_done_recent ON job_done (queue, finished_at)",
    "CREATE INDEX job_done_execution ON job_done (execution_id) WHERE execution_id IS NOT NULL",
    "CREATE INDEX dead_letter_job ON dead_letter (job_id)",
    "CREATE INDEX dead_letter_group ON dead_letter (fingerprint, died_at) WHERE status = 'open'",
    "CREATE INDEX dead_letter_open ON dead_letter (queue) WHERE status = 'open'",
    "CREATE INDEX dead_letter_resolved ON dead_letter (resolved_at) WHERE resolved_at IS NOT NULL",
    "CREATE INDEX execution_tenant ON execution (tenant, id)",
    "CREATE INDEX execution_workflow ON execution (workflow, id)",
    "CREATE INDEX execution_ended ON execution (completed_at) WHERE completed_at IS NOT NULL",
    "CREATE INDEX node_result_execution ON node_result (execution_id, position)",
    "CREATE INDEX execution_event_execution ON execution_event (execution_id, position)",
    "CREATE INDEX inbox_pending ON inbox (execution_id, position) WHERE status = 'pending'",
    "CREATE INDEX inbox_execution ON inbox (execution_id)",
    "CREATE INDEX idempotency_age ON idempotency (created_at)",
    "CREATE INDEX audit_at ON audit (at)",
    "CREATE INDEX batch_running ON batch (updated_at) WHERE status = 'running'",
];

const ROWS: &[&str] = &["INSERT INTO queue_claim (queue, epoch, limits_version, mode, changed_at) VALUES
    (0, 0, 0, 'running', 0), (1, 0, 0, 'running', 0), (2, 0, 0, 'running', 0), (3, 0, 0, 'running', 0)"];
