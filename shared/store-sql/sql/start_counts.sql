-- The counted starts of rates, and the present instant. Read under the lock of the queue's claim row, so that no claim
-- can be missing.
-- Index: start_count's primary key.
-- $1 queue, $2 now or null
SELECT r.nth, c.counted, {now $2} AS now_ms
FROM {rows $3: nth int, scope text, owner text, name text} r
LEFT JOIN start_count c ON c.queue = $1 AND c.scope = r.scope AND c.owner = r.owner AND c.name = r.name
