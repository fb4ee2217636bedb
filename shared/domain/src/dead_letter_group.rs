//! What operators decide about a kind of failure: dead letters of the same fingerprint.
//!
//! A decision is stored once. Whether it still holds is decided whenever the group is looked at, from what has died since:
//! nothing is written when the failure returns.

use crate::time::Timestamp;

/// The most deaths that an ignored group waits for. Deaths are counted up to this many.
pub const IGNORE_COUNT_MAX: u32 = 10_000;

/// Where a group stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GroupState {
    /// Somebody should look at it.
    Open,
    /// Its cause is gone, until it returns.
    Resolved,
    /// Nobody wants to see it for now.
    Ignored,
}

impl GroupState {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Open, Self::Resolved, Self::Ignored];

    /// The public and stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Resolved => "resolved",
            Self::Ignored => "ignored",
        }
    }

    /// The state with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// Until when a group is ignored: until either has come. Without both, until somebody reopens it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IgnoreUntil {
    /// An instant.
    pub instant: Option<Timestamp>,
    /// So many more dead letters.
    pub count: Option<u32>,
}

/// What somebody decided about a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupDecision {
    /// The state that it was given.
    pub state: GroupState,
    /// How long it is ignored.
    pub until: IgnoreUntil,
    /// Why, for people.
    pub note: Option<String>,
    /// Who decided.
    pub decided_by: String,
    /// When.
    pub decided_at: Timestamp,
}

/// Where a group stands now, and whether it came back by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupStanding {
    /// The state.
    pub state: GroupState,
    /// Whether a decision stopped to hold by itself.
    pub is_reopened: bool,
}

/// Decides where a group stands. `deaths` are its dead letters since the decision, counted up to [`IGNORE_COUNT_MAX`].
pub fn standing(decision: Option<&GroupDecision>, deaths: u64, now: Timestamp) -> GroupStanding {
    let is_over = |decision: &GroupDecision| match decision.state {
        GroupState::Open => false,
        GroupState::Resolved => deaths > 0,
        GroupState::Ignored => {
            decision.until.instant.is_some_and(|instant| instant <= now)
                || decision.until.count.is_some_and(|count| deaths >= u64::from(count))
        }
    };
    match decision {
        None => GroupStanding { state: GroupState::Open, is_reopened: false },
        Some(decision) if is_over(decision) => GroupStanding { state: GroupState::Open, is_reopened: true },
        Some(decision) => GroupStanding { state: decision.state, is_reopened: false },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(10_000);

    fn decided(state: GroupState, instant: Option<i64>, count: Option<u32>) -> GroupDecision {
        GroupDecision {
            state,
            until: IgnoreUntil { instant: instant.map(Timestamp), count },
            note: None,
            decided_by: "ops".into(),
            decided_at: Timestamp(1_000),
        }
    }

    #[test]
    fn a_decision_holds_until_the_failure_returns() {
        use GroupState::{Ignored, Open, Resolved};
        let cases = [
            (decided(Resolved, None, None), 0, Resolved, false),
            (decided(Resolved, None, None), 1, Open, true),
            (decided(Open, None, None), 5, Open, false),
            (decided(Ignored, None, None), 10_000, Ignored, false),
            (decided(Ignored, Some(10_001), None), 3, Ignored, false),
            (decided(Ignored, Some(10_000), None), 0, Open, true),
            (decided(Ignored, None, Some(3)), 2, Ignored, false),
            (decided(Ignored, None, Some(3)), 3, Open, true),
            (decided(Ignored, Some(10_001), Some(3)), 3, Open, true),
        ];
        for (decision, deaths, state, is_reopened) in cases {
            let is = standing(Some(&decision), deaths, NOW);
            assert_eq!(is, GroupStanding { state, is_reopened }, "{decision:?} after {deaths}");
        }
        assert_eq!(standing(None, 7, NOW), GroupStanding { state: Open, is_reopened: false });
    }

    #[test]
    fn states_have_names() {
        for state in GroupState::ALL {
            assert_eq!(GroupState::parse(state.as_str()), Some(state));
        }
        assert_eq!(GroupState::parse("closed"), None);
    }
}
