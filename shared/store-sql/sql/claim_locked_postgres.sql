-- A claim whose transaction has the lock may go on. $7 is the epoch, which it need not compare.
WITH open AS (SELECT 1 AS one WHERE $7::bigint IS NOT NULL)
