-- What holds the places of jobs that were not inserted: the same job, unfinished (0) or ended (1), or an unfinished
-- one with the same unique key (2). One job can have several answers; the lowest number counts.
-- Indexes: job(id), job_done's primary key, job_unique_key.
SELECT r.ord, 0 AS how, j.id, j.position, j.state
FROM {rows $1: ord int, id uuid, unique_key text?} r JOIN job j ON j.id = r.id
UNION ALL
SELECT r.ord, 1 AS how, d.id, d.position, d.status AS state
FROM {rows $1: ord int, id uuid, unique_key text?} r JOIN job_done d ON d.id = r.id
UNION ALL
SELECT r.ord, 2 AS how, j.id, j.position, j.state
FROM {rows $1: ord int, id uuid, unique_key text?} r JOIN job j ON j.unique_key = r.unique_key
