//! What a rejected call failed with: the codes of problem documents, the same over REST and gRPC.

words! {
    serde
    /// What a rejected call failed with.
    ///
    /// A code keeps its meaning; later versions add codes. docs/errors.md lists them with their statuses.
    ProblemCode {
        /// The connection ended before the body did.
        BodyIncomplete "body_incomplete",
        /// The request does not have exactly one `Host` header.
        HostInvalid "host_invalid",
        /// The body is not valid JSON.
        MalformedJson "malformed_json",
        /// The API key, token or session is missing, unknown, revoked or expired.
        Unauthenticated "unauthenticated",
        /// A mutating request of a browser session lacks its CSRF token.
        CsrfTokenInvalid "csrf_token_invalid",
        /// The role or the scopes of the caller do not allow the call.
        Forbidden "forbidden",
        /// The object or the path does not exist, or the caller may not see it.
        NotFound "not_found",
        /// The path exists, but not with this method.
        MethodNotAllowed "method_not_allowed",
        /// The body was sent too slowly.
        BodyTooSlow "body_too_slow",
        /// gRPC: the worker sent nothing for too long; open another stream.
        StreamSilent "stream_silent",
        /// The attribute has another type elsewhere in the tenant.
        AttributeTypeConflict "attribute_type_conflict",
        /// Another backup is in progress.
        BackupRunning "backup_running",
        /// The database is not a SQLite file; use the tools of PostgreSQL.
        BackupUnsupported "backup_unsupported",
        /// The bulk operation erases a tenant, which can be paused but not aborted.
        BatchNotAbortable "batch_not_abortable",
        /// The bulk operation has a status in which it cannot be paused, resumed or aborted.
        BatchNotRunning "batch_not_running",
        /// The server cannot sign a test delivery for this webhook.
        CannotSign "cannot_sign",
        /// The dead letter cannot be requeued or archived; `detail` says why.
        DeadLetterRefused "dead_letter_refused",
        /// The body of the delivery is no longer stored.
        DeliveryBodyGone "delivery_body_gone",
        /// The delivery was not verified, so that it cannot be replayed.
        DeliveryNotReplayable "delivery_not_replayable",
        /// Jobs are dispatched through Kafka and cannot be polled.
        DispatchedByKafka "dispatched_by_kafka",
        /// The payloads of the tenant are not encrypted.
        EncryptionDisabled "encryption_disabled",
        /// Payloads cannot be encrypted before `secrets.keys` is set.
        EncryptionNeedsKeys "encryption_needs_keys",
        /// An execution with the unique key is open; `existingId` names it.
        ExecutionExists "execution_exists",
        /// The execution has ended.
        ExecutionFinished "execution_finished",
        /// Only a failed execution can be retried.
        ExecutionNotFailed "execution_not_failed",
        /// Only an execution that has ended can be run again.
        ExecutionNotFinished "execution_not_finished",
        /// The states of an execution can be listed only once it has ended.
        ExecutionOpen "execution_open",
        /// The first request with the `Idempotency-Key` is still in progress.
        IdempotencyInFlight "idempotency_in_flight",
        /// The execution has too many unused signals, or too many bytes of them.
        InboxFull "inbox_full",
        /// The latest version of the workflow rejects the input of the schedule.
        InputInvalid "input_invalid",
        /// The job has a status in which it cannot be cancelled.
        JobNotCancellable "job_not_cancellable",
        /// The job is not waiting, so that its priority or its time cannot be changed.
        JobNotWaiting "job_not_waiting",
        /// The key is the last admin key without tenant, scopes and expiry.
        LastAdminKey "last_admin_key",
        /// The move is about to end and can no longer be aborted.
        MoveFinishing "move_finishing",
        /// No move of the database is in progress.
        MoveNotRunning "move_not_running",
        /// Another move of the database is in progress.
        MoveRunning "move_running",
        /// This server cannot move its database while it is running.
        MoveUnsupported "move_unsupported",
        /// The node no longer waits for a callback.
        NodeSettled "node_settled",
        /// Servers of a version without encryption still use the database.
        OlderServers "older_servers",
        /// Retention has dropped the payloads of the execution.
        PayloadDropped "payload_dropped",
        /// The queue is draining and rejects new jobs.
        QueueDraining "queue_draining",
        /// gRPC: the worker has no open stream on this server; open another.
        Reconnect "reconnect",
        /// The schedule was changed concurrently; retry the request.
        ScheduleChanging "schedule_changing",
        /// Another schedule of the tenant has the name.
        ScheduleNameTaken "schedule_name_taken",
        /// The tenant is being erased.
        TenantErasing "tenant_erasing",
        /// The tenant has work that has not ended, so that it cannot be erased.
        TenantInUse "tenant_in_use",
        /// Something keeps the time of the development server from being advanced further.
        TimeIsHeld "time_is_held",
        /// The server was not started with `--time-skip`.
        TimeIsReal "time_is_real",
        /// The number of alert routes is exhausted.
        TooManyAlertRoutes "too_many_alert_routes",
        /// The number of alert rules is exhausted.
        TooManyAlertRules "too_many_alert_rules",
        /// The number of attributes is exhausted.
        TooManyAttributes "too_many_attributes",
        /// The number of payload keys of the tenant is exhausted.
        TooManyPayloadKeys "too_many_payload_keys",
        /// The number of job types that are pinned to builds is exhausted.
        TooManyPins "too_many_pins",
        /// The number of key rates of the tenant is exhausted.
        TooManyRates "too_many_rates",
        /// The number of secrets of the tenant is exhausted.
        TooManySecrets "too_many_secrets",
        /// The number or the total size of the event triggers of the tenant is exhausted.
        TooManyTriggers "too_many_triggers",
        /// The number of saved views is exhausted.
        TooManyViews "too_many_views",
        /// Another event trigger of the tenant has the name.
        TriggerNameTaken "trigger_name_taken",
        /// The event trigger has changed since it was read.
        TriggerVersionConflict "trigger_version_conflict",
        /// Another user has claimed the user task.
        UserTaskClaimed "user_task_claimed",
        /// The user task is not open.
        UserTaskNotOpen "user_task_not_open",
        /// The user task is in another round than the given one.
        UserTaskRound "user_task_round",
        /// The webhook of the delivery was deleted.
        WebhookDeleted "webhook_deleted",
        /// Another webhook of the tenant has the name.
        WebhookNameTaken "webhook_name_taken",
        /// The webhook is paused and accepts no test deliveries.
        WebhookPaused "webhook_paused",
        /// The webhook has no secret yet.
        WebhookSecretMissing "webhook_secret_missing",
        /// The webhook rejected the test delivery.
        WebhookTestRefused "webhook_test_refused",
        /// The webhook has changed since it was read.
        WebhookVersionConflict "webhook_version_conflict",
        /// The workflow of the schedule no longer exists.
        WorkflowMissing "workflow_missing",
        /// The workflow is paused and rejects new executions.
        WorkflowPaused "workflow_paused",
        /// The version of the workflow is registered with different content.
        WorkflowVersionConflict "workflow_version_conflict",
        /// The body or the gRPC message is too large.
        BodyTooLarge "body_too_large",
        /// The content type or the encoding of the body is not supported.
        UnsupportedMediaType "unsupported_media_type",
        /// The query names an attribute that is not declared; `hint` is the command that declares it.
        AttributeUndeclared "attribute_undeclared",
        /// The `Idempotency-Key` was used for a different request.
        IdempotencyKeyReused "idempotency_key_reused",
        /// The request is invalid; `errors` has a pointer and a message for each error.
        Invalid "invalid",
        /// The query is invalid; `errors` has the position of the error.
        QueryInvalid "query_invalid",
        /// Too many executions wait for the unique key.
        QueueFull "queue_full",
        /// A quota of the tenant or a limit on stored deliveries is exceeded; `quota`, `used` and `limit` say which.
        QuotaExceeded "quota_exceeded",
        /// The rate limit of the key or of the address is exceeded.
        RateLimited "rate_limited",
        /// The tenant has too many open bulk operations.
        TooManyBulkOperations "too_many_bulk_operations",
        /// The key or the tenant has too many calls or streams open on this server.
        TooManyWaiting "too_many_waiting",
        /// The key or the tenant used too many worker IDs within ten minutes.
        TooManyWorkers "too_many_workers",
        /// Internal server error; the server's log has the cause.
        Internal "internal",
        /// The payload is encrypted with a key that this server does not have.
        PayloadKeyMissing "payload_key_missing",
        /// The list took too long; use a shorter time range or another filter.
        QueryTimeout "query_timeout",
        /// The server or its database cannot process the request now; retry it later.
        Unavailable "unavailable",
    }
}
