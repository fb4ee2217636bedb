//! Edits, pauses, and clocks that jump.

use domain::schedule::Misfire::{All, Latest, Skip};
use domain::schedule::Zone;
use domain::time::{DurationMs, Timestamp};

use crate::world::{World, at, dropped, started};

/// Creating, editing and resuming set the cursor to now: whatever came before is never decided.
#[test]
fn nothing_fires_for_the_time_before_the_cursor() {
    for misfire in [Skip, Latest, All] {
        let world = World::new("0 * * * *", misfire);
        for edited in ["11:00", "11:00:00.001", "11:00:59", "11:30", "11:59:59.999"] {
            let decision = world.decide(at(edited), at(edited));
            assert_eq!((started(&decision), dropped(&decision)), Default::default(), "{edited}");
            assert_eq!(decision.cursor, at(edited));
            assert_eq!(decision.next_run_at, Some(at("12:00")), "{edited}");
        }
        let decision = world.decide(at("11:59:59.999"), at("12:00"));
        assert_eq!(started(&decision), "tick 12:00");
    }
}

#[test]
fn a_clock_set_back_repeats_nothing() {
    for misfire in [Skip, Latest, All] {
        let world = World::new("*/30 * * * *", misfire);
        let cursor = world.decide(at("11:30"), at("12:00:05")).cursor;
        assert_eq!(cursor, at("12:00"));
        for now in ["10:00:05", "11:30", "11:59:59", "12:00", "12:00:05", "12:29:59"] {
            let decision = world.decide(cursor, at(now));
            assert_eq!((started(&decision), dropped(&decision)), Default::default(), "{now}");
            assert_eq!((decision.cursor, decision.next_run_at), (cursor, Some(at("12:30"))), "{now}");
        }
        assert_eq!(started(&world.decide(cursor, at("12:30"))), "tick 12:30");
    }
}

/// Two hours forward is downtime of two hours; back again, the slots of those hours are done.
#[test]
fn a_clock_set_forward_is_downtime() {
    for (misfire, starts) in [
        (Skip, "tick 14:00"),
        (Latest, "tick 14:00"),
        (All, "catchup 12:30, catchup 13:00, catchup 13:30, tick 14:00"),
    ] {
        let world = World::new("*/30 * * * *", misfire);
        let ahead = world.decide(at("12:00"), at("14:00:10"));
        assert_eq!(started(&ahead), starts);
        let back = world.decide(ahead.cursor, at("12:00:20"));
        assert_eq!((started(&back), back.cursor), (String::new(), at("14:00")));
        assert_eq!(started(&world.decide(back.cursor, at("14:30"))), "tick 14:30");
    }
}

/// However often and whenever one asks, each slot is decided one time.
#[test]
fn each_slot_is_decided_once() {
    for misfire in [Skip, Latest, All] {
        let mut world = World::new("*/20 1-3 * * *", misfire);
        world.zone = Zone::parse("Europe/Berlin").expect("a zone");
        let mut cursor = Timestamp::parse("2026-10-24T12:00:00Z").expect("an instant");
        let (mut now, mut seen) = (cursor, Vec::new());
        for step in 0..400_i64 {
            // Uneven steps, now and then back by half an hour.
            let jump = if step % 37 == 36 { -1_800_000 } else { 170_000 + step % 7 * 61_000 };
            now = Timestamp(now.0 + jump);
            let decision = world.decide(cursor, now);
            seen.extend(decision.slots.iter().map(|slot| slot.nominal));
            seen.extend(&decision.dropped);
            cursor = decision.cursor;
        }
        let all = domain::schedule::fires_between(
            &world.cron,
            &world.zone,
            Timestamp::parse("2026-10-24T12:00:00Z").expect("an instant"),
            cursor,
            usize::MAX,
        );
        assert!(all.len() > 9, "{}", all.len());
        assert_eq!(seen, all, "{misfire:?}");
    }
}

/// The cursor follows nominal instants, so a decision right after a change of the clock loses none.
#[test]
fn a_gap_is_one_tick() {
    let mut world = World::new("30 2 * * *", Latest);
    world.zone = Zone::parse("Europe/Berlin").expect("a zone");
    let change = Timestamp::parse("2026-03-29T01:00:00Z").expect("an instant");
    let before = world.decide(change.minus(DurationMs::from_secs(3600)), change.minus(DurationMs(1)));
    assert_eq!((started(&before).as_str(), before.next_run_at), ("", Some(change)));
    let after = world.decide(before.cursor, change);
    assert_eq!(started(&after), "tick 01:00");
}
