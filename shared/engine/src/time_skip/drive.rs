//! Moves a skipping clock on: by itself, and as it is asked to.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::access::{Action, Permission};
use domain::problem::ProblemCode;
use domain::queue::QueueName;
use domain::time::{DurationMs, Timestamp};
use domain::time_skip::{Standing, Step};
use serde_json::json;
use store::wakeup::Hint;
use tokio::time::Instant;

use super::TimeSkip;
use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How often it is looked whether time may jump.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// How long a call that moves the time on waits for what holds it.
const HELD_MAX: Duration = Duration::from_secs(20);
/// The farthest that one call moves it: ten years.
const MOVE_MAX: DurationMs = DurationMs::from_secs(10 * 366 * 24 * 3_600);

/// What a call asks of the clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TimeMove {
    /// How far to move the time on.
    pub advance: Option<DurationMs>,
    /// Whether time jumps by itself from now on; as it is where absent.
    pub skip: Option<bool>,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeMoved {
    /// The present instant.
    pub now: Timestamp,
    /// Whether time jumps by itself.
    pub skips: bool,
    /// How many executions schedules started.
    pub started: usize,
}

/// What was seen at the last look, and since when it is so.
struct Quiet {
    changes: u64,
    standing: Standing,
    since: Instant,
}

impl Quiet {
    fn begin() -> Self {
        Self { changes: 0, standing: Standing::default(), since: Instant::now() }
    }

    /// For how long it has been as it is now.
    fn observe(&mut self, changes: u64, standing: Standing) -> DurationMs {
        if (changes, standing) != (self.changes, self.standing) {
            *self = Self { changes, standing, since: Instant::now() };
        }
        DurationMs(i64::try_from(self.since.elapsed().as_millis()).unwrap_or(i64::MAX))
    }
}

impl Engine {
    /// From now on time is that of this clock, which has to be the one that the engine was built with. Only the first one counts.
    pub fn set_time_skip(&self, skip: Arc<TimeSkip>) {
        let _ = self.memory().time_skip.set(skip);
    }

    /// The clock that skips, where there is one.
    pub fn time_skip(&self) -> Option<&Arc<TimeSkip>> {
        self.memory().time_skip.get()
    }

