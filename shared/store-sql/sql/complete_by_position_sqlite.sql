-- Copies leased jobs that were completed from `job` to `job_done`, each under the token of its lease: those that entail
-- nothing else, because no execution waits for them and they hold no concurrency key. Where they lie is known from the
-- claim. Answers nothing: either all were copied, or the transaction is undone. The statement after it removes them from
-- `job`.
-- Index: the primary key.
-- $1 now, $2 positions in digits, $3 tokens, $4 where results lie, $5 results
INSERT INTO job_done ({done_columns}, result, data)
SELECT {ended j: status 'COMPLETED'; finished_at $1; attempt_status 'COMPLETED'; concurrency_key NULL},
    CASE WHEN r.value >= 0 THEN CAST(substr($5, (r.value >> 30) + 1, r.value & 1073741823) AS text) END, j.data
FROM json_each($4) r
CROSS JOIN job j ON j.position = CAST(substr($2, r.key * 20 + 1, 20) AS integer)
    AND j.lease_token = substr($3, r.key * 16 + 1, 16) AND j.state = 'processing'
    AND j.concurrency_key IS NULL AND (j.queue <> {queue workflow-node} OR j.execution_id IS NULL)
