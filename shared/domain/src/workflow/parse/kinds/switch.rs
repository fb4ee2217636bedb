//! `SWITCH`.

use serde_json::Value;

use crate::workflow::definition::{NodeKind, SwitchCase};
use crate::workflow::parse::expressions::Compiler;
use crate::workflow::parse::fields::Fields;
use crate::workflow::parse::goto::{Goto, read_goto};

/// Reads a `SWITCH`; where it leads is added to `gotos`.
pub(super) fn read_switch(node: &Fields<'_>, gotos: &mut Vec<Goto>, compiler: &mut Compiler<'_>) -> NodeKind {
    node.required("cases", compiler.faults);
    let listed = node.list("cases", compiler.faults);
    if listed.is_some_and(<[Value]>::is_empty) {
        compiler.faults.rule(node.at("cases"), "a SWITCH needs at least one case");
    }
    let listed = listed.unwrap_or_default();
    let mut cases: Vec<SwitchCase> = Vec::with_capacity(listed.len());
    for (index, case) in listed.iter().enumerate() {
        let Some(case) = Fields::of(case, format!("{}/{index}", node.at("cases")), compiler.faults) else {
            continue;
        };
        if let Some(read) = read_case(&case, gotos, compiler) {
            refuse_repeated(&read, &case, &cases, compiler);
            cases.push(read);
        }
    }
    let default = read_goto(node, "default", gotos, compiler.faults);
    NodeKind::Switch { cases, default }
}

fn read_case(case: &Fields<'_>, gotos: &mut Vec<Goto>, compiler: &mut Compiler<'_>) -> Option<SwitchCase> {
    case.refuse_unknown(&["when", "goto"], compiler.faults);
    case.required("when", compiler.faults);
    case.required("goto", compiler.faults);
    let when = compiler.expression_of(case, "when");
    let goto = read_goto(case, "goto", gotos, compiler.faults);
    Some(SwitchCase { when: when?, goto: goto? })
}

/// The first case that is true is taken, so that one with the condition of an earlier one never is. It is a slip.
fn refuse_repeated(
    read: &SwitchCase,
    case: &Fields<'_>,
    earlier: &[SwitchCase],
    compiler: &mut Compiler<'_>,
) {
    let repeats = |before: &SwitchCase| before.when.source().trim() == read.when.source().trim();
    if let Some(before) = earlier.iter().position(repeats) {
        compiler.faults.rule(case.at("when"), format!("never taken: case {before} has the same condition"));
    }
}
