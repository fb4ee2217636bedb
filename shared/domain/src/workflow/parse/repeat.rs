//! `repeat`.

use crate::time::DurationMs;
use crate::workflow::definition::Repeat;
use crate::workflow::parse::bounds::ROUNDS_MAX;
use crate::workflow::parse::expressions::{Compiler, Reader};
use crate::workflow::parse::fields::Fields;

/// Reads `repeat` of the node that `compiler` is at. `until` sees the node's own output.
pub(super) fn read_repeat(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<Repeat> {
    let repeat = node.object("repeat", compiler.faults)?;
    if node.get("type").is_some_and(|name| name == "SWITCH") {
        compiler.faults.rule(node.at("repeat"), "a SWITCH chooses once; repeat the nodes before it");
    }
    repeat.refuse_unknown(&["until", "max", "delay"], compiler.faults);
    repeat.required("until", compiler.faults);
    repeat.required("max", compiler.faults);
    let rounds_max = repeat.whole("max", 1..=ROUNDS_MAX, compiler.faults);
    let delay = match repeat.get("delay") {
        Some(_) => repeat.delay("delay", compiler.faults),
        None => Some(DurationMs::ZERO),
    };
    let reader = compiler.reader;
    if let Reader::Node(index) = reader {
        compiler.reader = Reader::Until(index);
    }
    let until = compiler.expression_of(&repeat, "until");
    compiler.reader = reader;
    Some(Repeat { until: until?, rounds_max: rounds_max?, delay: delay? })
}
