-- Leases that were renewed since they were to be looked at: they are looked at again when they end now. At most $2; none
-- that somebody else is changing.
-- The outer state is written so that no partial index fits: what is left is where the rows lie.
-- Index: job_leased; all queues are named so that it serves.
-- $1 now
UPDATE job SET reap_at = lease_until
WHERE state || '' = 'processing' AND lease_until >= $1 AND {place} {postgres:= ANY(ARRAY}{sqlite:IN }(
    SELECT {place} FROM job
    WHERE queue IN (0, 1, 2, 3) AND state = 'processing' AND reap_at < $1 AND lease_until >= $1
    LIMIT $2
    {for_update_skip}
){postgres:)}
