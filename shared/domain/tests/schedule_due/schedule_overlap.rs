//! What happens to a slot while executions of the schedule are not finished.

use domain::schedule::{Overlap, OverlapDecision, overlap};

#[test]
fn each_policy_for_each_crowd() {
    use OverlapDecision::{CancelRunningAndStart as Cancel, QueueBehind as Queue, SkipIt, Start};
    // (running, queued): allow, skip, queueOne, cancelPrevious
    for ((running, queued), expected) in [
        ((0, 0), [Start, Start, Start, Start]),
        ((1, 0), [Start, SkipIt, Queue, Cancel]),
        ((1, 1), [Start, SkipIt, SkipIt, Cancel]),
        ((0, 1), [Start, SkipIt, SkipIt, Cancel]),
        ((5, 0), [Start, SkipIt, Queue, Cancel]),
        ((5, 9), [Start, SkipIt, SkipIt, Cancel]),
    ] {
        let policies = [Overlap::Allow, Overlap::Skip, Overlap::QueueOne, Overlap::CancelPrevious];
        let decided = policies.map(|policy| overlap(policy, running, queued));
        assert_eq!(decided, expected, "{running} running, {queued} queued");
    }
}
