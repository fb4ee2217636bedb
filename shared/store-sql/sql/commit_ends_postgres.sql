-- Commits steps that end executions as COMPLETED, with jobs of their nodes that were completed, and entail nothing else:
-- all of them, or nothing.
-- PostgreSQL only: one statement that is its own transaction. The locks are taken as in `lock_executions`, and before
-- anything is written, because all writes ask whether the gate is open. It is shut if a lease is gone, of an execution
-- or of a job of its nodes, if there is a parent to be notified or a concurrency key to be given on, and if there is a
-- command to be answered; the caller then takes the general path.
-- What the locks see is new even if they had to wait; the inboxes are as they were when the statement began. Whoever
-- appends a command makes a new version of the execution's row: then the row that was locked is not the one that was
-- there in the beginning. News of nodes that come late are of no use to anybody.
-- The state is written so that no partial index fits, and the limit makes the planner take the leases for one row: what
-- is left is a probe by id.
-- Index: execution(id), job(id), inbox(execution_id) of what is pending, job_done's primary key.
-- $1 to $24 as $2 to $25 of `commit_executions`, $29 now, $30 jobs that were completed
WITH locked AS MATERIALIZED (
    SELECT e.id, e.ctid AS place FROM {rows $25: execution uuid, lease uuid, token uuid, step bigint} r
    JOIN execution e ON e.id = r.execution AND e.job_id = r.lease AND e.step = r.step AND e.parent_id IS NULL
    ORDER BY e.depth, e.id FOR UPDATE OF e
), leases AS (
    SELECT r.lease AS id, r.token, NULL::uuid AS execution, NULL AS result
    FROM {rows $25: execution uuid, lease uuid, token uuid, step bigint} r
    UNION ALL
    SELECT c.id, c.token, c.execution, c.result
    FROM {rows $30: execution uuid, id uuid, token uuid, result text?} c
), leased AS MATERIALIZED (
    SELECT j.id, r.result
    FROM (SELECT * FROM leases LIMIT cardinality($25::uuid[]) + cardinality($30::uuid[])) r
    JOIN job j ON j.id = r.id AND j.lease_token = r.token AND j.state || '' = 'processing'
        AND j.concurrency_key IS NULL
    WHERE (SELECT count(*) FROM locked) = cardinality($25::uuid[])
      AND (r.execution IS NULL OR (j.queue = {queue workflow-node} AND j.execution_id = r.execution))
    ORDER BY j.id FOR UPDATE OF j
), gate AS MATERIALIZED (
    SELECT 1 AS is_open
    WHERE (SELECT count(*) FROM leased) = cardinality($25::uuid[]) + cardinality($30::uuid[])
      AND (SELECT count(*) FROM locked l JOIN execution e ON e.id = l.id WHERE e.ctid = l.place) = cardinality($25::uuid[])
      AND NOT EXISTS (
        SELECT 1 FROM inbox i WHERE i.execution_id = ANY($25::uuid[]) AND i.status = 'pending'
            AND i.kind NOT IN ('node_settled', 'node_requeued', 'child_settled'))
), gone AS (
    DELETE FROM job j USING leased l WHERE j.id = l.id AND EXISTS (SELECT 1 FROM gate)
    RETURNING j.*, l.result
), done AS (
    INSERT INTO job_done ({done_columns}, error, result, data)
    SELECT {ended gone: status 'COMPLETED'; finished_at $29; attempt_status 'COMPLETED'; concurrency_key NULL}, NULL, result, data
    FROM gone
    ON CONFLICT DO NOTHING
), changed AS (
    UPDATE execution SET status = r.new_status, state = r.new_state, step = execution.step + 1,
      started_at = COALESCE(r.first_start, execution.started_at), completed_at = r.ended,
      output = COALESCE(r.new_output, execution.output), error = r.new_error
    FROM {rows $1: key uuid, new_status text, new_state bytes, first_start bigint?, ended bigint?, new_output text?, new_error text?} r
    WHERE execution.id = r.key AND EXISTS (SELECT 1 FROM gate)
), dropped AS (
    DELETE FROM inbox WHERE execution_id = ANY($25::uuid[]) AND status = 'pending'
      AND kind IN ('node_settled', 'node_requeued', 'child_settled') AND EXISTS (SELECT 1 FROM gate)
), recorded AS (
    INSERT INTO node_result (execution_id, node_id, round, status, attempts, started_at, finished_at, input, output, error)
    SELECT r.execution_id, r.node_id, r.round, r.status, r.attempts, r.started_at, r.finished_at, r.input, r.output, r.error
    FROM {rows $8: place int, execution_id uuid, node_id text, round int, status text, attempts int, started_at bigint?, finished_at bigint, input text?, output text?, error text?} r
    WHERE EXISTS (SELECT 1 FROM gate)
    ORDER BY r.place
), history AS (
    INSERT INTO execution_event (execution_id, kind, node_id, detail, at)
    SELECT r.execution_id, r.kind, r.node_id, r.detail, r.at
    FROM {rows $19: place int, execution_id uuid, kind text, node_id text?, detail text?, at bigint} r
    WHERE EXISTS (SELECT 1 FROM gate)
    ORDER BY r.place
)
SELECT gone.queue, gone.lane FROM gone
