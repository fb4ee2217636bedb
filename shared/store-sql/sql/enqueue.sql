-- Inserts jobs. A job whose id is in `job` or `job_done`, or whose unique key is held, is left out; the caller looks
-- up what holds its place. A lane that is gone, or about to go, fails the statement.
-- Positions are given in the order of the batch, so that it is served in that order. On PostgreSQL the rows go in by
-- their unique keys and ids: an insert waits for another one of its key that is not committed yet, and two batches
-- that name their keys in opposite orders would wait for each other.
-- Index: job_done's primary key, for ids that have ended already.
-- $1 now
INSERT INTO job (
    {postgres:position,} id, queue, lane, state, attempt, attempt_base, retries_max, crashes, run_at, queued_at,
    created_at, tier, timeout_ms, backoff, unique_key, concurrency_key, tags, traceparent, execution_id, node_id, data
)
SELECT
    {postgres:r.position,} r.id, r.queue, {lane r.lane of $5}, r.state, 0, 0, r.retries_max, 0, r.run_at, r.queued_at,
    $1, r.tier, r.timeout_ms, r.backoff, r.unique_key, r.concurrency_key, r.tags, r.traceparent, r.execution_id,
    r.node_id, r.data
FROM {postgres:(SELECT nextval('job_position_seq') AS position, b.* FROM}
    {rows $2: ord int, id uuid, queue int, lane int, state text, retries_max int, run_at bigint, queued_at bigint, tier int, timeout_ms bigint?, backoff text?, unique_key text?, concurrency_key text?, tags text?, traceparent text?, execution_id uuid?, node_id text?, data text}
    {postgres:b WHERE NOT EXISTS (SELECT 1 FROM job_done d WHERE d.id = b.id) ORDER BY b.ord)} r
{sqlite:WHERE NOT EXISTS (SELECT 1 FROM job_done d WHERE d.id = r.id)}
ORDER BY {postgres:r.unique_key, CASE WHEN r.unique_key IS NULL THEN r.id END, r.position}{sqlite:r.ord}
ON CONFLICT DO NOTHING
RETURNING id, position, state
