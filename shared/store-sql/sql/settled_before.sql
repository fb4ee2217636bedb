-- What became of jobs whose lease does not hold (any more): to tell a repeated call from a lost lease.
-- Indexes: job(id), job_done's primary key.
SELECT r.ord, d.queue, d.lane, d.status AS state, d.execution_id
FROM {rows $1: ord int, id uuid, token uuid} r
JOIN job_done d ON d.id = r.id AND d.lease_token = r.token
UNION ALL
SELECT r.ord, j.queue, j.lane, j.state, j.execution_id
FROM {rows $1: ord int, id uuid, token uuid} r
JOIN job j ON j.id = r.id AND j.lease_token = r.token AND j.state <> 'processing'
