//! Names of time zones.

use domain::schedule::{Zone, tzdb_version};

use crate::zones::{ZONES, zone};

#[test]
fn names_are_read_in_any_case_and_kept_in_the_right_one() {
    for name in ZONES {
        assert_eq!(zone(name).name(), name);
        assert_eq!(zone(&name.to_ascii_lowercase()), zone(name));
    }
    assert_eq!(Zone::default(), zone("UTC"));
    assert_eq!(zone("etc/gmt-5").to_string(), "Etc/GMT-5");
}

#[test]
fn other_names_are_refused_with_a_proposal() {
    for (name, hint) in [
        ("", "Europe/Berlin"),
        ("+05:30", "fixed offset"),
        ("-3", "fixed offset"),
        ("05:30", "fixed offset"),
        ("UTC+2", "fixed offset"),
        ("GMT-11", "fixed offset"),
        ("EST5EDT", "America/New_York"),
        ("pst8pdt", "America/Los_Angeles"),
        ("CET", "Europe/Brussels"),
        ("Berlin", "did you mean Europe/Berlin?"),
        ("new york", "did you mean America/New_York?"),
        ("Europe/New_York", "did you mean America/New_York?"),
        ("Factory", "no time zone"),
        ("Etc/Unknown", "no time zone"),
        ("Mars/Olympus", "no time zone"),
        ("../../etc/passwd", "no time zone"),
        ("Europe/Berlin ", "did you mean Europe/Berlin?"),
        ("\0", "no time zone"),
    ] {
        match Zone::parse(name) {
            Ok(zone) => panic!("{name:?} was read as {zone}"),
            Err(fault) => assert!(fault.message.contains(hint), "{name:?}: {fault}"),
        }
    }
}

#[test]
fn the_database_has_a_version() {
    let version = tzdb_version();
    let (year, letter) = version.split_at(4);
    assert!(year.parse::<u32>().is_ok_and(|year| year >= 2026), "{version}");
    assert!(letter.bytes().all(|byte| byte.is_ascii_lowercase()), "{version}");
}
