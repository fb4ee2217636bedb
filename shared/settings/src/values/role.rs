//! The parts of the work that a process can take on.

use std::fmt;

use domain::queue::QueueName;
use serde::{Deserialize, Serialize};

/// One part of the work. A process has all of them unless `roles` names some.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Serves REST.
    Api,
    /// Serves webhook ingress.
    Webhooks,
    /// Keeps the minute clock and does upkeep: promote, reap, prune.
    Scheduler,
    /// Runs the pool of `workflow-execution`.
    Execution,
    /// Runs the pool of `workflow-node`.
    Node,
    /// Runs the pool of `workflow-scheduled`.
    Scheduled,
    /// Runs the pool of `workflow-webhook`.
    Webhook,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 7] = [
        Self::Api,
        Self::Webhooks,
        Self::Scheduler,
        Self::Execution,
        Self::Node,
        Self::Scheduled,
        Self::Webhook,
    ];

    /// The public name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Webhooks => "webhooks",
            Self::Scheduler => "scheduler",
            Self::Execution => "execution",
            Self::Node => "node",
            Self::Scheduled => "scheduled",
            Self::Webhook => "webhook",
        }
    }

    /// The role with this public name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }

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
