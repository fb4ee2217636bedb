//! Which parts of what crosses the port are payloads, and where each belongs. Sealing and opening go through the same list.

use domain::failure::JobError;
use domain::id::Id;
use domain::job::Disposition;
use domain::names::TenantName;
use domain::queue::QueueName;
use serde_json::Value;
use store::StoreResult;
use store::batches::BatchRecord;
use store::dead_letters::{DeadLetterGroup, DeadLetterRecord};
use store::executions::{
    ExecutionCommit, ExecutionDetail, ExecutionRecord, InboxEntry, ItemPage, LoadedExecution, NewExecution,
    NodeView, UserTaskChange,
};
use store::job_logs::LogRecord;
use store::jobs::{ClaimedJob, JobRecord, LeaseAnswer, NewJob, Settlement};
use store::schedules::{ScheduleFire, SlotAction};
use store::starts::{DueStart, PutOff};
use store::user_tasks::UserTaskRecord;
use store::webhooks::{Acceptance, DeliveryRecord, HeldDelivery, NewDelivery};
use uuid::Uuid;

use super::cipher::is_sealed_text;
use super::place::Place;

/// A payload.
pub(crate) enum Field<'a> {
    /// JSON, in a column of text.
    Text(&'a mut String),
    /// Any bytes.
    Bytes(&'a mut Vec<u8>),
}

impl Field<'_> {
    /// The same once more.
    pub(super) fn again(&mut self) -> Field<'_> {
        match self {
            Self::Text(text) => Field::Text(text),
            Self::Bytes(bytes) => Field::Bytes(bytes),
        }
    }
}

/// What is done with each payload.
pub(crate) type With<'w> = dyn FnMut(Place<'_>, Field<'_>) -> StoreResult<()> + 'w;

/// Whatever carries payloads.
pub(crate) trait Payloads: Send {
    /// Goes through them, up to the first that fails.
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()>;
}

/// Whatever carries payloads of one tenant.
pub(crate) trait OfTenant: Payloads {
    /// The tenant.
    fn tenant(&self) -> &TenantName;
}

fn text(with: &mut With<'_>, place: Place<'_>, text: &mut String) -> StoreResult<()> {
    with(place, Field::Text(text))
}

fn text_or_none(with: &mut With<'_>, place: Place<'_>, text: Option<&mut String>) -> StoreResult<()> {
    text.map_or(Ok(()), |text| with(place, Field::Text(text)))
}

fn bytes_or_none(with: &mut With<'_>, place: Place<'_>, bytes: Option<&mut Vec<u8>>) -> StoreResult<()> {
    bytes.map_or(Ok(()), |bytes| with(place, Field::Bytes(bytes)))
}

/// What a handler sent with an error, on its way in: sealed it is a string, of the text of what was sent.
fn seal_details(with: &mut With<'_>, error: &mut JobError) -> StoreResult<()> {
    let Some(details) = &mut error.details else {
        return Ok(());
    };
    let mut sealed = details.to_string();
    text(with, Place::error_details(), &mut sealed)?;
    *details = Value::String(sealed);
    Ok(())
}

/// The same on its way out.
fn open_details(with: &mut With<'_>, error: Option<&mut JobError>) -> StoreResult<()> {
    let Some(details) = error.and_then(|error| error.details.as_mut()) else {
        return Ok(());
    };
    if let Value::String(sealed) = details
        && is_sealed_text(sealed)
    {
        text(with, Place::error_details(), sealed)?;
        if !is_sealed_text(sealed) {
            *details = serde_json::from_str(sealed).map_err(|_| Place::error_details().broken())?;
        }
    }
    Ok(())
}

impl Payloads for JobError {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        open_details(with, Some(self))
    }
}

/// An error on its way in.
pub(crate) struct NewError<'a>(pub(crate) &'a mut JobError);

impl Payloads for NewError<'_> {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        seal_details(with, self.0)
    }
}

impl Payloads for Settlement {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        let job = self.lease.id.uuid();
        match &mut self.disposition {
            Disposition::Complete(result) => text_or_none(with, Place::job_result(job), result.as_mut()),
            Disposition::RetryAt { error, .. } | Disposition::Die { error, .. } => seal_details(with, error),
        }
    }
}

impl Payloads for (Place<'_>, &mut String) {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        text(with, self.0, self.1)
    }
}

impl Payloads for (Place<'_>, &mut Option<String>) {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        text_or_none(with, self.0, self.1.as_mut())
    }
}

