//! Slots that passed between the moment to which a database was restored and now. They fired then; they are recorded as
//! skipped, so that the history shows which, and can be run by a backfill.

use store::schedules::{DueSchedule, Fired, ScheduleFire, SlotAction, SlotDecision};

use super::check::WINDOW_BYTES;
use super::decide::Decisions;
use crate::engine::Engine;
use crate::error::EngineError;

/// Why the slots are skipped.
const RESTORED: &str = "restored";
/// How many schedules one commit takes.
const RESTORED_BATCH: u32 = 200;
/// How many batches there are at most, so that it ends.
const RESTORED_BATCHES_MAX: u32 = 10_000;

impl Engine {
    /// Moves the cursor of each due schedule to the present instant, without starting anything. Answers how many there were.
    pub(crate) async fn skip_slots_of_restored(&self) -> Result<u32, EngineError> {
        let _turn = self.memory().schedules.turn.lock().await;
        let mut skipped = 0;
        for _ in 0..RESTORED_BATCHES_MAX {
            let now = self.now();
            let due = self.store().due_schedules(now, RESTORED_BATCH, WINDOW_BYTES, &[]).await?;
            if due.is_empty() {
                break;
            }
            let fires: Vec<ScheduleFire> = due.iter().map(|found| self.skip_all(found)).collect();
            let fired = self.store().fire_schedules(&fires, now).await?;
            let done = fired.iter().filter(|fired| matches!(fired, Fired::Done(_))).count();
            skipped += u32::try_from(done).unwrap_or(u32::MAX);
            if done == 0 {
                break;
            }
        }
        Ok(skipped + self.give_up_waiting_of_restored().await?)
    }

    /// What waits for an execution that has not ended here may have fired when it ended.
    async fn give_up_waiting_of_restored(&self) -> Result<u32, EngineError> {
        let mut given_up = 0;
        for _ in 0..RESTORED_BATCHES_MAX {
            let waiting = self.store().waiting_schedules(RESTORED_BATCH).await?;
            if waiting.is_empty() {
                break;
            }
            let fires: Vec<ScheduleFire> = waiting.iter().filter_map(give_up).collect();
            let fired = self.store().fire_schedules(&fires, self.now()).await?;
            let done = fired.iter().filter(|fired| matches!(fired, Fired::Done(_))).count();
            given_up += u32::try_from(done).unwrap_or(u32::MAX);
            if done == 0 {
                break;
            }
        }
        Ok(given_up)
    }

    fn skip_all(&self, found: &DueSchedule) -> ScheduleFire {
        let record = &found.record;
        let plan = self.plan(found, &mut Decisions::default(), self.now());
        let slots = plan.slots.iter().map(|(slot, _)| SlotDecision {
            nominal: slot.nominal,
            reason: slot.reason.as_str(),
            action: SlotAction::Skip { reason: RESTORED },
        });
        ScheduleFire {
            id: record.id,
            version: record.version,
            planned_from: Some(record.cursor),
            slots: slots.collect(),
            advance: plan.advance,
            // One that waited is given up with them.
            settle_waiting: found.waiting,
        }
    }
}

/// The slot that waits is skipped, and nothing else of the schedule changes.
fn give_up(found: &DueSchedule) -> Option<ScheduleFire> {
    let record = &found.record;
    let slot = SlotDecision {
        nominal: found.waiting?,
        // The one that is recorded stays.
        reason: "",
        action: SlotAction::Skip { reason: RESTORED },
    };
    Some(ScheduleFire {
        id: record.id,
        version: record.version,
        planned_from: Some(record.cursor),
        slots: vec![slot],
        advance: None,
        settle_waiting: found.waiting,
    })
}
