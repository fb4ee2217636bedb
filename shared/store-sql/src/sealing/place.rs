//! Where a payload belongs. Authenticated with it, so that it opens nowhere else.

use store::{Closed, StoreError};
use uuid::Uuid;

/// The kinds of payloads. Their numbers are stored within what is authenticated: they never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    JobData = 1,
    JobResult = 2,
    JobProgress = 3,
    ExecutionInput = 4,
    ExecutionOutput = 5,
    ExecutionState = 6,
    NodeInput = 7,
    NodeOutput = 8,
    InboxEntry = 9,
    TaskInput = 10,
    DeliveryHeaders = 11,
    DeliveryTarget = 12,
    DeliveryBody = 13,
    PutOffStart = 14,
    KeptAnswer = 15,
    LogLine = 16,
    BatchRequest = 17,
    ErrorDetails = 18,
}

/// Where a payload belongs: its kind, the object that it is of, and a name within that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place<'a> {
    kind: Kind,
    object: Uuid,
    name: &'a str,
}

impl<'a> Place<'a> {
    const fn of(kind: Kind, object: Uuid) -> Self {
        Self { kind, object, name: "" }
    }

    const fn named(kind: Kind, object: Uuid, name: &'a str) -> Self {
        Self { kind, object, name }
    }

    /// The data of a job, also in its dead letters.
    pub(crate) const fn job_data(job: Uuid) -> Self {
        Self::of(Kind::JobData, job)
    }

    /// The result of a job, also on its way to the owner of its execution.
    pub(crate) const fn job_result(job: Uuid) -> Self {
        Self::of(Kind::JobResult, job)
    }

    /// The progress of a job.
    pub(crate) const fn job_progress(job: Uuid) -> Self {
        Self::of(Kind::JobProgress, job)
    }

    /// The input of an execution.
    pub(crate) const fn input(execution: Uuid) -> Self {
        Self::of(Kind::ExecutionInput, execution)
    }

    /// The output of an execution, also on its way to its parent.
    pub(crate) const fn output(execution: Uuid) -> Self {
        Self::of(Kind::ExecutionOutput, execution)
    }

    /// The snapshot of an execution.
    pub(crate) const fn state(execution: Uuid) -> Self {
        Self::of(Kind::ExecutionState, execution)
    }

    /// The input of a node that ran in place.
    pub(crate) const fn node_input(execution: Uuid, node: &'a str) -> Self {
        Self::named(Kind::NodeInput, execution, node)
    }

    /// The output of a node.
    pub(crate) const fn node_output(execution: Uuid, node: &'a str) -> Self {
        Self::named(Kind::NodeOutput, execution, node)
    }

    /// What a signal, a person, a callback or an event brought to an execution.
    pub(crate) const fn entry(execution: Uuid) -> Self {
        Self::of(Kind::InboxEntry, execution)
    }

    /// What a person is shown with a user task.
    pub(crate) const fn task_input(execution: Uuid, node: &'a str) -> Self {
        Self::named(Kind::TaskInput, execution, node)
    }

    /// The headers of a delivery.
    pub(crate) const fn headers(delivery: Uuid) -> Self {
        Self::of(Kind::DeliveryHeaders, delivery)
    }

    /// Path and query of a delivery.
    pub(crate) const fn target(delivery: Uuid) -> Self {
        Self::of(Kind::DeliveryTarget, delivery)
    }

    /// The body of a delivery.
    pub(crate) const fn body(delivery: Uuid) -> Self {
        Self::of(Kind::DeliveryBody, delivery)
    }

    /// A start that is put off, or an event for one. What gathers them changes under way, so that they are bound to their
    /// tenant by its key alone.
    pub(crate) const fn put_off() -> Self {
        Self::of(Kind::PutOffStart, Uuid::nil())
    }

    /// An answer that is kept for repeats: of an owner and a key.
    pub(crate) const fn answer(owner_and_key: &'a str) -> Self {
        Self::named(Kind::KeptAnswer, Uuid::nil(), owner_and_key)
    }

    /// A line that a handler logged.
    pub(crate) const fn log_line(job: Uuid) -> Self {
        Self::of(Kind::LogLine, job)
    }

    /// What a bulk operation writes into its objects.
    pub(crate) const fn batch_request(batch: Uuid) -> Self {
        Self::of(Kind::BatchRequest, batch)
    }

    /// What a handler sent with an error. Errors go from a job to its dead letter, its execution and groups of both, so that
    /// they are bound to their tenant by its key alone.
    pub(crate) const fn error_details() -> Self {
        Self::of(Kind::ErrorDetails, Uuid::nil())
    }

    /// Whether anybody may send such a payload in any form, so that one which only looks sealed is what it is.
    pub(super) const fn is_of_any_form(self) -> bool {
        matches!(self.kind, Kind::DeliveryBody | Kind::LogLine | Kind::DeliveryTarget | Kind::ErrorDetails)
    }

    /// The bytes that are authenticated.
    pub(super) fn context(self) -> Vec<u8> {
        let mut context = b"trunkline payload 1".to_vec();
        context.push(self.kind as u8);
        context.extend_from_slice(self.object.as_bytes());
        context.extend_from_slice(self.name.as_bytes());
        context
    }

    /// A payload here was changed, or belongs elsewhere.
    pub(super) fn broken(self) -> StoreError {
        let (table, column) = self.column();
        let row = if self.object.is_nil() { self.name.to_owned() } else { self.object.to_string() };
        StoreError::Corrupt { table, column, row }
    }

    /// There is no key for a payload here.
    pub(super) fn closed(self, why: &Closed) -> StoreError {
        StoreError::Sealed { table: self.column().0, why: why.clone() }
    }

    /// Nothing is known of the key of a payload here but its id.
    pub(super) fn without_key(self, key: Uuid) -> StoreError {
        self.closed(&Closed::WithoutKey(key.to_string()))
    }

    const fn column(self) -> (&'static str, &'static str) {
        match self.kind {
            Kind::JobData => ("job", "data"),
            Kind::JobResult => ("job_done", "result"),
            Kind::JobProgress => ("job", "progress"),
            Kind::ExecutionInput => ("execution", "input"),
            Kind::ExecutionOutput => ("execution", "output"),
            Kind::ExecutionState => ("execution", "state"),
            Kind::NodeInput => ("node_result", "input"),
            Kind::NodeOutput => ("node_result", "output"),
            Kind::InboxEntry => ("inbox", "entry"),
            Kind::TaskInput => ("user_task", "input"),
            Kind::DeliveryHeaders => ("webhook_delivery", "headers"),
            Kind::DeliveryTarget => ("webhook_delivery", "target"),
            Kind::DeliveryBody => ("webhook_body", "body"),
            Kind::PutOffStart => ("put_off_start", "request"),
            Kind::KeptAnswer => ("idempotency", "response_body"),
            Kind::LogLine => ("job_log", "message"),
            Kind::BatchRequest => ("batch", "request"),
            Kind::ErrorDetails => ("job", "error"),
        }
    }
}
