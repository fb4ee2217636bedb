//! Schedules: what fires when, and what became of each slot.

use async_trait::async_trait;
use domain::access::TenantScope;
use domain::id::{ExecutionId, ScheduleId};
use domain::names::TenantName;
use domain::queue::{Tier, WorkflowRef};
use domain::schedule::{Interval, SchedulePolicy};
use domain::time::Timestamp;

use crate::error::StoreResult;
use crate::executions::NewExecution;

/// A schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleRecord {
    /// Its id.
    pub id: ScheduleId,
    /// Its tenant.
    pub tenant: TenantName,
    /// Its name, unique within the tenant.
    pub name: String,
    /// The workflow that it starts, as it was found when the schedule was saved.
    pub workflow: WorkflowRef,
    /// The cron expression as it was given; empty where it fires by an interval.
    pub cron: String,
    /// The interval by which it fires, in place of an expression.
    pub interval: Option<Interval>,
    /// The IANA time zone.
    pub timezone: String,
    /// The input of its executions, as raw JSON text.
    pub input: String,
    /// The tier of its executions.
    pub tier: Tier,
    /// Misfire, overlap, jitter and bounds.
    pub policy: SchedulePolicy,
    /// Whether it is paused.
    pub is_paused: bool,
    /// Grows with every edit: a fire that was decided on an older one is refused.
    pub version: i64,
    /// The last nominal instant that was decided; never goes back.
    pub cursor: Timestamp,
    /// The next nominal instant; `None` when there is none (paused, or past its end).
    pub next_run_at: Option<Timestamp>,
    /// The time zone data with which `next_run_at` was computed.
    pub tzdb_version: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last edited.
    pub updated_at: Timestamp,
}

/// What saving a schedule did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScheduleSaved {
    /// It is stored.
    Saved,
    /// The tenant has another schedule of this name.
    NameTaken,
    /// It was edited meanwhile: load it again.
    Stale,
    /// There is no such schedule in this scope.
    NotFound,
}

/// A schedule that is due, with what its overlap rule looks at.
#[derive(Debug, Clone, PartialEq)]
pub struct DueSchedule {
    /// The schedule.
    pub record: ScheduleRecord,
    /// Its executions that have not ended, oldest first, at most 100. Empty where nobody asks: they may overlap, and no
    /// slot waits.
    pub open: Vec<ExecutionId>,
    /// The slot that waits for them to end, if one does.
    pub waiting: Option<Timestamp>,
}

/// What is done about one slot.
#[derive(Debug, Clone, PartialEq)]
pub enum SlotAction {
    /// Start an execution (id derived from schedule and nominal instant).
    Start(Box<NewExecution>),
    /// Wait until what runs has ended.
    Wait,
    /// Do not run it.
    Skip {
        /// Why: `overlap`, `misfire`, `catchup_cap`.
        reason: &'static str,
    },
}

/// One decided slot.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotDecision {
    /// The nominal instant.
    pub nominal: Timestamp,
    /// `tick`, `catchup`, `backfill` or `manual`.
    pub reason: &'static str,
    /// What is done about it.
    pub action: SlotAction,
}

/// What is decided about one schedule, committed in one transaction: slots, executions, cursor.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleFire {
    /// The schedule.
    pub id: ScheduleId,
    /// The version it was decided on; nothing is written if it was edited since.
    pub version: i64,
    /// The cursor that it was decided from; nothing is written if it has moved since, because what ran then says nothing
    /// about what runs now. `None` where the cursor does not matter (manual runs, backfills).
    pub planned_from: Option<Timestamp>,
    /// The slots, oldest first. A slot that is recorded already is left alone, and starts nothing.
    pub slots: Vec<SlotDecision>,
    /// The new cursor and the next nominal instant; `None` leaves both (manual runs, backfills). A cursor that is
    /// before the stored one leaves both too; with the same one only the next instant is written.
    pub advance: Option<(Timestamp, Option<Timestamp>)>,
    /// A slot that waited and is now started or given up.
    pub settle_waiting: Option<Timestamp>,
}

/// What a fire did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fired {
    /// Committed; the executions that were really created.
    Done(Vec<ExecutionId>),
    /// The schedule was edited, deleted or paused meanwhile, or another check has moved its cursor. Nothing was written.
    Stale,
}

/// A slot in the history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleRunRecord {
    /// The schedule.
    pub schedule_id: ScheduleId,
    /// The nominal instant.
    pub nominal: Timestamp,
    /// `tick`, `catchup`, `backfill` or `manual`.
    pub reason: String,
    /// `fired`, `waiting` or `skipped`.
    pub status: String,
    /// Why it was skipped.
    pub skip_reason: Option<String>,
    /// The execution.
    pub execution_id: Option<ExecutionId>,
    /// When it was decided.
    pub decided_at: Timestamp,
}

/// The store's operations on schedules.
#[async_trait]
pub trait ScheduleStore {
    /// Stores a new schedule. An id that is there already changes nothing and counts as saved.
    async fn create_schedule(&self, schedule: &ScheduleRecord) -> StoreResult<ScheduleSaved>;

    /// Replaces a schedule whose stored version is `schedule.version - 1`.
    async fn replace_schedule(
        &self,
        scope: &TenantScope,
        schedule: &ScheduleRecord,
    ) -> StoreResult<ScheduleSaved>;

    /// Removes a schedule with its history; its executions stay. Answers whether it was there.
    async fn delete_schedule(&self, scope: &TenantScope, id: ScheduleId) -> StoreResult<bool>;

    /// A schedule.
    async fn schedule(&self, scope: &TenantScope, id: ScheduleId) -> StoreResult<Option<DueSchedule>>;

    /// Schedules that are due at `now`, or whose waiting slot can start because nothing of theirs runs any more;
    /// the longest overdue first, at most `limit`, those of the tenants `without` left out. Of either kind it is enough to
    /// answer those whose inputs reach `bytes_max` together, with the one that does.
    async fn due_schedules(
        &self,
        now: Timestamp,
        limit: u32,
        bytes_max: u64,
        without: &[TenantName],
    ) -> StoreResult<Vec<DueSchedule>>;

    /// Schedules with a slot that waits, also for what still runs, unless they are paused; those that wait longest first, at
    /// most `limit`. What runs of them is left out.
    async fn waiting_schedules(&self, limit: u32) -> StoreResult<Vec<DueSchedule>>;

    /// Whether a schedule by interval is due at `now`.
    async fn is_interval_due(&self, now: Timestamp) -> StoreResult<bool>;

    /// Schedules whose next instant was computed with other time zone data, at most `limit`.
    async fn schedules_of_other_tzdb(
        &self,
        tzdb_version: &str,
        limit: u32,
    ) -> StoreResult<Vec<ScheduleRecord>>;

    /// Commits what was decided, each schedule for itself: one that is stale does not hold up the others. All of it
    /// is one transaction. Answers in order.
    async fn fire_schedules(&self, fires: &[ScheduleFire], now: Timestamp) -> StoreResult<Vec<Fired>>;

    /// Which of these nominal instants have run or wait to run. One that was skipped is not among them: a backfill may
    /// run it.
    async fn recorded_slots(&self, id: ScheduleId, nominals: &[Timestamp]) -> StoreResult<Vec<Timestamp>>;
}
