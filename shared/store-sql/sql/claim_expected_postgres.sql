-- A claim without the lock may go on if the epoch is the expected one. The comparison is made on the newest version of
-- the row, after any wait for it, so nobody claimed since this node's last claim, and the snapshot of this statement
-- has everything that was leased. A failover that loses commits may bring the epoch a second time, but not its nonce. The queue's mode and limits are as they were, because they change with the epoch.
-- Each claim leaves a dead version of the row, and an old snapshot keeps them all: looked for by the index, the newest
-- would be found later with every claim. So the claim before says where it left the row. If another version lies there
-- by now, the epoch is not the expected one.
-- Index: queue_claim's primary key, where it is not known.
-- $1 queue, $3 expected epoch, $7 its nonce, a space, and where the row lies if that is known
WITH open AS (
    UPDATE queue_claim SET epoch = epoch + 1, claims = claims + 1, nonce_before = nonce, nonce = {nonce}
    WHERE ctid = COALESCE(
            NULLIF(split_part($7::text, ' ', 2), '')::tid, (SELECT q.ctid FROM queue_claim q WHERE q.queue = $1)
        )
        AND queue = $1 AND epoch = $3 AND nonce = split_part($7::text, ' ', 1)::bigint
    RETURNING nonce::text || ' ' || ctid::text AS place
)
