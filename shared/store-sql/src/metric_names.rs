//! The names of the figures that this crate records.

/// How often a claim had to be tried again, or found fewer jobs than planned because others took them. By queue.
pub const JOB_LOCK_CONFLICTS_TOTAL: &str = "trunkline_job_lock_conflicts_total";

/// Seconds from claimable to the first claim. By queue.
pub const JOB_POLL_LATENCY_SECONDS: &str = "trunkline_job_poll_latency_seconds";

/// Steps of the clock that leases are judged by. By direction: `forward`, `back`.
pub const CLOCK_STEPS_TOTAL: &str = "trunkline_clock_steps_total";

/// Executions that ended. By status, in lower case. Those that their owners end are counted by the engine.
pub const EXECUTIONS_FINISHED_TOTAL: &str = "trunkline_executions_finished_total";

/// Jobs that were cancelled with their executions or nodes. By queue and tier. The others are counted by the engine.
pub const JOBS_CANCELLED_TOTAL: &str = "trunkline_jobs_cancelled_total";

/// Failed executions that continue, because they were retried or one of their dead letters was requeued.
pub const EXECUTIONS_RESUMED_TOTAL: &str = "trunkline_executions_resumed_total";

/// Statements that failed because of the database: it is away, its disk is full, or its answer was lost. Each try counts. By
/// operation: the statement's name.
pub const STORE_ERRORS_TOTAL: &str = "trunkline_store_errors_total";

/// Seconds for which a call waits for a connection.
pub const DATABASE_CONNECTION_WAIT_SECONDS: &str = "trunkline_database_connection_wait_seconds";

/// Seconds until the database has answered a statement or a commit, or it was given up. By kind: `statement`, `commit`.
pub const DATABASE_STATEMENT_SECONDS: &str = "trunkline_database_statement_seconds";
