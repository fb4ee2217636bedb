//! The reasons why a job or an execution is not running.

words! {
    serde
    /// Why a job or an execution is not running.
    WhyReason {
        /// Its time has not come.
        NotDue "not_due",
        /// Its queue or workflow is paused.
        QueuePaused "queue_paused",
        /// An earlier execution with its unique key is open.
        UniqueKey "unique_key",
        /// The limit of the queue is used up.
        LimitGlobal "limit_global",
        /// The limit of its tenant is used up.
        LimitTenant "limit_tenant",
        /// The limit of its workflow is used up.
        LimitWorkflow "limit_workflow",
        /// The limit of its job type is used up.
        LimitJobType "limit_job_type",
        /// The limit of its job type within its tenant is used up.
        LimitTenantJobType "limit_tenant_job_type",
        /// The limit of its rate key is used up.
        LimitRateKey "limit_rate_key",
        /// The limit of its concurrency key is used up.
        LimitKey "limit_key",
        /// The rate of the queue is used up.
        RateGlobal "rate_global",
        /// The rate of its tenant is used up.
        RateTenant "rate_tenant",
        /// The rate of its workflow is used up.
        RateWorkflow "rate_workflow",
        /// The rate of its job type is used up.
        RateJobType "rate_job_type",
        /// The rate of its job type within its tenant is used up.
        RateTenantJobType "rate_tenant_job_type",
        /// The rate of its rate key is used up.
        RateKey "rate_key",
        /// Dispatch is drained.
        DispatchDraining "dispatch_draining",
        /// No node publishes the offers of its job type.
        NoRelay "no_relay",
        /// No broker can be reached.
        BrokerAway "broker_away",
        /// A topic of its job type is missing: [`TOPIC_NOT_CREATED`](crate::dispatch::TOPIC_NOT_CREATED).
        TopicNotCreated "topic_not_created",
        /// No message of its job type is acknowledged: [`NOT_ACKNOWLEDGED`](crate::dispatch::NOT_ACKNOWLEDGED).
        NotAcknowledged "not_acknowledged",
        /// It is offered to workers.
        Offered "offered",
        /// No worker takes its job type.
        NoWorker "no_worker",
        /// No worker of a build that its job type is pinned to takes it.
        NoWorkerOfBuild "no_worker_of_build",
        /// Others are ahead of it.
        Behind "behind",
        /// Its execution is parked.
        Waiting "waiting",
        /// It is leased to a worker.
        Running "running",
        /// It has ended.
        Finished "finished",
    }
}
