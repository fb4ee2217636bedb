//! The options of the console: where it is served, and what its simulations may cost.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

/// Bytes that nobody can guess.
type RandomBytes = Arc<dyn Fn() -> [u8; 32] + Send + Sync>;

/// What the console needs to know.
#[derive(Clone)]
pub struct ConsoleOptions {
    /// The path below which the world reaches the server, without a slash at the end; empty for the root.
    pub base_path: String,
    /// The server's version.
    pub version: String,
    /// The kind of the database: `sqlite` or `postgres`.
    pub database: String,
    /// What the button says by which people sign in at an identity provider; `None` where they cannot.
    pub sign_in_label: Option<String>,
    /// The limits of dry runs in the browser.
    pub simulation: SimulationLimits,
    /// What worker time costs; `None` where nobody said it.
    pub price: Option<WorkerPrice>,
    /// Where nonces come from.
    pub random: RandomBytes,
}

/// What worker time costs.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkerPrice {
    /// The price of an hour.
    pub worker_hour: f64,
    /// Its currency; empty where nobody said it.
    pub currency: String,
}

/// The limits of simulations, which those in the browser keep to as well.
#[derive(Debug, Clone, Copy, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SimulationLimits {
    /// The most bytes of an input.
    pub input_bytes: usize,
    /// How deep the body of a call may be nested.
    pub depth: usize,
    /// The most bytes of a definition.
    pub definition_bytes: usize,
    /// The most nodes of a definition.
    pub nodes: usize,
    /// The most bytes of an expression.
    pub expression_bytes: usize,
    /// The most steps of an expression.
    pub expression_steps: u64,
    /// The most memory of an expression, in bytes.
    pub expression_memory: u64,
    /// The most steps of all expressions of a simulation.
    pub step_steps: u64,
    /// The most bytes of inputs and outputs that one step brings about before the rest is left to the next.
    pub step_bytes: usize,
}

impl fmt::Debug for ConsoleOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsoleOptions")
            .field("base_path", &self.base_path)
            .field("version", &self.version)
            .field("database", &self.database)
            .field("sign_in_label", &self.sign_in_label)
            .field("simulation", &self.simulation)
            .field("price", &self.price)
            .finish_non_exhaustive()
    }
}
