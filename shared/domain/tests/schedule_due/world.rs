//! A schedule under test, with a short form for decisions.

use domain::schedule::{
    CronExpression, DueDecision, FireReason, Misfire, Recurrence, SchedulePolicy, Zone, due,
};
use domain::time::{DurationMs, Timestamp};
use uuid::Uuid;

pub(crate) const ID: Uuid = Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001);

pub(crate) struct World {
    pub(crate) cron: CronExpression,
    pub(crate) zone: Zone,
    pub(crate) policy: SchedulePolicy,
}

impl World {
    pub(crate) fn new(cron: &str, misfire: Misfire) -> Self {
        let cron = CronExpression::parse(cron).unwrap_or_else(|fault| panic!("{cron}: {fault}"));
        Self { cron, zone: Zone::default(), policy: SchedulePolicy { misfire, ..SchedulePolicy::default() } }
    }

    pub(crate) fn decide(&self, cursor: Timestamp, now: Timestamp) -> DueDecision {
        let decision = due(Recurrence::Cron(&self.cron, &self.zone), &self.policy, ID, cursor, now);
        assert!(decision.cursor >= cursor, "the cursor went back: {decision:?}");
        assert!(
            decision.slots.iter().all(|slot| slot.nominal > cursor && slot.nominal <= now),
            "{decision:?}"
        );
        assert!(decision.slots.is_sorted_by(|a, b| a.nominal < b.nominal), "{decision:?}");
        assert!(decision.next_run_at.is_none_or(|next| next > decision.cursor), "{decision:?}");
        decision
    }
}

/// An instant of 20 November 2026, or of another day of that month: `12:30`, `12:30:05`, `19 12:30`.
pub(crate) fn at(text: &str) -> Timestamp {
    let (day, time) = text.split_once(' ').unwrap_or(("20", text));
    let seconds = if time.len() == 5 { ":00" } else { "" };
    Timestamp::parse(&format!("2026-11-{day}T{time}{seconds}Z"))
        .unwrap_or_else(|| panic!("{text} is no instant"))
}

pub(crate) fn hours(hours: i64) -> DurationMs {
    DurationMs::from_secs(hours * 3600)
}

/// `tick 12:00, catchup 11:00`.
pub(crate) fn started(decision: &DueDecision) -> String {
    let words = decision.slots.iter().map(|slot| {
        assert!(matches!(slot.reason, FireReason::Tick | FireReason::CatchUp));
        format!("{} {}", slot.reason.as_str(), clock(slot.nominal))
    });
    words.collect::<Vec<_>>().join(", ")
}

/// `09:00, 10:00`.
pub(crate) fn dropped(decision: &DueDecision) -> String {
    decision.dropped.iter().map(|nominal| clock(*nominal)).collect::<Vec<_>>().join(", ")
}

fn clock(instant: Timestamp) -> String {
    instant.to_string()[11..16].to_owned()
}
