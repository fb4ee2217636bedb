//! The names of metrics and of their labels.
//!
//! Label values come from short lists (queues, outcomes, routes as they are declared, status codes). An id, a tenant or
//! a path as it was requested is never a label: each new value would be a new time series for ever.

/// Histogram by [`QUEUE`]: seconds from creation, or from when the job was due, to its first claim.
pub const JOB_POLL_LATENCY_SECONDS: &str = "trunkline_job_poll_latency_seconds";
/// Counter by [`QUEUE`]: claims that found the queue's rows locked or claimed by another and had to try again.
pub const JOB_LOCK_CONFLICTS_TOTAL: &str = "trunkline_job_lock_conflicts_total";
/// Counter by [`QUEUE`] and [`TIER`]: jobs accepted.
pub const JOBS_ENQUEUED_TOTAL: &str = "trunkline_jobs_enqueued_total";
/// Counter by [`QUEUE`] and [`TIER`]: attempts started.
pub const JOBS_CLAIMED_TOTAL: &str = "trunkline_jobs_claimed_total";
/// Counter by [`QUEUE`], [`TIER`] and [`OUTCOME`]: attempts settled.
pub const JOBS_SETTLED_TOTAL: &str = "trunkline_jobs_settled_total";
/// Counter by [`QUEUE`]: writes refused because the lease was lost.
pub const LEASE_LOST_TOTAL: &str = "trunkline_lease_lost_total";
/// Counter by [`QUEUE`] and [`TIER`]: jobs taken back from workers whose lease expired.
pub const JOBS_REAPED_TOTAL: &str = "trunkline_jobs_reaped_total";
/// Gauge by [`JOB_TYPE`], where that is a label: offers that stand.
pub const DISPATCH_OFFERS: &str = "trunkline_dispatch_offers";
/// Gauge: seconds since the oldest offer that stands was made; 0 where none stands.
pub const DISPATCH_OLDEST_OFFER_SECONDS: &str = "trunkline_dispatch_oldest_offer_seconds";
/// Counter: offers that the broker acknowledged.
pub const DISPATCH_PUBLISHED_TOTAL: &str = "trunkline_dispatch_published_total";
/// Counter by [`REASON`]: offers that could not be published, each time.
pub const DISPATCH_PUBLISH_ERRORS_TOTAL: &str = "trunkline_dispatch_publish_errors_total";
/// Counter by [`JOB_TYPE`], where that is a label: offers that nobody took.
pub const DISPATCH_RETURNED_TOTAL: &str = "trunkline_dispatch_returned_total";
/// Gauge by [`SHARD`]: 1 where the relay of this process has the shard.
pub const DISPATCH_LEADER: &str = "trunkline_dispatch_leader";
/// Gauge by [`SHARD`]: the term under which the relay of this process has the shard; 0 where it has not.
pub const DISPATCH_TERM: &str = "trunkline_dispatch_term";
/// Gauge: jobs of outside workers that wait to be offered.
pub const DISPATCH_OUTBOX_DEPTH: &str = "trunkline_dispatch_outbox_depth";
/// Gauge: seconds since the oldest of them was queued; 0 where none waits.
pub const DISPATCH_OUTBOX_OLDEST_SECONDS: &str = "trunkline_dispatch_outbox_oldest_seconds";
/// Gauge: messages of the relay of this process that the broker has not acknowledged.
pub const DISPATCH_UNACKNOWLEDGED: &str = "trunkline_dispatch_unacknowledged";
/// Gauge: job types of which jobs wait and the relay of this process makes no offers, up to 100.
pub const DISPATCH_HELD_TYPES: &str = "trunkline_dispatch_held_types";
/// Gauge: offers that the broker has and no worker has accepted.
pub const DISPATCH_LAG: &str = "trunkline_dispatch_lag";
/// Counter by [`QUEUE`] and [`TIER`]: jobs that became due and were queued.
pub const JOBS_PROMOTED_TOTAL: &str = "trunkline_jobs_promoted_total";
/// Counter by [`QUEUE`] and [`TIER`]: jobs that were cancelled, by somebody, with their
/// execution, or because nobody started them in time.
pub const JOBS_CANCELLED_TOTAL: &str = "trunkline_jobs_cancelled_total";
/// Counter by [`QUEUE`] and [`REASON`]: jobs that became dead letters.
pub const DEAD_LETTERS_TOTAL: &str = "trunkline_dead_letters_total";
/// Counter by [`QUEUE`] and [`OUTCOME`]: dead letters that were requeued or archived.
pub const DEAD_LETTERS_RESOLVED_TOTAL: &str = "trunkline_dead_letters_resolved_total";
/// Counter: calls of applications in SQL that became jobs, executions or signals.
pub const INTAKE_TAKEN_TOTAL: &str = "trunkline_intake_taken_total";
/// Counter: calls of applications in SQL that were committed and could not be carried out.
pub const INTAKE_REFUSED_TOTAL: &str = "trunkline_intake_refused_total";
/// Counter: rows deleted because their retention ended.
pub const ROWS_PRUNED_TOTAL: &str = "trunkline_rows_pruned_total";
/// Gauge by [`KIND`]: how long ago what this process removes next should have gone, in seconds; 0 once it has caught up.
pub const RETENTION_LAG_SECONDS: &str = "trunkline_retention_lag_seconds";
/// Counter: rows of the audit log that became rows of its chain.
pub const AUDIT_SEALED_TOTAL: &str = "trunkline_audit_sealed_total";
/// Gauge: how long the oldest row of the audit log that was left waits for its seal, in seconds.
pub const AUDIT_SEAL_LAG_SECONDS: &str = "trunkline_audit_seal_lag_seconds";
/// Gauge: the length of a SQLite database's file, in pages.
pub const DATABASE_PAGES: &str = "trunkline_database_pages";
/// Gauge: pages of a SQLite database's file that hold nothing.
pub const DATABASE_FREE_PAGES: &str = "trunkline_database_free_pages";
/// Gauge: bytes of the write-ahead log beside a SQLite database's file.
pub const DATABASE_LOG_BYTES: &str = "trunkline_database_log_bytes";
/// Histogram by [`QUEUE`] and [`TIER`]: seconds from claim to settlement of one attempt.
pub const JOB_RUN_SECONDS: &str = "trunkline_job_run_seconds";
/// Histogram by [`QUEUE`] and [`TIER`]: seconds from claimable to claimed, of each attempt.
pub const JOB_WAIT_SECONDS: &str = "trunkline_job_wait_seconds";
/// Histogram by [`QUEUE`] and [`TIER`]: seconds from the creation of a job to its end.
pub const JOB_END_TO_END_SECONDS: &str = "trunkline_job_end_to_end_seconds";
/// Gauge by [`QUEUE`] and [`TIER`]: jobs that are queued.
pub const QUEUE_DEPTH: &str = "trunkline_queue_depth";
/// Gauge by [`QUEUE`] and [`TIER`]: seconds since the oldest queued job became claimable; 0 where none is queued.
pub const QUEUE_OLDEST_AGE_SECONDS: &str = "trunkline_queue_oldest_age_seconds";
/// Gauge by [`QUEUE`] and [`TIER`]: jobs that are leased.
pub const QUEUE_IN_FLIGHT: &str = "trunkline_queue_in_flight";
/// Gauge by [`QUEUE`] and [`TIER`]: queued jobs that nothing but a limit keeps from being claimed.
pub const QUEUE_HELD_BY_LIMIT: &str = "trunkline_queue_held_by_limit";
/// Gauge by [`QUEUE`]: how many jobs the queue's own limit lets be leased at once; `+Inf` where there is none.
pub const LIMIT_SLOTS: &str = "trunkline_limit_slots";
/// Gauge by [`QUEUE`]: how many of these slots are in use.
pub const LIMIT_SLOTS_USED: &str = "trunkline_limit_slots_used";
/// Gauge by [`QUEUE`] and [`SCOPE`]: tenants, workflows, job types and rate keys with jobs that wait while their limit is
/// reached or their rate used up.
pub const LIMITS_FULL: &str = "trunkline_limits_full";
/// Gauge by [`QUEUE`]: dead letters that wait for somebody.
pub const DEAD_LETTERS_OPEN: &str = "trunkline_dead_letters_open";
/// Gauge by [`KIND`]: workers that were seen within a minute.
pub const WORKERS: &str = "trunkline_workers";
/// Gauge by [`SEVERITY`]: alerts that fire.
pub const ALERTS_FIRING: &str = "trunkline_alerts_firing";
/// Counter by [`ROUTE`] and [`OUTCOME`]: tries to send notifications about alerts: `sent`, `again`, `failed`.
pub const ALERT_NOTIFICATIONS_TOTAL: &str = "trunkline_alert_notifications_total";
/// Counter: spans that no collector took, because the queue was full or it was away.
pub const OTEL_SPANS_DROPPED_TOTAL: &str = "trunkline_otel_spans_dropped_total";
/// Counter: values of payloads that were left out of attributes because they do not fit.
pub const ATTRIBUTES_SKIPPED_TOTAL: &str = "trunkline_attributes_skipped_total";
/// Counter by [`TRIGGER`]: executions that were created.
pub const EXECUTIONS_STARTED_TOTAL: &str = "trunkline_executions_started_total";
/// Counter: executions that were parked, because they only wait.
pub const EXECUTIONS_PARKED_TOTAL: &str = "trunkline_executions_parked_total";
/// Counter: parked executions that were resumed.
pub const EXECUTIONS_WOKEN_TOTAL: &str = "trunkline_executions_woken_total";
/// Counter: failed executions that continue, because they were retried or one of their dead letters was requeued.
pub const EXECUTIONS_RESUMED_TOTAL: &str = "trunkline_executions_resumed_total";
/// Counter: executions that started to compensate.
pub const EXECUTIONS_COMPENSATING_TOTAL: &str = "trunkline_executions_compensating_total";
/// Counter by [`STATUS`]: executions that ended.
pub const EXECUTIONS_FINISHED_TOTAL: &str = "trunkline_executions_finished_total";
/// Counter by [`OUTCOME`]: slots of schedules that were decided.
pub const SCHEDULE_SLOTS_TOTAL: &str = "trunkline_schedule_slots_total";
/// Histogram: seconds from the instant of a slot to the commit that starts its execution.
pub const SCHEDULE_LATENESS_SECONDS: &str = "trunkline_schedule_lateness_seconds";
/// Counter by [`SOURCE`] and [`STATUS`]: requests to webhooks and events that were sent, each once, by how it was answered.
pub const WEBHOOK_DELIVERIES_TOTAL: &str = "trunkline_webhook_deliveries_total";
/// Counter by [`STATUS`]: accepted deliveries, by what matching them came to.
pub const WEBHOOK_MATCHES_TOTAL: &str = "trunkline_webhook_matches_total";
/// Counter: refused requests and handshakes that are not kept for the log, because there were too many.
pub const WEBHOOK_DELIVERIES_UNRECORDED_TOTAL: &str = "trunkline_webhook_deliveries_unrecorded_total";
/// Histogram: seconds that the verification of a request took.
pub const WEBHOOK_VERIFY_SECONDS: &str = "trunkline_webhook_verify_seconds";
/// Counter: checks of a rate that were made by this process alone because Redis did not answer.
pub const RATE_LIMIT_FALLBACKS_TOTAL: &str = "trunkline_rate_limit_fallbacks_total";
/// Counter by [`METHOD`], [`ROUTE`] and [`STATUS`]: requests answered.
pub const HTTP_REQUESTS_TOTAL: &str = "trunkline_http_requests_total";
/// Histogram by [`METHOD`] and [`ROUTE`]: seconds from the first byte of a request to the head of its answer.
pub const HTTP_REQUEST_SECONDS: &str = "trunkline_http_request_seconds";
/// Histogram: seconds from the wish for a commit to its being durable, of writes that go together with others.
pub const COMMIT_WAIT_SECONDS: &str = "trunkline_commit_wait_seconds";
/// Histogram: seconds for which a call waits for a connection to the database.
pub const DATABASE_CONNECTION_WAIT_SECONDS: &str = "trunkline_database_connection_wait_seconds";
/// Histogram by [`KIND`], `statement` or `commit`: seconds until the database has answered, or was given up. What begins or undoes a
/// transaction is left out.
pub const DATABASE_STATEMENT_SECONDS: &str = "trunkline_database_statement_seconds";
/// Gauge by [`STATE`]: connections to the database that are open, `idle` and `busy`.
pub const DATABASE_CONNECTIONS: &str = "trunkline_database_connections";
/// Counter by [`ANSWER`]: connections of callers that were answered 503 or closed.
pub const HTTP_CONNECTIONS_REFUSED_TOTAL: &str = "trunkline_http_connections_refused_total";
/// Counter by [`METHOD`] and [`STATUS`]: calls of gRPC answered.
pub const GRPC_REQUESTS_TOTAL: &str = "trunkline_grpc_requests_total";
/// Histogram by [`METHOD`]: seconds that a call of gRPC took.
pub const GRPC_REQUEST_SECONDS: &str = "trunkline_grpc_request_seconds";
/// Gauge: streams of workers that are open.
pub const GRPC_STREAMS: &str = "trunkline_grpc_streams";
/// Counter: jobs that were offered on streams and not confirmed in time.
pub const GRPC_OFFERS_RETURNED_TOTAL: &str = "trunkline_grpc_offers_returned_total";
/// Counter by [`OPERATION`], the statement's name: statements that failed because of the database, each try.
pub const STORE_ERRORS_TOTAL: &str = "trunkline_store_errors_total";
/// Counter by [`DIRECTION`]: steps of the clock that leases are judged by, the database's.
pub const CLOCK_STEPS_TOTAL: &str = "trunkline_clock_steps_total";
/// Counter: processes whose leases were taken back because the database saw them end.
pub const NODES_LOST_TOTAL: &str = "trunkline_nodes_lost_total";
/// Gauge, always 1, by [`VERSION`]: what is running.
pub const BUILD_INFO: &str = "trunkline_build_info";
/// Gauge, always 1, by [`VERSION`]: the time zone data by which schedules fire.
pub const TZDB_INFO: &str = "trunkline_tzdb_info";
/// Gauge: bytes of memory that the process holds.
pub const PROCESS_RESIDENT_MEMORY_BYTES: &str = "trunkline_process_resident_memory_bytes";
/// Gauge: files and sockets that the process holds open.
pub const PROCESS_OPEN_FILES: &str = "trunkline_process_open_files";

