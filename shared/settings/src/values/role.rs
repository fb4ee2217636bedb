//! The parts of the work that a process can take on.

use std::fmt;

use domain::queue::QueueName;

domain::words! {
    serde
    /// One part of the work. A process has all of them unless `roles` names some.
    #[derive(PartialOrd, Ord)]
    Role {
        /// Serves REST.
        Api "api",
        /// Serves webhook ingress.
        Webhooks "webhooks",
        /// Keeps the minute clock and does upkeep: promote, reap, prune.
        Scheduler "scheduler",
        /// Runs the pool of `workflow-execution`.
        Execution "execution",
        /// Runs the pool of `workflow-node`.
        Node "node",
        /// Runs the pool of `workflow-scheduled`.
        Scheduled "scheduled",
        /// Runs the pool of `workflow-webhook`.
        Webhook "webhook",
    }
}

impl Role {
    /// The queue whose pool the role runs; `None` for roles without a pool.
    pub const fn queue(self) -> Option<QueueName> {
        match self {
            Self::Execution => Some(QueueName::Execution),
            Self::Node => Some(QueueName::Node),
            Self::Scheduled => Some(QueueName::Scheduled),
            Self::Webhook => Some(QueueName::Webhook),
            Self::Api | Self::Webhooks | Self::Scheduler => None,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The default: all roles.
pub(crate) fn roles_all() -> Vec<Role> {
    Role::ALL.to_vec()
}

#[cfg(test)]
mod tests {
    use super::Role;

    #[test]
    fn names_read_as_they_print() {
        for role in Role::ALL {
            assert_eq!(Role::parse(role.as_str()), Some(role));
        }
        assert_eq!(Role::parse("API"), None);
    }
}
