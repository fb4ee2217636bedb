-- Removes jobs that were copied to `job_done` by the statement before.
-- Index: job(id).
DELETE FROM job WHERE id {any $1 uuid}
