//! Start and end of a schedule, and its jitter.

use domain::schedule::Misfire::{All, Latest};
use domain::schedule::{FireReason, Misfire, Overlap, SkipReason, jitter_of};
use domain::time::DurationMs;
use uuid::Uuid;

use crate::world::{ID, World, at, dropped, hours, started};

#[test]
fn there_are_no_slots_before_the_start() {
    let mut world = World::new("0 * * * *", All);
    world.policy.start_at = Some(at("12:00"));
    let early = world.decide(at("08:00"), at("11:00"));
    assert_eq!((started(&early).as_str(), early.next_run_at), ("", Some(at("12:00"))));
    let late = world.decide(at("08:00"), at("13:00"));
    assert_eq!((started(&late).as_str(), dropped(&late).as_str()), ("catchup 12:00, tick 13:00", ""));
    world.policy.start_at = Some(at("12:00:00.001"));
    assert_eq!(world.decide(at("08:00"), at("11:00")).next_run_at, Some(at("13:00")));
}

#[test]
fn there_are_no_slots_after_the_end() {
    let mut world = World::new("0 * * * *", All);
    world.policy.end_at = Some(at("12:00"));
    let decision = world.decide(at("11:00"), at("12:00"));
    assert_eq!((started(&decision).as_str(), decision.next_run_at), ("tick 12:00", None));
    let after = world.decide(decision.cursor, at("18:00"));
    assert_eq!((started(&after).as_str(), after.cursor, after.next_run_at), ("", at("12:00"), None));
    let missed = world.decide(at("10:30"), at("18:00"));
    assert_eq!(started(&missed), "catchup 11:00, catchup 12:00");
    world.policy.end_at = Some(at("11:59:59.999"));
    assert_eq!(world.decide(at("11:00"), at("12:00")).next_run_at, None);
}

#[test]
fn a_start_after_the_end_means_no_slots() {
    let mut world = World::new("0 * * * *", All);
    (world.policy.start_at, world.policy.end_at) = (Some(at("12:00")), Some(at("10:00")));
    let decision = world.decide(at("08:00"), at("18:00"));
    assert_eq!((started(&decision).as_str(), decision.cursor, decision.next_run_at), ("", at("08:00"), None));
}

#[test]
fn jitter_moves_the_run_and_not_the_slot() {
    let mut world = World::new("0 * * * *", Latest);
    world.policy.jitter = DurationMs::from_secs(600);
    let slot = |now: &str| world.decide(at(now).minus(hours(1)), at(now)).slots[0];
    let (first, second) = (slot("11:00"), slot("12:00"));
    assert_eq!((first.nominal, second.nominal), (at("11:00"), at("12:00")));
    let shift = first.run_at.since(first.nominal);
    assert_eq!(second.run_at.since(second.nominal), shift);
    assert_eq!(shift, jitter_of(ID, world.policy.jitter));
}

#[test]
fn jitter_is_stable_bounded_and_spread() {
    let id = |number: u32| Uuid::from_u128(u128::from(number));
    for bound in [DurationMs::ZERO, DurationMs(-5)] {
        assert_eq!(jitter_of(id(1), bound), DurationMs::ZERO);
    }
    assert_eq!(jitter_of(id(1), DurationMs(1)), DurationMs::ZERO);
    // A change of this number would move the runs of every schedule in use.
    assert_eq!(jitter_of(ID, DurationMs::from_secs(3600)), DurationMs(692_127));
    let minute = DurationMs::from_secs(60);
    let mut tenths = [0; 10];
    for number in 0..10_000 {
        let jitter = jitter_of(id(number), minute);
        assert!((0..60_000).contains(&jitter.0));
        tenths[(jitter.0 / 6_000) as usize] += 1;
    }
    assert!(tenths.iter().all(|count| (850..1_150).contains(count)), "{tenths:?}");
}

#[test]
fn words_are_the_public_ones() {
    let json = |text: &str| format!("\"{text}\"");
    for (misfire, word) in [(Misfire::Skip, "skip"), (Misfire::Latest, "latest"), (Misfire::All, "all")] {
        assert_eq!((misfire.as_str(), Misfire::parse(word)), (word, Some(misfire)));
        assert_eq!(serde_json::from_str::<Misfire>(&json(word)).ok(), Some(misfire));
    }
    let overlaps = ["allow", "skip", "queueOne", "cancelPrevious"];
    assert_eq!(overlaps.map(|word| Overlap::parse(word).map(Overlap::as_str)), overlaps.map(Some));
    assert_eq!(serde_json::to_string(&Overlap::QueueOne).ok(), Some(json("queueOne")));
    let reasons = ["tick", "catchup", "backfill", "manual"];
    assert_eq!(reasons.map(|word| FireReason::parse(word).map(FireReason::as_str)), reasons.map(Some));
    let skips = ["overlap", "misfire", "refused"];
    assert_eq!(skips.map(|word| SkipReason::parse(word).map(SkipReason::as_str)), skips.map(Some));
    assert_eq!(Misfire::parse("none"), None);
}
