-- Takes the lock that serialises claims of a queue and answers the version of its limits; no row when the queue is
-- paused. It is a statement of its own: what the following ones read is then no older than the lock.
-- A process that stops while it has the lock loses it after two seconds.
-- Index: queue_claim's primary key.
UPDATE queue_claim SET epoch = epoch + 1, claims = claims + 1, nonce_before = nonce, nonce = {nonce}
WHERE queue = $1 AND mode <> 'paused'
RETURNING epoch, nonce, nonce_before, epoch - claims AS returns, limits_version {postgres:, set_config('idle_in_transaction_session_timeout', '2s', true) AS idle_timeout}
