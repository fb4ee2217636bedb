//! The four queues and the three tiers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One of the four queues, each with its own worker pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum QueueName {
    /// Executions: one job is one run of a workflow.
    #[serde(rename = "workflow-execution")]
    Execution,
    /// Nodes of executions and stand-alone jobs.
    #[serde(rename = "workflow-node")]
    Node,
    /// The minute check of schedules.
    #[serde(rename = "workflow-scheduled")]
    Scheduled,
    /// Received webhook deliveries.
    #[serde(rename = "workflow-webhook")]
    Webhook,
}

impl QueueName {
    /// All queues, in the order of their codes.
    pub const ALL: [Self; 4] = [Self::Execution, Self::Node, Self::Scheduled, Self::Webhook];

    /// The public name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Execution => "workflow-execution",
            Self::Node => "workflow-node",
            Self::Scheduled => "workflow-scheduled",
            Self::Webhook => "workflow-webhook",
        }
    }

    /// The number stored in rows. Never changes.
    pub const fn code(self) -> i16 {
        match self {
            Self::Execution => 0,
            Self::Node => 1,
            Self::Scheduled => 2,
            Self::Webhook => 3,
        }
    }

    /// The queue with this code.
    pub fn from_code(code: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|queue| queue.code() == code)
    }

    /// The queue with this public name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|queue| queue.as_str() == text)
    }
}

impl fmt::Display for QueueName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A priority tier. A higher tier with an admissible job is always served first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Served first.
    High,
    /// Served when no high job is admissible.
    Normal,
    /// Served last.
    Low,
}

impl Tier {
    /// All tiers, in the order in which they are served.
    pub const ALL: [Self; 3] = [Self::High, Self::Normal, Self::Low];

    /// The public name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Normal => "normal",
            Self::Low => "low",
        }
    }

    /// The number stored in rows; lower is served first. Never changes.
    pub const fn code(self) -> i16 {
        match self {
            Self::High => 0,
            Self::Normal => 1,
            Self::Low => 2,
        }
    }

    /// The tier with this code.
    pub fn from_code(code: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.code() == code)
    }

    /// The tier with this public name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.as_str() == text)
    }

    /// The next higher tier, for aging.
    #[must_use]
    pub const fn lifted(self) -> Self {
        match self {
            Self::High | Self::Normal => Self::High,
            Self::Low => Self::Normal,
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
