-- Removes jobs that were copied to `job_done` by `finish_run_sqlite.sql` before it: those under the same tokens.
-- Index: the primary key.
-- $1 first and $2 last position, $3 tokens, one for each position between
DELETE FROM job WHERE position BETWEEN $1 AND $2 AND lease_token = substr($3, (position - $1) * 16 + 1, 16)
