//! Workflows: register, read, pause, simulate.

mod pause;
mod read;
mod register;
mod simulate;

pub use register::Registration;
pub use simulate::{SimulatedWorkflow, Simulation, SimulationRequest};
