-- A claim whose transaction has the lock may go on. $3 is the epoch and $7 where the row lies, which it need not compare.
WITH open AS (SELECT NULL::tid AS place WHERE $3::bigint IS NOT NULL AND $7::text IS NULL)
