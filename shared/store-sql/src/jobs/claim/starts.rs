//! Counting starts under the lock of the queue's claim row, in the transaction of the claim: no start is missing from a
//! count, whichever node claims, freezes or dies.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use domain::claim::{RateTable, StartRooms};
use domain::id::JobId;
use domain::names::{CallerKey, JobType, TenantName};
use domain::queue::{LaneKey, QueueName};
use domain::rate::{Rate, RateSubject, StartCount};
use domain::time::Timestamp;
use sea_orm::Value;
use store::StoreResult;
use store::jobs::ClaimRequest;

use super::jobs::Taken;
use crate::bind::{self, Cell};
use crate::errors::corrupt;
use crate::memory::QueueMemory;
use crate::memory_starts::{ClockReading, StartMemory};
use crate::rows::{Row, workflow_columns, workflow_ref};
use crate::sql::{DatabaseTransaction, Sql};
use crate::store::SqlStore;

static LOAD: Sql = Sql::new("start_counts", include_str!("../../../sql/start_counts.sql"));
static SAVE: Sql = Sql::new("save_start_counts", include_str!("../../../sql/save_start_counts.sql"));

/// What a claim knows of the starts that it counts.
#[derive(Debug)]
pub(super) struct Starts {
    /// The instant of the claim by the store's clock, once any count was read.
    now: Option<Timestamp>,
    counts: BTreeMap<RateSubject, Counting>,
    /// What they leave.
    pub(super) rooms: StartRooms,
    /// Until when subjects have no room.
    holds: HashMap<RateSubject, Timestamp>,
    /// What the clock of the database said, where instants are its.
    reading: Option<ClockReading>,
}

/// A count that was read.
#[derive(Debug)]
struct Counting {
    rate: Rate,
    count: StartCount,
    is_changed: bool,
}

impl Starts {
    /// For a claim that has the lock. Of which rates this node knows that they have no room for a while is not read.
    pub(super) fn begin(memory: &QueueMemory, now: Timestamp) -> Self {
        let mut rooms = StartRooms::counting();
        for subject in memory.held_starts(now) {
            rooms.set(subject, 0);
        }
        Self { now: None, counts: BTreeMap::new(), rooms, holds: HashMap::new(), reading: None }
    }

    /// The instant at which what is counted starts, for the rows; `None` where nothing is counted.
    pub(super) fn now(&self) -> Option<i64> {
        self.now.map(|now| now.0)
    }

    /// Reads the counts of subjects that a plan asks for.
    pub(super) async fn load(
        &mut self,
        store: &SqlStore,
        on: &DatabaseTransaction,
        request: &ClaimRequest,
        (table, subjects): (&RateTable, &BTreeSet<RateSubject>),
    ) -> StoreResult<()> {
        let subjects: Vec<(&RateSubject, Rate)> =
            subjects.iter().filter_map(|subject| Some((subject, table.of(subject)?))).collect();
        if subjects.is_empty() {
            return Ok(());
        }
        let now = self.now().or_else(|| store.lease_now(request.now));
        let mut values: Vec<Value> = vec![request.queue.code().into(), now.into()];
        let cells = subjects.iter().enumerate().map(|(nth, (subject, _))| {
            let (scope, owner, name) = columns(subject);
            [Cell::Int(nth as i32), Cell::Text(scope), Cell::Text(owner), Cell::Text(name)]
        });
        values.extend(bind::rows(store.dialect(), cells));
        let rows = LOAD.all(on, values).await?;
        for row in &rows {
            let row = Row::new("start_count", row);
            let at = row.instant("now_ms")?;
            self.now = Some(self.now.map_or(at, |now| now.max(at)));
        }
        let Some(now) = self.now else { return Ok(()) };
        self.reading = Some(ClockReading::new(now));
        for row in &rows {
            let row = Row::new("start_count", row);
            let nth = row.int("nth")?;
            let Some(&(subject, rate)) = subjects.get(nth as usize) else { continue };
            let count: Option<StartCount> = row.json_or_null("counted")?;
            let count = count.unwrap_or_else(|| StartCount::new(&rate, now)).advanced(&rate, now);
            self.keep(subject.clone(), Counting { rate, count, is_changed: false });
        }
        Ok(())
    }

    /// Counts what was taken. Where only first claims count, others are left out.
    pub(super) fn record(&mut self, table: &RateTable, taken: &[(LaneKey, Started)]) -> StoreResult<()> {
        let mut by_subject: BTreeMap<RateSubject, (u32, Timestamp)> = BTreeMap::new();
        for (key, started) in taken {
            if table.counts_first_only() && !started.is_first {
                continue;
            }
            for (subject, _) in table.subjects(key) {
                let (starts, latest) = by_subject.entry(subject).or_insert((0, started.at));
                *starts += 1;
                *latest = started.at.max(*latest);
            }
        }
        for (subject, (starts, latest)) in by_subject {
            // Nothing is started that cannot be counted: the claim is undone.
            let Some(mut counting) = self.counts.remove(&subject) else {
                return Err(corrupt("start_count", "counted", format!("{subject:?}")));
            };
            counting.count.record(&counting.rate, starts, latest);
            counting.is_changed = true;
            self.keep(subject, counting);
        }
        Ok(())
    }