/// Label: the public name of a queue.
pub const QUEUE: &str = "queue";
/// Label: `high`, `normal` or `low`.
pub const TIER: &str = "tier";
/// Label, where it is switched on: the tenant, or `other`.
pub const TENANT: &str = "tenant";
/// Label, where it is switched on: the job type, or `other`.
pub const JOB_TYPE: &str = "job_type";
/// Label: why a job became a dead letter, such as `retries_exhausted`.
pub const REASON: &str = "reason";
/// The number of a shard of relays.
pub const SHARD: &str = "shard";
/// Label: whom a limit is for: `global`, `tenant` or `workflow`.
pub const SCOPE: &str = "scope";
/// Label: how bad an alert is: `warning` or `critical`.
pub const SEVERITY: &str = "severity";
/// Label: the kind of a worker (`external` or `pool`), of what retention removes, or of a statement (`statement` or `commit`).
pub const KIND: &str = "kind";
/// Label: what started an execution, such as `manual` or `schedule`.
pub const TRIGGER: &str = "trigger";
/// Label: where a delivery came from: `webhook` or `event`.
pub const SOURCE: &str = "source";
/// Label: the state of a connection: `idle` or `busy`.
pub const STATE: &str = "state";
/// Label: how a connection was refused: `503` or `closed`.
pub const ANSWER: &str = "answer";
/// Label: what became of an attempt: `completed`, `retry`, `dead_letter`, `failed`, `cancelled`, `waiting`, `released`;
/// and of a slot: `fired`, `waiting`, `skipped`.
pub const OUTCOME: &str = "outcome";
/// Label: the status of an execution in lower case, the status code of an answer, or what became of a delivery:
/// `accepted`, `held`, `duplicate`, `rejected`, `handshake`, `unknown`, `rate_limited`, `paused`, and later `matched`,
/// `unmatched`, `parked`.
pub const STATUS: &str = "status";
/// Label: the method of a request.
pub const METHOD: &str = "method";
/// Label: the route of a request as it is declared, such as `/v1/jobs/{id}`; `unmatched` where there is none.
pub const ROUTE: &str = "route";
/// Label: the operation of the store that failed.
pub const OPERATION: &str = "operation";
/// Label: `forward` or `back`.
pub const DIRECTION: &str = "direction";
/// Label: the version of the binary, or of the time zone data.
pub const VERSION: &str = "version";

/// The values of [`QUEUE`].
pub const QUEUES: [&str; 4] =
    ["workflow-execution", "workflow-node", "workflow-scheduled", "workflow-webhook"];
/// The values of [`TIER`].
pub const TIERS: [&str; 3] = ["high", "normal", "low"];
