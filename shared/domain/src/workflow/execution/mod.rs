//! The state of one execution, what can happen to it, and what follows from it. Data only; see `advance`.

mod activity;
mod context;
mod effect;
mod event;
mod fresh;
mod outputs;
mod standing;
mod state;
mod status;
mod stored;

pub use activity::Activity;
pub use context::{CallbackBase, ExecutionContext};
pub use effect::{
    ChildStart, Decision, Effect, EventWait, JOB_TYPE_EXECUTION, JOB_TYPE_HTTP, JOB_TYPE_HTTP_SECRETS,
    JOB_TYPE_RESERVED_PREFIX, NodeJob, NodeRecord, TimelineEvent, UserTask, UserTaskEnd,
};
pub use event::{Event, NodeSettled, Refusal};
pub use standing::ChildStanding;
pub use state::{
    Ending, ExecutionError, ExecutionState, Kept, MapState, NodeState, Outputs, STATE_FORMAT, Wait,
};
pub use status::{ExecutionStatus, NodeStatus};