    /// Lets time jump by itself until the engine shuts down. Returns at once where its clock does not skip.
    pub async fn skip_time(&self) {
        let Some(skip) = self.time_skip() else { return };
        let mut quiet = Quiet::begin();
        while !self.shutdown_started() {
            if skip.is_on.load(Ordering::Acquire) {
                let _turn = skip.turn.lock().await;
                if let Err(error) = self.move_on(skip, &mut quiet, None).await {
                    tracing::warn!(error = &error as &dyn std::error::Error, "time cannot be skipped");
                }
            }
            tokio::select! {
                () = self.shutdown().cancelled() => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
    }

    /// Moves the time of a development server on, through all timers, retries and schedules that lie between; and says whether it
    /// jumps by itself.
    ///
    /// # Errors
    /// `Conflict` with the code `time_is_real` on any other server, and with `time_is_held` where something is under way for
    /// too long.
    pub async fn move_time(&self, caller: &Caller, asked: TimeMove) -> Result<TimeMoved, EngineError> {
        caller.require(Permission::Administer)?;
        caller.require_action(Action::TimeMove)?;
        caller.require_unscoped()?;
        let Some(skip) = self.time_skip() else {
            return Err(EngineError::Conflict {
                code: ProblemCode::TimeIsReal,
                message: "Only a server started with `trunkline dev --time-skip` can move its time."
                    .to_owned(),
            });
        };
        let advance = asked.advance.unwrap_or(DurationMs::ZERO);
        let mut faults = Faults::default();
        faults.within("/advance", advance, DurationMs::ZERO, MOVE_MAX);
        faults.check()?;
        // One that jumps by itself would be beyond the instant that is asked for.
        let turn = skip.turn.lock().await;
        if let Some(is_on) = asked.skip {
            skip.is_on.store(is_on, Ordering::Release);
        }
        let mut started = 0;
        if asked.advance.is_some() {
            started = self.advance(skip, self.now().plus(advance)).await?;
        }
        drop(turn);
        if asked.advance.is_some() || asked.skip.is_some() {
            let detail = json!({ "advance": asked.advance, "skip": asked.skip });
            self.audit(caller, AuditedAction::new("time.move", "time").with(detail)).await;
        }
        Ok(TimeMoved { now: self.now(), skips: skip.is_on.load(Ordering::Acquire), started })
    }

    /// Moves the time on to an instant; answers how many executions schedules started.
    async fn advance(&self, skip: &Arc<TimeSkip>, until: Timestamp) -> Result<usize, EngineError> {
        let (mut quiet, mut started) = (Quiet::begin(), 0);
        let mut give_up_at = Instant::now() + HELD_MAX;
        loop {
            match self.move_on(skip, &mut quiet, Some(until)).await? {
                Step::Reached => return Ok(started),
                Step::Fire => started += self.check_schedules().await?.executions,
                Step::JumpTo(_) => give_up_at = Instant::now() + HELD_MAX,
                Step::Stay | Step::TakeUp if Instant::now() >= give_up_at => {
                    let held_by = quiet.standing.held_by().unwrap_or("something keeps changing");
                    return Err(EngineError::Conflict {
                        code: ProblemCode::TimeIsHeld,
                        message: format!("Time does not advance beyond {}, because {held_by}.", self.now()),
                    });
                }
                Step::Stay | Step::TakeUp => {}
            }
            tokio::select! {
                () = self.shutdown().cancelled() => return Ok(started),
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
    }

    /// Looks once, and does what is to be done but for firing schedules.
    async fn move_on(
        &self,
        skip: &Arc<TimeSkip>,
        quiet: &mut Quiet,
        until: Option<Timestamp>,
    ) -> Result<Step, EngineError> {
        let changes = skip.changes.load(Ordering::Acquire);
        let standing = self.standing(skip).await?;
        let quiet_for = quiet.observe(changes, standing);
        let step = standing.step(self.now(), quiet_for, until);
        match step {
            // What began while the store was asked counts, too.
            Step::JumpTo(at) if skip.changes.load(Ordering::Acquire) == changes => {
                tracing::debug!(time = %at, "time skips forward");
                skip.jump(at);
                self.take_up(skip).await?;
                Ok(step)
            }
            Step::JumpTo(_) => Ok(Step::Stay),
            Step::TakeUp => self.take_up(skip).await.map(|()| step),
            Step::Stay | Step::Fire | Step::Reached => Ok(step),
        }
    }

    async fn standing(&self, skip: &TimeSkip) -> Result<Standing, EngineError> {
        let found = self.store().standstill().await?;
        let (idle, next_of_owners) = {
            let owners = skip.idle_owners.lock();
            (owners.len() as u64, owners.values().flatten().min().copied())
        };
        // One that is over by now was seen at the last claim.
        let now = self.now();
        let rates = QueueName::ALL.into_iter().filter_map(|queue| self.store().next_start(queue, now));
        let rates = rates.filter(|at| *at > now);
        Ok(Standing {
            leased: found.leased,
            busy_executions: found.executions_leased.saturating_sub(idle),
            requests: skip.requests.load(Ordering::Acquire),
            has_inbox: found.has_inbox,
            queued_for_workers: found.queued_for_workers,
            queued: found.queued,
            next_due: rates.chain(found.first_due).chain(next_of_owners).min(),
            next_schedule: found.first_schedule,
        })
    }

    /// What is due by now is taken up at once: nobody waits for the next round of upkeep.
    async fn take_up(&self, skip: &TimeSkip) -> Result<(), EngineError> {
        while self.promote_tick().await? {}
        while self.put_off_starts_tick().await? {}
        skip.wake_owners();
        // Pools may wait for a rate that has room by now.
        self.wake(&QueueName::ALL.map(Hint::Queue));
        Ok(())
    }
}
