//! Groups of dead letters: what died for the same reason, how often lately, whom it affects, and what operators decided
//! about it.

use domain::access::Permission;
use domain::failure::{GroupDecision, GroupState, IGNORE_COUNT_MAX, IgnoreUntil, standing};
use domain::time::{DurationMs, Timestamp};
use serde_json::{Value, json};
use store::dead_letters::{DeadLetterFilter, DeadLetterGroup, GroupFacts};

use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// How many hours a trend has. The last one is the current hour.
const TREND_HOURS: usize = 24;
const HOUR_MS: i64 = 3_600_000;
/// The highest version of a workflow.
const VERSION_MAX: u32 = i32::MAX as u32;
/// How many groups are looked at where only those in some states are wanted.
const GROUPS_MAX: u32 = 500;

/// Where a group stands, with the decision that it follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupStanding {
    /// What its dead letters have in common.
    pub fingerprint: String,
    /// Its state now.
    pub state: GroupState,
    /// Whether it was resolved or ignored and came back by itself.
    pub is_reopened: bool,
    /// The last decision.
    pub decision: Option<GroupDecision>,
}

/// A group as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupView {
    /// What died.
    pub group: DeadLetterGroup,
    /// Where it stands.
    pub standing: GroupStanding,
    /// How many died in each hour of the last day, the oldest first; the last is the current hour.
    pub trend: Vec<u64>,
    /// Decisions aside, what is known of it.
    pub facts: GroupFacts,
}

impl Engine {
    /// Open dead letters by fingerprint, the largest group first. With `states`, only groups in those, of the
    /// largest 500.
    pub async fn dead_letter_groups(
        &self,
        caller: &Caller,
        filter: &DeadLetterFilter,
        states: &[GroupState],
        limit: u32,
    ) -> Result<Vec<GroupView>, EngineError> {
        caller.require(Permission::Read)?;
        let looked_at = if states.is_empty() { limit } else { limit.max(GROUPS_MAX) };
        let groups = self.store().dead_letter_groups(&caller.scope, filter, looked_at).await?;
        let fingerprints: Vec<String> = groups.iter().map(|group| group.fingerprint.clone()).collect();
        let now = self.now();
        let from = trend_from(now);
        let tenant = filter.tenant.as_ref();
        let mut facts =
            self.store().dead_letter_group_facts(&caller.scope, tenant, &fingerprints, from).await?;
        let mut views: Vec<GroupView> = groups
            .into_iter()
            .map(|group| {
                let facts = facts.remove(&group.fingerprint).unwrap_or_default();
                let standing = standing_of(&group.fingerprint, &facts, now);
                GroupView { group, standing, trend: trend_of(&facts), facts }
            })
            .filter(|view| states.is_empty() || states.contains(&view.standing.state))
            .collect();
        views.truncate(limit as usize);
        Ok(views)
    }

    /// Decides about a group. Decisions belong to the caller's scope: a tenant's are its own.
    pub async fn decide_dead_letter_group(
        &self,
        caller: &Caller,
        fingerprint: &str,
        state: GroupState,
        until: IgnoreUntil,
        note: Option<String>,
    ) -> Result<GroupStanding, EngineError> {
        caller.require(Permission::Operate)?;
        let now = self.now();
        let mut faults = Faults::default();
        if let Some(note) = &note {
            faults.text("/note", note);
        }
        if until.instant.is_some_and(|instant| instant <= now) {
            faults.add("/until/instant", "expected an instant in the future");
        }
        if until.count.is_some_and(|count| !(1..=IGNORE_COUNT_MAX).contains(&count)) {
            faults.add("/until/count", format!("expected 1 to {IGNORE_COUNT_MAX}"));
        }
        if until.version.as_ref().is_some_and(|until| !(1..=VERSION_MAX).contains(&until.version)) {
            faults.add("/until/version", format!("expected 1 to {VERSION_MAX}"));
        }
        faults.check()?;
        let decided_by = caller.actor.clone();
        let decision = GroupDecision { state, until, note, decided_by, decided_at: now };
        let action = match state {
            GroupState::Open => "dead_letter_group.reopen",
            GroupState::Resolved => "dead_letter_group.resolve",
            GroupState::Ignored => "dead_letter_group.ignore",
        };
        let audited = AuditedAction::new(action, fingerprint)
            .with(json!({ "until": shown_until(&decision.until) }))
            .because(decision.note.as_deref());
        let line = self.audit_line(caller, audited);
        let is_there =
            self.store().decide_dead_letter_group(&caller.scope, fingerprint, &decision, &[line]).await?;
        if !is_there {
            return Err(EngineError::not_found("group of dead letters", fingerprint));
        }
        let facts = GroupFacts { decision: Some(decision), ..GroupFacts::default() };
        Ok(standing_of(fingerprint, &facts, now))
    }
}

fn shown_until(until: &IgnoreUntil) -> Value {
    let version = until.version.as_ref();
    json!({
        "instant": until.instant,
        "count": until.count,
        "workflow": version.map(|until| until.workflow.as_str()),
        "version": version.map(|until| until.version),
    })
}

fn standing_of(fingerprint: &str, facts: &GroupFacts, now: Timestamp) -> GroupStanding {
    let is = standing(facts.decision.as_ref(), facts.deaths, now);
    GroupStanding {
        fingerprint: fingerprint.to_owned(),
        state: is.state,
        is_reopened: is.is_reopened,
        decision: facts.decision.clone(),
    }
}

/// The full hour with which a trend begins, so that the last of its hours is the current one.
fn trend_from(now: Timestamp) -> Timestamp {
    let this_hour = Timestamp(now.0 - now.0.rem_euclid(HOUR_MS));
    this_hour.minus(DurationMs((TREND_HOURS as i64 - 1) * HOUR_MS))
}

fn trend_of(facts: &GroupFacts) -> Vec<u64> {
    let mut trend = vec![0; TREND_HOURS];
    for &(hour, number) in &facts.trend {
        // What died after the clock was read counts for the last hour.
        let hour = (hour as usize).min(TREND_HOURS - 1);
        trend[hour] += number;
    }
    trend
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trend_ends_with_the_current_hour() {
        let now = Timestamp(1_000 * HOUR_MS + 5);
        assert_eq!(trend_from(now), Timestamp(977 * HOUR_MS));
        let facts = GroupFacts { trend: vec![(0, 2), (23, 3), (24, 1)], ..GroupFacts::default() };
        let trend = trend_of(&facts);
        assert_eq!((trend.len(), trend[0], trend[22], trend[23]), (24, 2, 0, 4));
    }
}
