//! Time as a port: the engine never asks the machine.

use domain::time::Timestamp;

/// One timeline for all nodes of a deployment.
pub trait Clock: Send + Sync {
    /// The present instant.
    fn now(&self) -> Timestamp;
}
