-- Writes counted starts, under the lock of the queue's claim row.
-- $1 queue
INSERT INTO start_count (queue, scope, owner, name, counted, expires_at)
SELECT $1, r.scope, r.owner, r.name, r.counted, r.expires_at
FROM {rows $2: scope text, owner text, name text, counted text, expires_at bigint} r
WHERE true
ON CONFLICT (queue, scope, owner, name) DO UPDATE SET counted = excluded.counted, expires_at = excluded.expires_at