    /// Writes the counts that changed. In the transaction of the claim.
    pub(super) async fn save(
        &self,
        store: &SqlStore,
        on: &DatabaseTransaction,
        queue: QueueName,
    ) -> StoreResult<()> {
        let mut changed: Vec<(&RateSubject, String, i64)> = Vec::new();
        for (subject, Counting { rate, count, is_changed }) in &self.counts {
            if *is_changed {
                let text = serde_json::to_string(count)
                    .map_err(|_| corrupt("start_count", "counted", format!("{subject:?}")))?;
                changed.push((subject, text, stored_expiry(count, rate)));
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        let mut values: Vec<Value> = vec![queue.code().into()];
        let cells = changed.iter().map(|(subject, text, expires_at)| {
            let (scope, owner, name) = columns(subject);
            [
                Cell::Text(scope),
                Cell::Text(owner),
                Cell::Text(name),
                Cell::Text(text),
                Cell::Long(*expires_at),
            ]
        });
        values.extend(bind::rows(store.dialect(), cells));
        SAVE.run(on, values).await.map(|_| ())
    }

    /// Which rates have no room, and until when: for the claims of this node after this one.
    pub(super) fn take_holds(&mut self) -> HashMap<RateSubject, Timestamp> {
        std::mem::take(&mut self.holds)
    }

    /// Leaves the counts to the claims of this node after this one, once the transaction has ended.
    pub(super) fn remember_in(self, memory: &mut StartMemory) {
        memory.remember(self.counts.into_iter().map(|(subject, counting)| (subject, counting.count)));
        if let Some(reading) = self.reading {
            memory.see(reading);
        }
    }

    fn keep(&mut self, subject: RateSubject, counting: Counting) {
        let Counting { rate, count, .. } = &counting;
        let room = count.room(rate);
        if room == 0 {
            self.holds.insert(subject.clone(), count.free_at(rate, 0));
        }
        self.rooms.set(subject.clone(), room);
        self.counts.insert(subject, counting);
    }
}

/// When upkeep may remove the row of a count. Rarely another instant than before, so that a change touches no index.
pub(super) fn stored_expiry(count: &StartCount, rate: &Rate) -> i64 {
    const STEP_MS: i64 = 60_000;
    (count.expires_at(rate).0.div_euclid(STEP_MS) + 1) * STEP_MS
}

/// A start that is to be counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Started {
    /// When, as its row says.
    at: Timestamp,
    /// Whether the job was never claimed before.
    is_first: bool,
}

impl Started {
    /// Of a job that was taken.
    pub(super) fn of(taken: &Taken, firsts: &Firsts) -> Self {
        Self { at: taken.job.started_at, is_first: firsts.contains(taken.job.id) }
    }
}

/// Which of the jobs that were taken were never claimed before.
#[derive(Debug)]
pub(super) enum Firsts {
    /// It does not matter: all count.
    Unknown,
    /// These.
    Are(HashSet<JobId>),
}

// Of jobs that this transaction has taken. One whose attempt was taken back has a mark.
static FIRSTS: Sql =
    Sql::new("first_claims", "SELECT id FROM job WHERE id {any $1 uuid} AND attempt = 1 AND is_resumed = 0");

impl Firsts {
    /// Reads which they are.
    pub(super) async fn read(
        store: &SqlStore,
        on: &DatabaseTransaction,
        taken: &[Taken],
    ) -> StoreResult<Self> {
        let ids = bind::uuids(store.dialect(), taken.iter().map(|taken| taken.job.id.uuid()));
        let mut firsts = HashSet::with_capacity(taken.len());
        for row in &FIRSTS.all(on, vec![ids]).await? {
            firsts.insert(JobId::from_uuid(Row::new("job", row).uuid("id")?));
        }
        Ok(Self::Are(firsts))
    }

    /// Whether a job is one of them.
    pub(super) fn contains(&self, id: JobId) -> bool {
        match self {
            Self::Unknown => true,
            Self::Are(firsts) => firsts.contains(&id),
        }
    }
}

/// The subject of the columns `scope`, `owner` and `name`.
pub(crate) fn subject(scope: &str, owner: String, name: String) -> Option<RateSubject> {
    Some(match scope {
        "global" => RateSubject::Global,
        "tenant" => RateSubject::Tenant(TenantName::trusted(name)),
        "workflow" => RateSubject::Workflow(workflow_ref(owner, name)),
        "job_type" => RateSubject::JobType(JobType::trusted(name)),
        "tenant_job_type" => RateSubject::TenantJobType(TenantName::trusted(owner), JobType::trusted(name)),
        "key" => RateSubject::Key(TenantName::trusted(owner), CallerKey::trusted(name)),
        _ => return None,
    })
}

/// The columns `scope`, `owner` and `name` of a subject.
pub(in crate::jobs) fn columns(subject: &RateSubject) -> (&'static str, &str, &str) {
    match subject {
        RateSubject::Global => ("global", "", ""),
        RateSubject::Tenant(tenant) => ("tenant", "", tenant.as_str()),
        RateSubject::Workflow(workflow) => {
            let (owner, name) = workflow_columns(Some(workflow));
            ("workflow", owner, name)
        }
        RateSubject::JobType(job_type) => ("job_type", "", job_type.as_str()),
        RateSubject::TenantJobType(tenant, job_type) => {
            ("tenant_job_type", tenant.as_str(), job_type.as_str())
        }
        RateSubject::Key(tenant, key) => ("key", tenant.as_str(), key.as_str()),
    }
}
