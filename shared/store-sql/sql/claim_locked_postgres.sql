-- A claim whose transaction has the lock may go on. $3 and $7 are the epoch, which it need not compare.
WITH open AS (SELECT NULL::text AS place WHERE $3::bigint IS NOT NULL AND $7::text IS NULL)
