//! What a person sees before saving.

use domain::schedule::{PREVIEW_MAX, Preview, Recurrence, preview};

use crate::zones::{at, cron, zone};

fn show(text: &str, name: &str, from: &str, count: usize) -> Preview {
    preview(Recurrence::Cron(&cron(text), &zone(name)), at(from), count)
}

#[test]
fn a_preview_describes_lists_and_notes() {
    let preview = show("30 2 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", 3);
    assert_eq!(preview.description, "At 02:30 every day");
    assert_eq!(
        preview.next,
        ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"].map(at)
    );
    assert_eq!(
        preview.notes[..2],
        [
            "29 March 2026 02:30 does not exist: runs at 03:00",
            "25 October 2026 02:30 happens twice: runs at the first"
        ]
    );
}

#[test]
fn notes_tell_gaps_and_repeats_apart() {
    for (text, name, from, expected) in [
        (
            "0,30 2 * * *",
            "America/New_York",
            "2026-01-01T00:00:00Z",
            "8 March 2026 02:00 and 02:30 do not exist: runs once at 03:00",
        ),
        (
            "0-59 2 * * *",
            "America/New_York",
            "2026-01-01T00:00:00Z",
            "8 March 2026 02:00 to 02:59 do not exist: runs once at 03:00",
        ),
        (
            "*/5 * * * *",
            "America/New_York",
            "2026-01-01T00:00:00Z",
            "8 March 2026 02:00 to 02:55 do not exist: does not run then",
        ),
        (
            "*/30 * * * *",
            "Europe/Berlin",
            "2026-10-01T00:00:00Z",
            "25 October 2026 02:00 and 02:30 happen twice: runs both times",
        ),
        (
            "30 2 * * *",
            "Pacific/Apia",
            "2011-12-01T00:00:00Z",
            "30 December 2011 02:30 does not exist: runs at 31 December 2011 00:00",
        ),
        (
            "15 2 * * *",
            "Australia/Lord_Howe",
            "2026-09-01T00:00:00Z",
            "4 October 2026 02:15 does not exist: runs at 02:30",
        ),
    ] {
        let notes = show(text, name, from, 1).notes;
        assert_eq!(notes.first().map(String::as_str), Some(expected), "{text} {name}: {notes:?}");
    }
}

#[test]
fn schedules_that_no_change_touches_have_no_notes() {
    for (text, name) in [
        ("30 2 * * *", "UTC"),
        ("0 12 * * *", "Europe/Berlin"),
        ("30 2 * * *", "Asia/Tokyo"),
        ("30 2 1 * *", "Europe/Berlin"),
    ] {
        assert_eq!(show(text, name, "2026-01-15T00:00:00Z", 5).notes, [""; 0], "{text} {name}");
    }
}

/// A note says which year it is about; there are never very many.
#[test]
fn notes_reach_as_far_as_the_fires_shown() {
    let notes = show("30 2 * 3 0", "Europe/Berlin", "2026-01-01T00:00:00Z", 30).notes;
    assert_eq!(notes[0], "29 March 2026 02:30 does not exist: runs at 03:00");
    assert!(notes.contains(&"28 March 2027 02:30 does not exist: runs at 03:00".to_owned()), "{notes:?}");
    let preview = show("30 2 1-31 * *", "Europe/Berlin", "2026-01-01T00:00:00Z", usize::MAX);
    assert_eq!(preview.next.len(), PREVIEW_MAX);
    assert!(preview.notes.len() <= 12, "{:?}", preview.notes);
}
