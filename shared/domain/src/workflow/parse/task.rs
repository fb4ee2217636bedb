//! What is no node of its own: what a `MAP` does for each item, and what undoes a node.

use crate::workflow::definition::Task;
use crate::workflow::expression::Variables;
use crate::workflow::parse::expressions::{Compiler, Reader};
use crate::workflow::parse::fields::Fields;
use crate::workflow::parse::kinds::{Place, read_kind};
use crate::workflow::parse::retry::read_retry;

/// Reads a task. Its retries are its own only; those of the node and of the definition are filled in later.
pub(super) fn read_task(task: &Fields<'_>, place: Place, compiler: &mut Compiler<'_>) -> Option<Task> {
    // None of the types that a task may have leads anywhere.
    let kind = read_kind(task, place, &mut Vec::new(), compiler);
    let retry = read_retry(task, compiler.faults);
    let timeout = task.timeout("timeout", compiler.faults);
    Some(Task { kind: kind?, retry, timeout })
}

/// Reads `compensate` of the node that `compiler` is at. By the time it runs the execution has failed, so that it may
/// read every node of the workflow: those that did not complete have no output.
pub(super) fn read_compensate(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<Box<Task>> {
    let task = node.object("compensate", compiler.faults)?;
    let (reader, variables) = (compiler.reader, compiler.variables);
    if let Reader::Node(index) = reader {
        compiler.reader = Reader::Compensation(index);
    }
    compiler.variables = Variables { error: true, ..variables };
    let task = read_task(&task, Place::Compensation, compiler);
    (compiler.reader, compiler.variables) = (reader, variables);
    task.map(Box::new)
}
