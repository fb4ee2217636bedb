//! Whose turn it is: a line in which the one that was served goes to the end.
//!
//! The line is ordered by who was served longest ago, and who is passed over keeps the position. With a pointer
//! into a fixed circle instead, claims with different filters would move each other's pointer, and a tenant
//! between two such claims could be skipped for ever.

use std::collections::VecDeque;

/// Numbers in the order of their turns.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Rotation {
    line: VecDeque<u32>,
    /// Passed over in the plan under way, in the order of the line.
    passed: Vec<u32>,
    /// What was done since [`record`](Self::record); `None` where nobody will undo it.
    steps: Option<Vec<Step>>,
}

/// A change of the line that can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// This number was taken out in front.
    Next(u32),
    /// The last one was put there.
    Push,
    /// The first one was put there.
    PushFront,
    /// One was put aside.
    Pass,
    /// So many that were aside were put in front.
    Rewind(u32),
}

impl Rotation {
    /// The line with other numbers, without those that have none. Between plans, when nobody is passed over.
    pub(super) fn renumbered(&self, to: impl Fn(u32) -> Option<u32>) -> Self {
        let line = self.line.iter().filter_map(|&number| to(number)).collect();
        Self { line, ..Self::default() }
    }

    /// Remembers what is done from now on, so that it can be undone at the cost of the steps, however long the line is.
    pub(super) fn record(&mut self) {
        self.steps = Some(Vec::new());
    }

    /// Keeps what was done since [`record`](Self::record).
    pub(super) fn keep(&mut self) {
        self.steps = None;
    }

    /// Undoes what was done since [`record`](Self::record).
    pub(super) fn undo(&mut self) {
        for step in self.steps.take().into_iter().flatten().rev() {
            match step {
                Step::Next(number) => self.line.push_front(number),
                Step::Push => drop(self.line.pop_back()),
                Step::PushFront => drop(self.line.pop_front()),
                Step::Pass => drop(self.passed.pop()),
                Step::Rewind(count) => {
                    let passed = self.line.drain(..(count as usize).min(self.line.len()));
                    self.passed.extend(passed);
                }
            }
        }
    }

    fn log(&mut self, step: Step) {
        if let Some(steps) = &mut self.steps {
            steps.push(step);
        }
    }

    /// Puts a number at the end of the line.
    pub(super) fn push(&mut self, number: u32) {
        self.line.push_back(number);
        self.log(Step::Push);
    }

    /// Puts a number at the front of the line.
    pub(super) fn push_front(&mut self, number: u32) {
        self.line.push_front(number);
        self.log(Step::PushFront);
    }

    /// Takes out the next number. The caller puts it back: with [`push`](Self::push) when it was served, with
    /// [`push_front`](Self::push_front) when its turn is not over, with [`pass`](Self::pass) when it cannot be served
    /// in this plan.
    pub(super) fn next(&mut self) -> Option<u32> {
        let number = self.line.pop_front()?;
        self.log(Step::Next(number));
        Some(number)
    }

    /// Puts a number aside until [`rewind`](Self::rewind).
    pub(super) fn pass(&mut self, number: u32) {
        self.passed.push(number);
        self.log(Step::Pass);
    }

    /// Ends a plan: who was passed over is in front again. One that was served and then passed over comes before
    /// those that were served later, since it was passed over before their last turn.
    pub(super) fn rewind(&mut self) {
        if self.passed.is_empty() {
            return;
        }
        self.log(Step::Rewind(self.passed.len() as u32));
        while let Some(number) = self.passed.pop() {
            self.line.push_front(number);
        }
    }

    /// Whether nobody is in line or was passed over.
    pub(super) fn is_empty(&self) -> bool {
        self.line.is_empty() && self.passed.is_empty()
    }

    /// Calls `each` with the numbers in line, from the first one on.
    pub(super) fn for_each(&self, each: impl FnMut(u32)) {
        self.line.iter().copied().for_each(each);
    }

    /// Drops numbers from the line. Not within a plan that may be undone.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(u32) -> bool) {
        self.line.retain(|&number| keep(number));
    }
}

// How long a turn is.

/// How many turns a claim has at least, if it asks for that many jobs.
const TURNS_MIN: u32 = 100;

/// How many jobs a tenant is to get per turn of a claim that asks for `jobs_max`; at least one.
///
/// Jobs cost less to take where a batch comes from few lanes. A large batch has turns of several jobs, but never fewer
/// turns than a batch of a hundred jobs has, so that nobody waits for more claims than there.
pub fn quantum(jobs_max: u32) -> u32 {
    (jobs_max / TURNS_MIN).max(1)
}

#[cfg(test)]
mod tests {
    use super::{Rotation, TURNS_MIN, quantum};

    /// A small generator of numbers, the same in each run.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % bound
        }
    }

    #[test]
    fn what_is_undone_leaves_the_line_as_it_was() {
        let mut numbers = Numbers(7);
        for _ in 0..2_000 {
            let mut line = Rotation::default();
            (0..numbers.below(6) as u32).for_each(|number| line.push(number));
            let before = line.clone();
            line.record();
            for _ in 0..numbers.below(20) {
                if numbers.below(6) == 0 {
                    line.rewind();
                    continue;
                }
                let Some(number) = line.next() else { continue };
                match numbers.below(4) {
                    0 => line.push(number),
                    1 => line.push_front(number),
                    2 => line.pass(number),
                    // It left the line for good.
                    _ => {}
                }
            }
            line.undo();
            assert_eq!(line, before);
        }
    }

    #[test]
    fn what_is_kept_cannot_be_undone() {
        let mut line = Rotation::default();
        line.push(1);
        line.push(2);
        line.record();
        assert_eq!(line.next(), Some(1));
        line.push(1);
        line.keep();
        line.undo();
        assert_eq!((line.next(), line.next(), line.next()), (Some(2), Some(1), None));
    }

    #[test]
    fn turns_are_of_one_job_until_there_are_enough_of_them() {
        let lengths = [0, 1, 99, 100, 199, 200, 500, 1_000].map(quantum);
        assert_eq!(lengths, [1, 1, 1, 1, 1, 2, 5, 10]);
        assert!((TURNS_MIN..2_000).all(|jobs_max| jobs_max / quantum(jobs_max) >= TURNS_MIN));
    }
}
