-- Removes jobs that were copied to `job_done` by the statement before, by their positions.
-- Index: the primary key.
DELETE FROM job WHERE position IN (SELECT value FROM json_each($1))