impl Payloads for (Place<'_>, &mut Vec<u8>) {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        with(self.0, Field::Bytes(self.1))
    }
}

impl<T: Payloads> Payloads for &mut T {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        (**self).each(with)
    }
}

impl<T: Payloads> Payloads for Vec<T> {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        self.iter_mut().try_for_each(|one| one.each(with))
    }
}

impl<T: Payloads> Payloads for Option<T> {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        self.as_mut().map_or(Ok(()), |one| one.each(with))
    }
}

impl<T: Payloads> Payloads for LeaseAnswer<T> {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        match self {
            Self::Ok(one) => one.each(with),
            Self::AlreadyDone | Self::Cancelled | Self::LeaseLost => Ok(()),
        }
    }
}

// The jobs of the other queues are ours: their data names an object, which the store reads.
impl Payloads for NewJob {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        if self.queue == QueueName::Node {
            text(with, Place::job_data(self.id.uuid()), &mut self.data)
        } else {
            Ok(())
        }
    }
}

impl OfTenant for NewJob {
    fn tenant(&self) -> &TenantName {
        &self.tenant
    }
}

impl Payloads for ClaimedJob {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        text(with, Place::job_data(self.id.uuid()), &mut self.data)
    }
}

impl Payloads for JobRecord {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        let id = self.id.uuid();
        text_or_none(with, Place::job_data(id), self.data.as_mut())?;
        text_or_none(with, Place::job_result(id), self.result.as_mut())?;
        text_or_none(with, Place::job_progress(id), self.progress.as_mut())?;
        open_details(with, self.error.as_mut())?;
        self.attempts.iter_mut().try_for_each(|attempt| open_details(with, attempt.error.as_mut()))
    }
}

impl Payloads for DeadLetterRecord {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        text_or_none(with, Place::job_data(self.job_id.uuid()), self.data.as_mut())?;
        open_details(with, Some(&mut self.error))?;
        self.attempts.iter_mut().try_for_each(|attempt| open_details(with, attempt.error.as_mut()))
    }
}

impl Payloads for DeadLetterGroup {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        open_details(with, Some(&mut self.error))
    }
}

impl Payloads for NewExecution {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        let id = self.id.uuid();
        text(with, Place::input(id), &mut self.input)?;
        bytes_or_none(with, Place::state(id), self.seed.as_mut().map(|seed| &mut seed.state))
    }
}

impl OfTenant for NewExecution {
    fn tenant(&self) -> &TenantName {
        &self.job.tenant
    }
}

impl Payloads for ScheduleFire {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        self.slots.iter_mut().try_for_each(|slot| match &mut slot.action {
            SlotAction::Start(execution) => execution.each(with),
            SlotAction::Wait | SlotAction::Skip { .. } => Ok(()),
        })
    }
}

impl Payloads for ExecutionRecord {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        let id = self.id.uuid();
        text(with, Place::input(id), &mut self.input)?;
        text_or_none(with, Place::output(id), self.output.as_mut())
    }
}

impl Payloads for LoadedExecution {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        let id = self.record.id.uuid();
        self.record.each(with)?;
        bytes_or_none(with, Place::state(id), self.state.as_mut())?;
        self.outputs
            .iter_mut()
            .try_for_each(|(node, output)| text(with, Place::node_output(id, node.as_str()), output))
    }
}

impl Payloads for ExecutionDetail {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        let id = self.record.id.uuid();
        self.record.each(with)?;
        bytes_or_none(with, Place::state(id), self.state.as_mut())?;
        self.nodes.iter_mut().try_for_each(|view| open_view(with, id, view))
    }
}

impl Payloads for ItemPage {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        let id = self.execution_id.uuid();
        self.items.iter_mut().try_for_each(|view| open_view(with, id, view))
    }
}

fn open_view(with: &mut With<'_>, execution: Uuid, view: &mut NodeView) -> StoreResult<()> {
    let node = view.node_id.as_str();
    // What a node with a job was given is the data of the job.
    let input = view.job_id.map_or(Place::node_input(execution, node), |job| Place::job_data(job.uuid()));
    text_or_none(with, input, view.input.as_mut())?;
    text_or_none(with, Place::node_output(execution, node), view.output.as_mut())?;
    open_details(with, view.error.as_mut())
}

