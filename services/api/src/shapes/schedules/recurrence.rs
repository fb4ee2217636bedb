//! When a schedule fires, as it is sent: by an expression in a time zone, or by an interval.

use domain::time::{DurationMs, Timestamp};
use engine::IntervalRequest;

use crate::shapes::needed::RequiredFields;

/// One of the two.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RecurrenceBody {
    /// An expression.
    Cron(String),
    /// An interval.
    Interval(IntervalRequest),
}

impl RecurrenceBody {
    /// What the fields say; `None` where it is not one of the two, which is added to the faults.
    pub(crate) fn read(
        faults: &mut RequiredFields,
        cron: Option<String>,
        (every, anchor): (Option<DurationMs>, Option<Timestamp>),
        timezone: Option<&str>,
    ) -> Option<Self> {
        let Some(every) = every else {
            if anchor.is_some() {
                faults.add("/anchor", "expected together with every");
                return None;
            }
            return faults.field("cron", cron).map(Self::Cron);
        };
        if cron.is_some() {
            faults.add("/every", "expected either cron or every, not both");
        }
        if timezone.is_some() {
            faults.add("/timezone", "expected together with cron: an interval knows no time zone");
        }
        (!faults.any()).then_some(Self::Interval(IntervalRequest { every, anchor }))
    }

    /// The text of the expression, empty for an interval, and the interval.
    pub(crate) fn parts(self) -> (String, Option<IntervalRequest>) {
        match self {
            Self::Cron(cron) => (cron, None),
            Self::Interval(interval) => (String::new(), Some(interval)),
        }
    }
}
