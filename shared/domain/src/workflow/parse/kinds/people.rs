//! `USER_TASK`.

use serde_json::Value;

use crate::workflow::definition::{Escalation, NodeKind, UserTaskSpec};
use crate::workflow::expression::{InputSchema, Template};
use crate::workflow::parse::expressions::Compiler;
use crate::workflow::parse::fields::{Faults, Fields};
use crate::workflow::parse::input_schema::read_schema;

/// Reads a `USER_TASK`.
pub(super) fn read_user_task(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> NodeKind {
    if node.get("assignee").is_none() && node.get("group").is_none() {
        compiler.faults.rule(node.pointer(), "a USER_TASK needs `assignee` or `group`, or both");
    }
    let due_in = node.delay("dueIn", compiler.faults);
    let escalation = read_escalation(node, compiler);
    let form = read_form(node, compiler);
    NodeKind::UserTask(Box::new(UserTaskSpec {
        assignee: read_who(node, "assignee", compiler),
        group: read_who(node, "group", compiler),
        input: compiler.template_of(node, "input"),
        form,
        due_in,
        escalation,
    }))
}

fn read_escalation(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<Escalation> {
    let escalation = node.object("escalation", compiler.faults)?;
    escalation.refuse_unknown(&["after", "assignee", "group"], compiler.faults);
    escalation.required("after", compiler.faults);
    let after = escalation.delay("after", compiler.faults);
    if let (Some(after), Some(timeout)) = (after, node.duration("timeout", &mut Faults::default()))
        && after >= timeout
    {
        let message = "the task is over by its `timeout` before it would be handed on";
        compiler.faults.rule(escalation.at("after"), message);
    }
    Some(Escalation {
        assignee: read_who(&escalation, "assignee", compiler),
        group: read_who(&escalation, "group", compiler),
        after: after?,
    })
}

/// Reads a person or a group.
fn read_who(owner: &Fields<'_>, field: &str, compiler: &mut Compiler<'_>) -> Option<Template> {
    let who = compiler.text_template_of(owner, field)?;
    if matches!(&who, Template::Literal(Value::String(text)) if text.trim().is_empty()) {
        compiler.faults.add(owner.at(field), format!("`{field}` is empty"));
        return None;
    }
    Some(who)
}

fn read_form(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<(Value, InputSchema)> {
    let form = node.get("form")?;
    let compiled = read_schema(form, &node.at("form"), compiler.faults)?;
    Some((form.clone(), compiled))
}
