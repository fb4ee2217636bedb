-- Appends entries to the inboxes of executions, in the order of the batch.
-- $1 now
INSERT INTO inbox (execution_id, kind, entry, status, created_at)
SELECT r.execution_id, r.kind, r.entry, 'pending', $1
FROM {rows $2: ord int, execution_id uuid, kind text, entry text} r
ORDER BY r.ord
