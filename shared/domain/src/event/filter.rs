//! What filters of waiting nodes may take: those that one delivery is checked against together, and those of each tenant
//! in one round of looking back.
//!
//! A filter that finds nothing left is not failed: its wait is left, to be checked with another allowance. So that this
//! comes to an end, the first check of an allowance is answered even if all of it was not enough.

use std::collections::HashMap;

use crate::names::TenantName;
use crate::time::DurationMs;
use crate::workflow::expression::{Allowance, EvaluationError, EvaluationLimits};

/// How many bytes of inputs, snapshots, outputs and bodies are read with one allowance, but for the last read.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

/// How long it lasts, with the time for reading and for a free thread.
const TIME_MAX: DurationMs = DurationMs::from_secs(5);

/// What came of the check of a delivery against a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterCheck {
    /// The delivery is what the node waits for.
    Met,
    /// It is not, or the filter cannot be evaluated for it.
    NotMet,
    /// The allowance was used up before that was known.
    Left,
}

impl FilterCheck {
    /// What an evaluation says.
    pub fn of(result: &Result<bool, EvaluationError>) -> Self {
        match result {
            Ok(true) => Self::Met,
            Err(EvaluationError::StepUsedUp { .. } | EvaluationError::Stopped { .. }) => Self::Left,
            Ok(false) | Err(_) => Self::NotMet,
        }
    }
}

/// What is left for filters that are checked together: steps, bytes and time.
#[derive(Debug)]
pub struct FilterAllowance {
    steps: Allowance,
    bytes_left: u64,
    time_left: DurationMs,
    has_checked: bool,
}

impl FilterAllowance {
    /// An allowance with as many steps as one step of an execution has.
    pub fn new(evaluation: EvaluationLimits) -> Self {
        Self {
            steps: Allowance::metered(evaluation),
            bytes_left: BYTES_MAX,
            time_left: TIME_MAX,
            has_checked: false,
        }
    }

    /// The steps, for expressions to share.
    pub const fn steps(&self) -> &Allowance {
        &self.steps
    }

    /// How long it lasts.
    pub const fn time_left(&self) -> DurationMs {
        self.time_left
    }

    /// Whether no other check is begun with it.
    pub fn is_used_up(&self) -> bool {
        self.bytes_left == 0 || self.time_left <= DurationMs::ZERO || self.steps.is_used_up()
    }

    /// Takes what was read.
    pub const fn take_bytes(&mut self, bytes: u64) {
        self.bytes_left = self.bytes_left.saturating_sub(bytes);
    }

    /// Takes the time that a check took.
    pub const fn take_time(&mut self, time: DurationMs) {
        self.time_left = DurationMs(self.time_left.0.saturating_sub(time.0));
    }

    /// Ends it: what is evaluated with it stops at its next step.
    pub fn end(&mut self) {
        self.steps.stop();
        self.time_left = DurationMs::ZERO;
    }

    /// Counts a check. What finds too few steps in a whole allowance would find as few in the next.
    pub const fn checked(&mut self, check: FilterCheck) -> FilterCheck {
        let is_first = !self.has_checked;
        self.has_checked = true;
        match check {
            FilterCheck::Left if is_first => FilterCheck::NotMet,
            check => check,
        }
    }
}

/// The allowances of tenants in one round, in which each has one.
#[derive(Debug, Default)]
pub struct FilterShares(HashMap<TenantName, FilterAllowance>);

impl FilterShares {
    /// What is left of a tenant's allowance.
    pub fn of(&mut self, tenant: &TenantName, evaluation: EvaluationLimits) -> &mut FilterAllowance {
        self.0.entry(tenant.clone()).or_insert_with(|| FilterAllowance::new(evaluation))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::workflow::execution::ExecutionContext;
    use crate::workflow::expression::{EXPRESSION_BYTES_MAX, Expression, Scope, Variables};

    const LIMITS: EvaluationLimits = EvaluationLimits {
        steps_max: 20_000_000,
        bytes_max: 64 * 1024 * 1024,
        execution_steps_max: 10_000,
        effect_bytes_max: 8 * 1024 * 1024,
    };

    /// A condition that takes more than a fifth of the steps, and less than all.
    fn costly() -> (Expression, Value) {
        let expression =
            Expression::compile_with("body.all(n, n >= 0)", EXPRESSION_BYTES_MAX, Variables::EVENT);
        (expression.expect("compiles"), json!({"body": (0..400).collect::<Vec<_>>()}))
    }

    fn check(allowance: &mut FilterAllowance, (filter, event): &(Expression, Value)) -> FilterCheck {
        if allowance.is_used_up() {
            return FilterCheck::Left;
        }
        let context = ExecutionContext::absent(allowance.steps().clone());
        let result = filter.test(&Scope::of_event_in(event, &context));
        allowance.checked(FilterCheck::of(&result))
    }

    #[test]
    fn the_filters_that_an_event_is_checked_against_share_one_allowance() {
        let (filter, mut allowance) = (costly(), FilterAllowance::new(LIMITS));
        let checks: Vec<FilterCheck> = (0..1_000).map(|_| check(&mut allowance, &filter)).collect();
        let met = checks.iter().take_while(|check| **check == FilterCheck::Met).count();
        assert!((1..5).contains(&met), "{met} of a thousand");
        assert!(checks[met..].iter().all(|check| *check == FilterCheck::Left), "none is taken for unmet");
    }

    #[test]
    fn waits_that_are_left_are_all_checked_in_the_end() {
        let (filter, mut left, mut rounds) = (costly(), 50, 0);
        while left > 0 {
            let mut allowance = FilterAllowance::new(LIMITS);
            left = (0..left).filter(|_| check(&mut allowance, &filter) == FilterCheck::Left).count();
            rounds += 1;
            assert!(rounds <= 50, "each round checks one at least");
        }
        assert!(rounds > 10, "and a bounded number");
    }

    #[test]
    fn what_a_whole_allowance_does_not_suffice_for_is_not_met() {
        let (filter, limits) = (costly(), EvaluationLimits { execution_steps_max: 100, ..LIMITS });
        let mut allowance = FilterAllowance::new(limits);
        assert_eq!(check(&mut allowance, &filter), FilterCheck::NotMet);
        assert_eq!(check(&mut allowance, &filter), FilterCheck::Left, "the others have not had one");
    }

    #[test]
    fn bytes_and_time_end_an_allowance_as_well() {
        let mut allowance = FilterAllowance::new(LIMITS);
        allowance.take_bytes(BYTES_MAX - 1);
        allowance.take_time(DurationMs(TIME_MAX.0 - 1));
        assert!(!allowance.is_used_up());
        allowance.take_bytes(32 * 1024 * 1024);
        assert!(allowance.is_used_up(), "the last read may be larger than what is left");
        let mut allowance = FilterAllowance::new(LIMITS);
        allowance.take_time(TIME_MAX);
        assert!(allowance.is_used_up());
        let mut allowance = FilterAllowance::new(LIMITS);
        allowance.end();
        assert!(allowance.is_used_up() && allowance.steps().is_stopped());
    }

    #[test]
    fn a_tenant_uses_up_its_own_share_of_a_round() {
        let (filter, mut shares) = (costly(), FilterShares::default());
        let mut check_of = |tenant: &str| check(shares.of(&TenantName::trusted(tenant), LIMITS), &filter);
        let greedy: Vec<FilterCheck> = (0..1_000).map(|_| check_of("greedy")).collect();
        assert_eq!(greedy.last(), Some(&FilterCheck::Left));
        assert_eq!(check_of("other"), FilterCheck::Met);
    }
}
