//! Executions: created with their job, moved on by the one owner that holds the job's lease.

mod commit;
mod create;
mod inbox;
mod record;
mod unique;
mod verbs;

pub use commit::{
    Committed, CompletedJob, EagerlyCommitted, ExecutionCommit, LoadedExecution, OpenedTask, OwnerNext,
    ROUNDS_KEPT, ROUNDS_TRIMMED, SettledNode, UserTaskChange,
};
pub use create::{NewExecution, Parent, Seed, Trigger};
pub use inbox::{
    Appended, CommandRecord, CommandStatus, INBOX_BYTES_MAX, INBOX_MAX, InboxEntry, InboxResult, InboxRow,
};
pub use record::{EventLine, EventRecord, ExecutionDetail, ExecutionFilter, ExecutionRecord, NodeView};
pub use unique::{UniqueKey, UniqueStart, UniqueStarted};
pub use verbs::ExecutionStore;
