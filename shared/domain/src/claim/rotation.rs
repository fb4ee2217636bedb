//! Whose turn it is: a line in which the one that was served goes to the end.
//!
//! The line is ordered by who was served longest ago, and who is passed over keeps the place. With a hand that
//! points into a fixed circle instead, claims with different filters would move each other's hand, and a tenant
//! between two such claims could be skipped for ever.

use std::collections::VecDeque;

/// Numbers in the order of their turns.
#[derive(Debug, Default, Clone)]
pub(super) struct Rotation {
    line: VecDeque<u32>,
    /// Passed over in the plan under way, in the order of the line.
    passed: Vec<u32>,
}

impl Rotation {
    /// Puts a number at the end of the line.
    pub(super) fn push(&mut self, number: u32) {
        self.line.push_back(number);
    }

    /// Puts a number at the front of the line.
    pub(super) fn push_front(&mut self, number: u32) {
        self.line.push_front(number);
    }

    /// Takes out the next number. The caller puts it back: with [`push`](Self::push) when it was served, with
    /// [`push_front`](Self::push_front) when its turn is not over, with [`pass`](Self::pass) when it cannot be served
    /// in this plan.
    pub(super) fn next(&mut self) -> Option<u32> {
        self.line.pop_front()
    }

    /// Puts a number aside until [`rewind`](Self::rewind).
    pub(super) fn pass(&mut self, number: u32) {
        self.passed.push(number);
    }

    /// Ends a plan: who was passed over is in front again. One that was served and then passed over comes before
    /// those that were served later, since it was passed over before their last turn.
    pub(super) fn rewind(&mut self) {
        while let Some(number) = self.passed.pop() {
            self.line.push_front(number);
        }
    }

    /// Whether nobody is in line or was passed over.
    pub(super) fn is_empty(&self) -> bool {
        self.line.is_empty() && self.passed.is_empty()
    }

    /// Whether one of those in line is such.
    pub(super) fn any(&self, is_such: impl FnMut(u32) -> bool) -> bool {
        self.line.iter().copied().any(is_such)
    }

    /// Drops numbers from the line.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(u32) -> bool) {
        self.line.retain(|&number| keep(number));
    }
}
