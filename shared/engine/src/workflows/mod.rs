//! Workflows: register, read, pause, simulate.

mod pause;
mod read;
mod register;
mod simulate;
mod source;

pub use register::Registration;
pub use simulate::{SimulatedWorkflow, Simulation, SimulationRequest};
pub use source::{SourcePlace, SourcePlaces};
