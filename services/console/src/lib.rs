//! The web console, as files of this binary: `web/dist`, made by `scripts/build-console.sh`.
//!
//! Serves pages and files and nothing else: what the console shows it reads from the public REST interface. Debug builds
//! read the files from disk, so that a new build of the console needs no new build of the server.

mod assets;
mod built;
mod options;
mod page;
mod policy;
mod router;

pub use options::{ConsoleOptions, SimulationLimits, WorkerPrice};
pub use router::router;
