//! Counted starts against a naive list of instants: no period ever has more of them than the rate says, and under load
//! nearly all that it says.

use domain::rate::{Rate, StartCount};
use domain::time::{DurationMs, Timestamp};
use proptest::prelude::*;

const BEGIN: i64 = 1_700_000_000_123;
/// For how many periods there is load.
const PERIODS: i64 = 20;

fn rate() -> impl Strategy<Value = Rate> {
    let burst = prop::option::of(1..40_u32);
    (1..60_u32, 100..5_000_i64, burst).prop_map(|(starts, per, burst)| {
        Rate::new(starts, DurationMs(per), burst).expect("it is within the bounds")
    })
}

/// What happens: the clock moves, at times backwards, jobs ask to start, and their rows say up to so much later.
fn step() -> impl Strategy<Value = (i64, u32, i64)> {
    let clock = prop_oneof![6 => 0..40_i64, 3 => 0..3_000_i64, 1 => -2_000..0_i64];
    (clock, 0..30_u32, prop_oneof![4 => Just(0_i64), 1 => 0..30_i64])
}

/// Fails where any period has too many of these instants, which ascend.
fn check(rate: &Rate, starts: &[i64]) {
    for (place, &first) in starts.iter().enumerate() {
        match *rate {
            Rate::Window { starts: most, per } => {
                let within = starts[place..].iter().take_while(|&&at| at - first < per.0).count();
                assert!(within <= most as usize, "{within} starts in the {rate} that begins with {first}");
            }
            Rate::Bucket { starts: most, per, burst } => {
                for (more, &last) in starts[place..].iter().enumerate() {
                    let brought = i64::from(burst) * per.0 + i64::from(most) * (last - first);
                    assert!((more as i64 + 1) * per.0 <= brought, "{} starts of {rate} by {last}", more + 1);
                }
            }
        }
    }
}

/// As another node reads it.
fn reread(count: &StartCount) -> StartCount {
    let text = serde_json::to_string(count).expect("it encodes");
    assert!(text.len() < 6_000, "{} bytes", text.len());
    serde_json::from_str(&text).expect("it decodes")
}

