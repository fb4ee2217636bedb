//! Where spans stand in traces. No span is stored: the ids of what happens to a job or a node follow from the ids that
//! are stored, so that every process names the same span without asking another.

mod context;
mod jobs;
mod steps;

pub use context::{SpanId, TraceContext, TraceId};
pub use jobs::{JobTrace, SpanPlace};
pub use steps::StepTraces;
