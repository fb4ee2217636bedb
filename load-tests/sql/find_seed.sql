-- A store that has been at work for thirty days: finished jobs, executions, dead letters and attributes. Rows from {from} up
-- to {to}, without it, are made at a time. `@job(n)` and the like are the ids of rows; their time grows with n.

-- lanes
INSERT INTO lane (id, queue, tier, tenant, workflow_owner, workflow, job_type)
WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < 39)
SELECT n + 1, {node}, 1, 'tenant' || (n % 10), '', CASE WHEN n % 2 = 0 THEN 'flow' || (n % 20) ELSE '' END, 'type' || (n / 10)
FROM s;

-- jobs
INSERT INTO job_done (id, position, queue, lane, status, attempt, attempt_base, retries_max, run_at, queued_at, created_at,
  started_at, finished_at, worker_id, attempt_status, tier, execution_id, data, result)
WITH RECURSIVE s(n) AS (SELECT CAST({from} AS bigint) UNION ALL SELECT n + 1 FROM s WHERE n + 1 < {to})
SELECT @job(n), n, {node}, 1 + n % 40,
  CASE WHEN n % 10 = 9 THEN 'DEAD_LETTER' WHEN n % 100 = 8 THEN 'FAILED' WHEN n % 100 = 7 THEN 'CANCELLED' ELSE 'COMPLETED' END,
  1, 0, 3, {base} + n * {job_ms}, {base} + n * {job_ms}, {base} + n * {job_ms}, {base} + n * {job_ms} + 50,
  {base} + n * {job_ms} + 1000 + n % 60000, 'worker' || (n % 50), 'COMPLETED', 1,
  CASE WHEN n % 2 = 0 THEN @exe(n * {executions} / {jobs}) END,
  '{"customer": {"id": ' || (n / 100 % 100000) || '}, "note": "a payload of the usual length, as most of them have"}', '{"ok": true}'
FROM s;

-- dead
INSERT INTO dead_letter (id, job_id, queue, tier, tenant, workflow_owner, workflow, job_type, execution_id, status, reason, error,
  fingerprint, attempt_count, data, died_at, resolved_at)
WITH RECURSIVE s(n) AS (SELECT CAST({from} AS bigint) UNION ALL SELECT n + 1 FROM s WHERE n + 1 < {to})
SELECT @dlq(n * 10 + 9), @job(n * 10 + 9), {node}, 1, 'tenant' || (n % 10), '',
  CASE WHEN n % 2 = 0 THEN 'flow' || (n % 20) ELSE '' END, 'type' || (n % 4), NULL,
  CASE WHEN n % 5 = 4 THEN 'archived' ELSE 'open' END, 'retries_exhausted', '{"message": "no route to host"}',
  CASE WHEN n % 2 = 0 THEN 'f0000000000000000' ELSE 'f' || (1000 + n % 1000) END, 4, '{"n": 1}',
  {base} + (n * 10 + 9) * {job_ms} + 1000, CASE WHEN n % 5 = 4 THEN {base} + (n * 10 + 9) * {job_ms} + 90000 END
FROM s;

-- executions
INSERT INTO execution (id, job_id, tenant, workflow_owner, workflow, version, status, tier, trigger_kind, correlation_id,
  created_at, started_at, completed_at, error, input, output, schedule_id, parent_id, parent_node_id)
WITH RECURSIVE s(n) AS (SELECT CAST({from} AS bigint) UNION ALL SELECT n + 1 FROM s WHERE n + 1 < {to})
SELECT @exe(n), @own(n), 'tenant' || (n % 10), '', 'flow' || (n % 20), 1,
  CASE WHEN n % 20 = 1 THEN 'FAILED' WHEN n % 50 = 2 THEN 'CANCELLED' WHEN n % 1000 = 3 THEN 'WAITING' ELSE 'COMPLETED' END,
  2, CASE WHEN n % 100 = 0 THEN 'schedule' ELSE 'user' END, 'c' || n,
  {base} + n * {execution_ms}, {base} + n * {execution_ms} + 5,
  CASE WHEN n % 1000 = 3 AND n % 20 <> 1 AND n % 50 <> 2 THEN NULL ELSE {base} + n * {execution_ms} + 2000 + n % 60000 END,
  CASE WHEN n % 20 = 1 THEN '{"message": "no route to host"}' END, '{"order": ' || n || '}', '{"ok": true}',
  CASE WHEN n % 100 = 0 THEN @sch(n / 100 % 50) END, CASE WHEN n % 10 = 5 THEN @exe(n / 10) END,
  CASE WHEN n % 10 = 5 THEN 'child' END
FROM s;

-- job attributes
INSERT INTO attribute_value (attribute, value, object)
WITH RECURSIVE s(n) AS (SELECT CAST({from} AS bigint) UNION ALL SELECT n + 1 FROM s WHERE n + 1 < {to})
SELECT d.id, CASE WHEN d.name = 'customerId' THEN '8' || @hex(n / 100 % 100000) ELSE 'region' || (n / 100 % 4) END, @job(n)
FROM s JOIN attribute_declaration d ON d.tenant = 'tenant' || (n % 10) AND d.name IN ('customerId', 'region')
WHERE n / 10 % 10 = 0;

-- execution attributes
INSERT INTO attribute_value (attribute, value, object)
WITH RECURSIVE s(n) AS (SELECT CAST({from} AS bigint) UNION ALL SELECT n + 1 FROM s WHERE n + 1 < {to})
SELECT d.id, 'A' || n, @exe(n)
FROM s JOIN attribute_declaration d ON d.tenant = 'tenant' || (n % 10) AND d.name = 'orderNo';