proptest! {
    #[test]
    fn no_period_has_more_starts_than_its_rate(rate in rate(), steps in prop::collection::vec(step(), 1..120)) {
        let (mut clock, mut last) = (BEGIN, BEGIN);
        let mut count = StartCount::new(&rate, Timestamp(clock));
        let mut starts: Vec<i64> = Vec::new();
        for (moved, wanted, later) in steps {
            clock += moved;
            last = last.max(clock);
            count = reread(&count).advanced(&rate, Timestamp(clock));
            let taken = wanted.min(count.room(&rate));
            if taken > 0 {
                let at = last + later;
                count.record(&rate, taken, Timestamp(at));
                starts.extend((0..taken).map(|_| at));
            }
        }
        starts.sort_unstable();
        check(&rate, &starts);
    }

    /// A change counts on what it knows: starts since it are within the new rate, and so is each window that begins
    /// before it, where its length is the same.
    #[test]
    fn a_change_forgets_no_start(
        first in rate(), second in rate(), same_period: bool,
        before in prop::collection::vec(step(), 1..40), after in prop::collection::vec(step(), 1..40),
    ) {
        let per = if same_period { first.per() } else { second.per() };
        let burst = match second { Rate::Bucket { burst, .. } => Some(burst), Rate::Window { .. } => None };
        let second = Rate::new(second.starts(), per, burst).expect("it is within the bounds");
        let mut clock = BEGIN;
        let mut count = StartCount::new(&first, Timestamp(clock));
        let mut starts: Vec<i64> = Vec::new();
        let mut changed_at = 0;
        for (place, (rate, (moved, wanted, _))) in before
            .iter().map(|step| (first, *step)).chain(after.iter().map(|step| (second, *step))).enumerate()
        {
            clock += moved.abs();
            count = reread(&count).advanced(&rate, Timestamp(clock));
            if place == before.len() {
                changed_at = starts.len();
            }
            let taken = wanted.min(count.room(&rate));
            if taken > 0 {
                count.record(&rate, taken, Timestamp(clock));
                starts.extend((0..taken).map(|_| clock));
            }
            let counted = starts.iter().filter(|&&at| clock - at < per.0).count() as u32;
            if matches!((first, second), (Rate::Window { .. }, Rate::Window { .. })) && same_period && place >= before.len() && taken > 0 {
                prop_assert!(counted <= second.starts(), "{counted} of {second}");
            }
        }
        if changed_at > 0 {
            check(&second, &starts[changed_at..]);
        }
    }

    #[test]
    fn nearly_all_starts_are_used_under_load(
        starts in 1..2_000_u32, per in 1_000..10_000_i64, burst in prop::option::of(1..100_u32),
    ) {
        let rate = Rate::new(starts, DurationMs(per), burst).expect("it is within the bounds");
        let (mut count, mut used) = (StartCount::new(&rate, Timestamp(BEGIN)), 0_u64);
        // A claim each millisecond where the bucket is small, and a hundred times a period otherwise.
        let tick = if burst.is_some() { 1 } else { per / 100 };
        let mut clock = BEGIN;
        while clock < BEGIN + PERIODS * per {
            count = count.advanced(&rate, Timestamp(clock));
            let taken = count.room(&rate);
            if taken > 0 {
                count.record(&rate, taken, Timestamp(clock));
                used += u64::from(taken);
            }
            clock += tick;
        }
        let allowed = u64::from(starts) * PERIODS as u64;
        // A bucket that fills within a few ticks of the clock cannot be emptied as soon as it is full.
        let is_fine = burst.is_some_and(|burst| i64::from(burst) * per <= 10 * i64::from(starts));
        prop_assert!(is_fine || used * 10 >= allowed * 9, "{used} of {allowed} under {rate}");
    }

    /// Whoever gets an instant as the answer can start then, if nobody else did, and not before.
    #[test]
    fn the_earliest_start_is_exact_for_the_first_and_never_late_for_others(
        rate in rate(), steps in prop::collection::vec(step(), 1..40), ahead in 0..150_u64,
    ) {
        let mut clock = BEGIN;
        let mut count = StartCount::new(&rate, Timestamp(clock));
        for (moved, wanted, _) in steps {
            clock += moved.abs();
            count = count.advanced(&rate, Timestamp(clock));
            let taken = wanted.min(count.room(&rate));
            if taken > 0 {
                count.record(&rate, taken, Timestamp(clock));
            }
        }
        count = count.advanced(&rate, Timestamp(clock));
        let free = count.free_at(&rate, 0);
        prop_assert!(count.clone().advanced(&rate, free).room(&rate) > 0);
        if free.0 > clock {
            prop_assert_eq!(count.clone().advanced(&rate, Timestamp(free.0 - 1)).room(&rate), 0);
        }
        // Everybody ahead starts as soon as there is room.
        let promised = count.free_at(&rate, ahead);
        let mut left = ahead + 1;
        while left > 0 {
            let next = count.free_at(&rate, 0);
            count = count.advanced(&rate, next);
            let taken = u32::try_from(left).unwrap_or(u32::MAX).min(count.room(&rate));
            count.record(&rate, taken, next);
            left -= u64::from(taken);
            if left == 0 {
                prop_assert!(promised <= next, "{promised} was promised, and it starts at {next}");
            }
        }
    }

    /// A clock that was ahead and is set right, or is set back: the rate goes on within a period, and gives no start for it.
    #[test]
    fn a_clock_that_is_set_back_closes_no_rate_for_longer_than_a_period(
        rate in rate(), steps in prop::collection::vec(step(), 1..40), back in 120_000..100_000_000_000_i64,
    ) {
        let mut clock = BEGIN;
        let mut count = StartCount::new(&rate, Timestamp(clock));
        for (moved, wanted, later) in steps {
            clock += moved.abs();
            count = count.advanced(&rate, Timestamp(clock));
            let taken = wanted.min(count.room(&rate));
            if taken > 0 {
                count.record(&rate, taken, Timestamp(clock + later));
            }
        }
        let room = count.clone().advanced(&rate, Timestamp(clock)).room(&rate);
        clock -= back;
        let after = reread(&count).advanced(&rate, Timestamp(clock));
        prop_assert!(after.room(&rate) <= room, "{} of {room}", after.room(&rate));
        let free = after.free_at(&rate, 0);
        prop_assert!(free.0 <= clock + rate.per().0 + 1, "it waits for {} ms", free.0 - clock);
        prop_assert!(after.advanced(&rate, free).room(&rate) > 0);
    }

    /// The same where it is only known between which instants they start, and a statement adds their number to the text.
    #[test]
    fn no_period_has_more_starts_that_begin_within_a_span(
        rate in rate(), steps in prop::collection::vec((step(), 0..100_i64), 1..120),
    ) {
        let (mut clock, mut last) = (BEGIN, BEGIN);
        let mut count = StartCount::new(&rate, Timestamp(clock));
        let mut starts: Vec<i64> = Vec::new();
        for ((moved, wanted, _), span) in steps {
            clock += moved;
            last = last.max(clock);
            let room = count.room_at(&rate, Timestamp(clock));
            count = reread(&count).advanced(&rate, Timestamp(clock));
            prop_assert_eq!(room, count.room(&rate));
            let taken = wanted.min(room);
            let until = last + 3 * span;
            let opened = count.clone().opened(&rate, Timestamp(until));
            prop_assert!(opened.room(&rate) <= room, "nobody else gets more room");
            if taken > 0 {
                let stored = opened.template().expect("it is open");
                let text = format!("{}{}{}", stored.head, stored.base + stored.step * i64::from(taken), stored.tail);
                count = opened;
                count.add(taken);
                prop_assert_eq!(&serde_json::from_str::<StartCount>(&text).expect("it decodes"), &count);
                // They start at some instant between the two, which the next ones do not come before.
                last += span;
                starts.extend((0..taken).map(|_| last));
            }
        }
        starts.sort_unstable();
        check(&rate, &starts);
    }

    #[test]
    fn nearly_all_starts_are_used_within_the_tolerance(
        starts in 1..2_000_u32, per in 1_000..10_000_i64, burst in prop::option::of(1..100_u32),
    ) {
        let rate = Rate::new(starts, DurationMs(per), burst).expect("it is within the bounds");
        let (mut count, mut used) = (StartCount::new(&rate, Timestamp(BEGIN)), 0_u64);
        let span = rate.tolerance();
        prop_assume!(span.0 >= 5);
        let tick = if burst.is_some() { 1 } else { per / 100 };
        let mut clock = BEGIN;
        while clock < BEGIN + PERIODS * per {
            count = count.advanced(&rate, Timestamp(clock));
            let taken = count.room(&rate);
            if taken > 0 {
                count = count.opened(&rate, Timestamp(clock).plus(span));
                count.add(taken);
                used += u64::from(taken);
            }
            clock += tick;
        }
        let allowed = u64::from(starts) * PERIODS as u64;
        let is_fine = burst.is_some_and(|burst| i64::from(burst) * per <= 10 * i64::from(starts));
        prop_assert!(is_fine || used * 10 >= allowed * 9, "{used} of {allowed} under {rate}");
    }

    /// What is dropped when it expired says the same as nothing.
    #[test]
    fn an_expired_count_says_nothing(rate in rate(), steps in prop::collection::vec(step(), 1..40)) {
        let mut clock = BEGIN;
        let mut count = StartCount::new(&rate, Timestamp(clock));
        for (moved, wanted, later) in steps {
            clock += moved.abs();
            count = count.advanced(&rate, Timestamp(clock));
            let taken = wanted.min(count.room(&rate));
            if taken > 0 {
                count.record(&rate, taken, Timestamp(clock + later));
            }
        }
        let then = count.expires_at(&rate);
        let none = StartCount::new(&rate, then);
        prop_assert_eq!(count.advanced(&rate, then).room(&rate), none.room(&rate));
    }
}
