//! What callers can do, by name: the words that scopes of keys are written in.

use super::Permission;

/// By which names a scope can limit an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameKind {
    /// The type of a job.
    JobType,
    /// The name of a workflow.
    Workflow,
    /// A queue.
    Queue,
    /// The tenant that the work belongs to.
    Tenant,
}

macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $verb:ident, [$($kind:ident),*];)*) => {
        words! {
            /// Something that a caller can do, in the order of the documentation. The word is the resource, a dot, and what is
            /// done to it.
            Action {
                $($(#[$doc])* $name $word,)*
            }
        }

        impl Action {
            /// What a role needs for it.
            pub const fn verb(self) -> Permission {
                match self { $(Self::$name => Permission::$verb,)* }
            }

            /// By which names a scope can limit it: those that are checked when it is done.
            pub const fn limited_by(self) -> &'static [NameKind] {
                match self { $(Self::$name => &[$(NameKind::$kind),*],)* }
            }
        }
    };
}

actions! {
    /// Look at jobs, and at why they wait.
    JobsRead = "jobs.read", Read, [];
    /// Enqueue jobs, alone or in batches.
    JobsEnqueue = "jobs.enqueue", Start, [JobType, Tenant];
    /// Cancel jobs.
    JobsCancel = "jobs.cancel", Start, [];
    /// Run a waiting job now.
    JobsRetry = "jobs.retry", Start, [];
    /// Change the priority of a job.
    JobsReprioritize = "jobs.reprioritize", Start, [];
    /// Poll, complete, fail, heartbeat and release jobs.
    JobsWork = "jobs.work", Work, [JobType, Tenant];
    /// Look at the queues.
    QueuesRead = "queues.read", Read, [];
    /// Pause, drain and resume queues.
    QueuesOperate = "queues.operate", Operate, [Queue];
    /// Look at limits.
    LimitsRead = "limits.read", Read, [];
    /// Look at what is declared as searchable.
    AttributesRead = "attributes.read", Read, [];
    /// Declare what is searchable.
    AttributesDeclare = "attributes.declare", Operate, [];
    /// Change limits of queues and tenants.
    LimitsSet = "limits.set", Operate, [Queue];
    /// Look at workflows.
    WorkflowsRead = "workflows.read", Read, [];
    /// Register versions of workflows.
    WorkflowsRegister = "workflows.register", Operate, [Workflow];
    /// Check a definition without registering it.
    WorkflowsValidate = "workflows.validate", Operate, [];
    /// Simulate a definition with given results.
    WorkflowsSimulate = "workflows.simulate", Read, [];
    /// Pause and resume workflows.
    WorkflowsPause = "workflows.pause", Operate, [Workflow];
    /// Change limits of workflows.
    WorkflowsLimit = "workflows.limit", Operate, [Workflow];
    /// Look at executions, their nodes, timelines and commands.
    ExecutionsRead = "executions.read", Read, [];
    /// Start executions, alone or in batches.
    ExecutionsStart = "executions.start", Start, [Workflow, Tenant];
    /// Cancel executions.
    ExecutionsCancel = "executions.cancel", Start, [];
    /// Retry executions.
    ExecutionsRetry = "executions.retry", Start, [];
    /// Run executions again from a node.
    ExecutionsRerun = "executions.rerun", Start, [];
    /// Send signals, and see the addresses that nodes wait at.
    ExecutionsSignal = "executions.signal", Start, [];
    /// Look at user tasks.
    UserTasksRead = "userTasks.read", Read, [];
    /// Claim and release user tasks.
    UserTasksClaim = "userTasks.claim", Start, [];
    /// Complete user tasks.
    UserTasksComplete = "userTasks.complete", Start, [];
    /// Look at schedules and what they would do.
    SchedulesRead = "schedules.read", Read, [];
    /// Create, change, pause and remove schedules.
    SchedulesWrite = "schedules.write", Operate, [];
    /// Run schedules by hand, and for slots that passed.
    SchedulesRun = "schedules.run", Operate, [];
    /// Look at webhook endpoints.
    WebhooksRead = "webhooks.read", Read, [];
    /// Create, change, pause and remove webhook endpoints, rotate their secrets, send test deliveries.
    WebhooksWrite = "webhooks.write", Operate, [];
    /// Look at deliveries.
    DeliveriesRead = "deliveries.read", Read, [];
    /// Replay deliveries.
    DeliveriesReplay = "deliveries.replay", Operate, [];
    /// Look at dead letters and the archive.
    DeadLettersRead = "deadLetters.read", Read, [];
    /// Requeue dead letters.
    DeadLettersRequeue = "deadLetters.requeue", Operate, [];
    /// Archive dead letters.
    DeadLettersArchive = "deadLetters.archive", Operate, [];
    /// Resolve, ignore and reopen groups of dead letters.
    DeadLettersResolve = "deadLetters.resolve", Operate, [];
    /// Look at bulk operations.
    BatchesRead = "batches.read", Read, [];
    /// Abort bulk operations.
    BatchesAbort = "batches.abort", Operate, [];
    /// Pause and resume bulk operations.
    BatchesPause = "batches.pause", Operate, [];
    /// Follow changes as they happen.
    EventsRead = "events.read", Read, [];
    /// Send events, which start workflows and wake executions that wait for them.
    EventsSend = "events.send", Start, [Tenant];
    /// Look at triggers of events.
    TriggersRead = "triggers.read", Read, [];
    /// Create, change, pause and remove triggers of events.
    TriggersWrite = "triggers.write", Operate, [];
    /// Look at workers.
    WorkersRead = "workers.read", Read, [];
    /// Drain workers.
    WorkersDrain = "workers.drain", Operate, [];
    /// Look at which job types are pinned to builds of workers.
    BuildsRead = "builds.read", Read, [];
    /// Pin job types to builds of workers.
    BuildsPin = "builds.pin", Operate, [JobType, Tenant];
    /// Look at the audit log.
    AuditRead = "audit.read", Operate, [];
    /// Look at alerts, rules, routes, silences and notifications.
    AlertsRead = "alerts.read", Read, [];
    /// Set rules and routes, silence alerts, send notifications again.
    AlertsWrite = "alerts.write", Operate, [];
    /// Look at the processes of the deployment.
    ServersRead = "servers.read", Read, [];
    /// Look at saved views.
    ViewsRead = "views.read", Read, [];
    /// Save, change and remove views.
    ViewsWrite = "views.write", Read, [];
    /// Look at tenants.
    TenantsRead = "tenants.read", Read, [];
    /// Make tenants.
    TenantsCreate = "tenants.create", Administer, [];
    /// Set the quotas of tenants.
    TenantsQuota = "tenants.quota", Administer, [];
    /// Move the time of a development server on.
    TimeMove = "time.move", Administer, [];
    /// Have the payloads of tenants encrypted.
    TenantsEncrypt = "tenants.encrypt", Administer, [];
    /// Examine the deployment.
    DoctorRead = "doctor.read", Administer, [];
    /// Erase tenants.
    TenantsErase = "tenants.erase", Administer, [];
    /// Look at how long things are kept.
    RetentionRead = "retention.read", Read, [];
    /// Set how long things are kept.
    RetentionSet = "retention.set", Administer, [];
    /// Copy the whole database.
    BackupsCreate = "backups.create", Administer, [];
    /// Look at the last move of the store to another database.
    MovesRead = "moves.read", Administer, [];
    /// Move the store to another database, or give that up.
    MovesStart = "moves.start", Administer, [];
    /// Look at API keys.
    KeysRead = "keys.read", Administer, [];
    /// Make, rotate and revoke API keys.
    KeysWrite = "keys.write", Administer, [];
    /// See which secrets there are. Never their values.
    SecretsRead = "secrets.read", Operate, [];
    /// Store and remove secrets.
    SecretsWrite = "secrets.write", Operate, [];
}

impl Action {
    /// The part before the dot.
    pub fn resource(self) -> &'static str {
        self.as_str().split('.').next().unwrap_or_default()
    }

    /// What is done to the resource: the part behind the dot, such as `enqueue`.
    pub fn operation(self) -> &'static str {
        self.as_str().split('.').nth(1).unwrap_or_default()
    }

    /// Whether it changes nothing.
    pub fn is_read(self) -> bool {
        self.verb() == Permission::Read || self.operation() == "read"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_unique_and_of_two_parts() {
        let mut seen = std::collections::BTreeSet::new();
        for action in Action::ALL {
            assert!(seen.insert(action.as_str()), "{action:?}");
            assert_eq!(action.as_str(), format!("{}.{}", action.resource(), action.operation()));
        }
    }

    #[test]
    fn reading_changes_nothing() {
        for action in Action::ALL {
            if action.operation() == "read" {
                assert!(action.is_read(), "{action:?}");
            }
        }
        assert!(!Action::JobsWork.is_read() && !Action::UserTasksClaim.is_read());
    }
}
