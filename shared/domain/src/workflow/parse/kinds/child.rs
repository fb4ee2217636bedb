//! `WORKFLOW`.

use crate::names::WorkflowName;
use crate::workflow::definition::NodeKind;
use crate::workflow::parse::bounds::VERSION_MAX;
use crate::workflow::parse::expressions::Compiler;
use crate::workflow::parse::fields::Fields;

/// Reads a `WORKFLOW`. Whether there is such a workflow is seen when the child starts: it may be registered later.
pub(super) fn read_workflow(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<NodeKind> {
    node.required("workflow", compiler.faults);
    let version = node.whole("version", 1..=VERSION_MAX, compiler.faults);
    let input = compiler.template_of(node, "input");
    let text = node.text("workflow", compiler.faults)?;
    let workflow = WorkflowName::parse(text)
        .map_err(|fault| compiler.faults.add(node.at("workflow"), fault.to_string()))
        .ok()?;
    Some(NodeKind::Workflow { workflow, version, input })
}
