//! How much expressions may do: one by itself, and all of one step of an execution together.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bounds of evaluations. A step of CEL is about the visit of one node of an expression's tree: 50 to 100 ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvaluationLimits {
    /// The most steps of one expression.
    pub steps_max: u64,
    /// The most memory that the values take which one expression makes, in bytes, those included that it drops again.
    pub bytes_max: u64,
    /// The most steps of all expressions of one step of an execution.
    pub execution_steps_max: u64,
    /// How many bytes of inputs and outputs one step of an execution brings about before the rest is left to the next.
    pub effect_bytes_max: usize,
}

impl Default for EvaluationLimits {
    /// One to two seconds and 64 MiB for an expression, 5 to 10 seconds and 8 MiB for a step.
    fn default() -> Self {
        Self {
            steps_max: 20_000_000,
            bytes_max: 64 * 1024 * 1024,
            execution_steps_max: 100_000_000,
            effect_bytes_max: 8 * 1024 * 1024,
        }
    }
}

/// What is left for the expressions of one step of an execution. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Allowance {
    limits: EvaluationLimits,
    /// Without it, every expression has its own bounds and nothing else.
    meter: Option<Arc<Meter>>,
}

#[derive(Debug)]
struct Meter {
    steps_left: AtomicU64,
    is_stopped: AtomicBool,
}

/// Why an expression may not go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// The step has nothing left.
    UsedUp,
    /// Somebody stopped it.
    Stopped,
}

/// Two are equal that allow the same at the beginning of a step.
impl PartialEq for Allowance {
    fn eq(&self, other: &Self) -> bool {
        self.limits == other.limits && self.meter.is_some() == other.meter.is_some()
    }
}

impl Allowance {
    /// An allowance that counts.
    pub fn metered(limits: EvaluationLimits) -> Self {
        let meter = Meter {
            steps_left: AtomicU64::new(limits.execution_steps_max),
            is_stopped: AtomicBool::new(false),
        };
        Self { limits, meter: Some(Arc::new(meter)) }
    }

    /// The bounds.
    pub const fn limits(&self) -> &EvaluationLimits {
        &self.limits
    }

    /// Begins another step.
    pub fn renew(&self) {
        if let Some(meter) = &self.meter {
            meter.steps_left.store(self.limits.execution_steps_max, Ordering::Relaxed);
            meter.is_stopped.store(false, Ordering::Relaxed);
        }
    }

    /// Ends what is being evaluated, from another thread: the next step that is taken fails.
    pub fn stop(&self) {
        if let Some(meter) = &self.meter {
            meter.is_stopped.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it was stopped since the step began.
    pub fn is_stopped(&self) -> bool {
        self.meter.as_ref().is_some_and(|meter| meter.is_stopped.load(Ordering::Relaxed))
    }

    /// Whether half of it is used: what can wait for the next step should.
    pub fn is_low(&self) -> bool {
        self.meter.as_ref().is_some_and(|meter| {
            meter.is_stopped.load(Ordering::Relaxed)
                || meter.steps_left.load(Ordering::Relaxed) < self.limits.execution_steps_max / 2
        })
    }

    /// Whether nothing can be evaluated with it any more: no step is left, or it was stopped.
    pub fn is_used_up(&self) -> bool {
        self.meter.as_ref().is_some_and(|meter| {
            meter.is_stopped.load(Ordering::Relaxed) || meter.steps_left.load(Ordering::Relaxed) == 0
        })
    }

    /// Takes steps. Where fewer are left, none are left afterwards.
    pub(super) fn take(&self, steps: u64) -> Result<(), Refused> {
        let Some(meter) = &self.meter else { return Ok(()) };
        if meter.is_stopped.load(Ordering::Relaxed) {
            return Err(Refused::Stopped);
        }
        if take_from(&meter.steps_left, steps) { Ok(()) } else { Err(Refused::UsedUp) }
    }
}

/// Takes an amount off a counter. Where less is left, nothing is left afterwards.
pub(super) fn take_from(left: &AtomicU64, amount: u64) -> bool {
    let before =
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| Some(left.saturating_sub(amount)));
    before.is_ok_and(|before| before >= amount)
}