impl Payloads for ExecutionCommit {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        let id = self.id.uuid();
        with(Place::state(id), Field::Bytes(&mut self.state))?;
        text_or_none(with, Place::output(id), self.output.as_mut())?;
        for record in &mut self.records {
            let node = record.node.as_str();
            text_or_none(with, Place::node_input(id, node), record.input.as_mut())?;
            text_or_none(with, Place::node_output(id, node), record.output.as_mut())?;
            record.error.as_mut().map_or(Ok(()), |error| seal_details(with, error))?;
        }
        self.enqueue.each(with)?;
        self.children.each(with)?;
        for job in &mut self.completed {
            text_or_none(with, Place::job_result(job.lease.id.uuid()), job.result.as_mut())?;
        }
        for change in &mut self.user_tasks {
            if let UserTaskChange::Open(task) = change {
                text_or_none(with, Place::task_input(id, task.node.as_str()), task.input.as_mut())?;
            }
        }
        Ok(())
    }
}

impl OfTenant for ExecutionCommit {
    fn tenant(&self) -> &TenantName {
        &self.tenant
    }
}

impl Payloads for UserTaskRecord {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        let place = Place::task_input(self.execution_id.uuid(), self.node_id.as_str());
        text_or_none(with, place, self.input.as_mut())
    }
}

impl Payloads for NewDelivery {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        let id = self.id.uuid();
        text(with, Place::headers(id), &mut self.headers)?;
        text(with, Place::target(id), &mut self.target)?;
        with(Place::body(id), Field::Bytes(&mut self.body))
    }
}

impl OfTenant for NewDelivery {
    fn tenant(&self) -> &TenantName {
        &self.tenant
    }
}

impl Payloads for Acceptance {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        self.delivery.each(with)
    }
}

impl OfTenant for Acceptance {
    fn tenant(&self) -> &TenantName {
        &self.delivery.tenant
    }
}

impl Payloads for HeldDelivery {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        self.delivery.each(with)
    }
}

impl OfTenant for HeldDelivery {
    fn tenant(&self) -> &TenantName {
        &self.delivery.tenant
    }
}

impl Payloads for DeliveryRecord {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        let id = self.id.uuid();
        text(with, Place::headers(id), &mut self.headers)?;
        text(with, Place::target(id), &mut self.target)
    }
}

impl Payloads for PutOff {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        text(with, Place::put_off(), &mut self.request)?;
        text_or_none(with, Place::put_off(), self.entry.as_mut())
    }
}

impl OfTenant for PutOff {
    fn tenant(&self) -> &TenantName {
        &self.tenant
    }
}

impl Payloads for DueStart {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        text(with, Place::put_off(), &mut self.request)?;
        self.entries.iter_mut().try_for_each(|entry| text(with, Place::put_off(), entry))
    }
}

impl Payloads for BatchRecord {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        text(with, Place::batch_request(self.id.uuid()), &mut self.request)
    }
}

impl Payloads for LogRecord {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        let place = Place::log_line(self.position.job_id.uuid());
        text(with, place, &mut self.message)?;
        text_or_none(with, place, self.fields.as_mut())
    }
}

/// What somebody sent with an entry; `None` for results, which come sealed, and for entries that carry nothing.
pub(super) fn entry_payload(entry: &mut InboxEntry) -> Option<&mut String> {
    match entry {
        InboxEntry::Signal { payload, .. } | InboxEntry::Callback { payload, .. } => Some(payload),
        InboxEntry::UserTaskCompleted { output, .. } | InboxEntry::Event { output, .. } => Some(output),
        InboxEntry::NodeSettled { .. }
        | InboxEntry::ChildSettled { .. }
        | InboxEntry::NodeRequeued { .. }
        | InboxEntry::ChildResumed { .. }
        | InboxEntry::Cancel { .. }
        | InboxEntry::Retry => None,
    }
}

/// An entry in the inbox of an execution, on its way out.
pub(super) struct InboxPayload<'a> {
    pub(super) execution: Uuid,
    pub(super) entry: &'a mut InboxEntry,
}

impl Payloads for InboxPayload<'_> {
    fn each(&mut self, with: &mut With<'_>) -> StoreResult<()> {
        match &mut *self.entry {
            InboxEntry::NodeSettled { job_id, result: Ok(result), .. } => {
                text(with, Place::job_result(Id::uuid(*job_id)), result)
            }
            InboxEntry::ChildSettled { child_id, result: Ok(result), .. } => {
                text(with, Place::output(Id::uuid(*child_id)), result)
            }
            InboxEntry::NodeSettled { result: Err(error), .. }
            | InboxEntry::ChildSettled { result: Err(error), .. } => open_details(with, Some(error)),
            entry => text_or_none(with, Place::entry(self.execution), entry_payload(entry)),
        }
    }
}
