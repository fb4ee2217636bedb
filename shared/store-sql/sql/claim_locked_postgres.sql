-- A claim whose transaction has the lock may go on. $7 is the epoch and $8 where the row lies, which it need not compare.
WITH open AS (SELECT NULL::tid AS place WHERE $7::bigint IS NOT NULL AND $8::text IS NULL)
