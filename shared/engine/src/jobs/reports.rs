//! Reports of outside workers, each checked by itself: one that is out of bounds is rejected alone, and the others of its
//! call go on.

use domain::error::Fault;

use crate::bounds::Faults;

/// Why a report was not looked at. Nothing was written, and the lease holds as before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// What is wrong, for people, with the field's name.
    pub reason: String,
}

/// Splits reports into those within their bounds and what puts their answers back into the order of the call. Faults
/// point below the report.
pub(super) fn split<T>(reports: Vec<T>, check: impl Fn(&T, &mut Faults)) -> (Vec<T>, Order) {
    let (mut accepted, mut rejected) = (Vec::with_capacity(reports.len()), Vec::with_capacity(reports.len()));
    for report in reports {
        let mut faults = Faults::default();
        check(&report, &mut faults);
        let rejection = rejection(&faults.into_vec());
        if rejection.is_none() {
            accepted.push(report);
        }
        rejected.push(rejection);
    }
    (accepted, Order(rejected))
}

/// For each report of a call, why it was rejected, if it was.
pub(super) struct Order(Vec<Option<Rejection>>);

impl Order {
    /// The answers of the accepted reports with the rejections among them.
    pub(super) fn answers<A>(self, accepted: Vec<A>) -> Vec<Result<A, Rejection>> {
        let mut accepted = accepted.into_iter();
        let answer = |rejected: Option<Rejection>| match rejected {
            Some(rejection) => Some(Err(rejection)),
            None => accepted.next().map(Ok),
        };
        self.0.into_iter().filter_map(answer).collect()
    }
}

fn rejection(faults: &[Fault]) -> Option<Rejection> {
    let reason = |fault: &Fault| {
        format!("{}: {}", fault.pointer.trim_start_matches('/').replace('/', "."), fault.message)
    };
    let reasons: Vec<String> = faults.iter().map(reason).collect();
    (!reasons.is_empty()).then(|| Rejection { reason: reasons.join("; ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_the_order_of_the_reports() {
        let (accepted, order) = split(vec![1, -2, 3], |number, faults| {
            if *number < 0 {
                faults.add("/error/code", "expected a number that is not negative");
            }
        });
        assert_eq!(accepted, [1, 3]);
        let reason = "error.code: expected a number that is not negative".to_owned();
        assert_eq!(order.answers(vec!["a", "b"]), [Ok("a"), Err(Rejection { reason }), Ok("b")]);
    }
}
