-- A claim without the lock may go on if the epoch is the expected one. The comparison is made on the newest version of
-- the row, after any wait for it, so nobody claimed since this node's last claim, and the snapshot of this statement
-- has everything that was leased. The queue's mode and limits are as they were, because they change with the epoch.
-- Index: queue_claim's primary key.
-- $1 queue, $7 expected epoch
WITH open AS (UPDATE queue_claim SET epoch = epoch + 1 WHERE queue = $1 AND epoch = $7 RETURNING 1 AS one)
