//! A definition as a Mermaid flowchart: nodes with a shape for each type, and who waits for whom.
//!
//! Ids are numbers of its own (`n0`, `c0`), because words such as `end` mean something to Mermaid. Texts of the
//! definition only stand inside of quoted labels, escaped and shortened.

use std::fmt::{self, Write};

use crate::names::EventType;
use crate::workflow::definition::{Definition, Node, NodeKind, OnError, TimerEnd};
use crate::workflow::expression::{Template, TextPart};

/// The longest text of the definition in one line of a label, in characters.
const LABEL_CHARS_MAX: usize = 60;

/// The flowchart.
pub fn mermaid(definition: &Definition) -> String {
    let mut text = String::new();
    write_chart(definition, &mut text).expect("writing to a string does not fail");
    text
}

fn write_chart(definition: &Definition, text: &mut String) -> fmt::Result {
    writeln!(text, "%% {} version {}", definition.name, definition.version)?;
    writeln!(text, "flowchart TD")?;
    for index in 0..definition.on_failure_from {
        write_node(definition, index, "    ", text)?;
    }
    for index in 0..definition.on_failure_from {
        write_edges(definition, index, "    ", text)?;
    }
    if definition.on_failure_from < definition.nodes.len() {
        writeln!(text, "    subgraph failure[\"onFailure\"]")?;
        for index in definition.on_failure_from..definition.nodes.len() {
            write_node(definition, index, "        ", text)?;
        }
        for index in definition.on_failure_from..definition.nodes.len() {
            write_edges(definition, index, "        ", text)?;
        }
        writeln!(text, "    end")?;
    }
    Ok(())
}

fn write_node(definition: &Definition, index: usize, indent: &str, text: &mut String) -> fmt::Result {
    let node = &definition.nodes[index];
    let (open, close) = shape(&node.kind);
    let mut lines = vec![escaped(node.id.as_str()), what(&node.kind)];
    if let Some(when) = &node.when {
        lines.push(format!("when {}", escaped(when.source())));
    }
    if let Some(repeat) = &node.repeat {
        lines.push(format!("repeat until {}, at most {}", escaped(repeat.until.source()), repeat.rounds_max));
    }
    writeln!(text, "{indent}n{index}{open}\"{}\"{close}", lines.join("<br/>"))?;
    if let Some(task) = &node.compensate {
        let (open, close) = shape(&task.kind);
        writeln!(text, "{indent}c{index}{open}\"{}\"{close}", what(&task.kind))?;
    }
    Ok(())
}

/// The edges that lead away from a node.
fn write_edges(definition: &Definition, index: usize, indent: &str, text: &mut String) -> fmt::Result {
    let node = &definition.nodes[index];
    for &dependent in &definition.graph.dependents[index] {
        let ways = ways(node, &definition.nodes[dependent]);
        if ways.is_empty() {
            writeln!(text, "{indent}n{index} --> n{dependent}")?;
        }
        for (arrow, label) in ways {
            writeln!(text, "{indent}n{index} {arrow}|\"{label}\"| n{dependent}")?;
        }
    }
    if node.compensate.is_some() {
        writeln!(text, "{indent}n{index} -.->|\"compensate\"| c{index}")?;
    }
    Ok(())
}

/// The ways on which a node leads to one that it names as its target; none where that one only waits for it.
fn ways(node: &Node, dependent: &Node) -> Vec<(&'static str, String)> {
    let mut ways = Vec::new();
    if let NodeKind::Switch { cases, default } = &node.kind {
        let chosen = cases.iter().filter(|case| case.goto == dependent.id);
        ways.extend(chosen.map(|case| ("-->", escaped(case.when.source()))));
        if default.as_ref() == Some(&dependent.id) {
            ways.push(("-->", "default".to_owned()));
        }
    }
    if matches!(&node.on_error, OnError::Goto(target) if *target == dependent.id) {
        ways.push(("-.->", "on error".to_owned()));
    }
    ways
}

/// What stands around the label.
const fn shape(kind: &NodeKind) -> (&'static str, &'static str) {
    match kind {
        NodeKind::ServiceTask { .. } => ("[", "]"),
        NodeKind::Http { .. } => ("[/", "/]"),
        NodeKind::Transform { .. } => ("(", ")"),
        NodeKind::Timer(_) => ("((", "))"),
        NodeKind::Signal { .. } => (">", "]"),
        NodeKind::UserTask(_) => ("[/", "\\]"),
        NodeKind::Map(_) => ("[\\", "/]"),
        NodeKind::Workflow { .. } => ("[[", "]]"),
        NodeKind::Switch { .. } => ("{", "}"),
        NodeKind::WaitWebhook | NodeKind::WaitEvent(_) => ("([", "])"),
    }
}

/// The type, and the word that says most about this one.
fn what(kind: &NodeKind) -> String {
    let name = kind.type_name();
    let detail = match kind {
        NodeKind::ServiceTask { job_type, .. } => escaped(job_type.as_str()),
        NodeKind::Timer(TimerEnd::Duration(duration)) => duration.to_string(),
        NodeKind::Timer(TimerEnd::DurationOf(template)) => template_text(template),
        NodeKind::Timer(TimerEnd::Until(template)) => format!("until {}", template_text(template)),
        NodeKind::Signal { signal } => escaped(signal.as_str()),
        NodeKind::WaitEvent(spec) => {
            let names: Vec<&str> = spec.events.iter().map(EventType::as_str).collect();
            escaped(&names.join(", "))
        }
        NodeKind::UserTask(task) => {
            task.assignee.as_ref().or(task.group.as_ref()).map(template_text).unwrap_or_default()
        }
        NodeKind::Map(map) => format!("each: {}", what(&map.task.kind)),
        NodeKind::Workflow { workflow, version: Some(version), .. } => format!("{workflow} {version}"),
        NodeKind::Workflow { workflow, version: None, .. } => workflow.to_string(),
        NodeKind::Http { request, .. } => method(request),
        NodeKind::Transform { .. } | NodeKind::Switch { .. } | NodeKind::WaitWebhook => String::new(),
    };
    if detail.is_empty() { name.to_owned() } else { format!("{name} {detail}") }
}

/// The method of a request, which is always plain text.
fn method(request: &Template) -> String {
    match request {
        Template::Literal(request) => escaped(request["method"].as_str().unwrap_or_default()),
        Template::Object(fields) => fields
            .iter()
            .find(|(field, _)| field == "method")
            .map(|(_, method)| template_text(method))
            .unwrap_or_default(),
        _ => String::new(),
    }
}

/// A text as the definition has it.
fn template_text(template: &Template) -> String {
    match template {
        Template::Literal(value) => escaped(value.as_str().unwrap_or_default()),
        Template::Expression(expression) => escaped(&format!("${{{}}}", expression.source())),
        Template::Text(parts) => {
            let mut text = String::new();
            for part in parts {
                match part {
                    TextPart::Plain(plain) => text.push_str(plain),
                    TextPart::Expression(expression) => {
                        text.push_str("${");
                        text.push_str(expression.source());
                        text.push('}');
                    }
                }
            }
            escaped(&text)
        }
        Template::List(_) | Template::Object(_) => String::new(),
    }
}

/// A text inside of a quoted label. Mermaid reads `#…;` as a character, and the browser reads the rest as HTML.
fn escaped(text: &str) -> String {
    let mut label = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == LABEL_CHARS_MAX {
            label.push('…');
            break;
        }
        match character {
            '"' => label.push_str("#quot;"),
            '<' => label.push_str("#lt;"),
            '>' => label.push_str("#gt;"),
            '&' => label.push_str("#amp;"),
            '#' => label.push_str("#35;"),
            '`' => label.push_str("#96;"),
            control if control.is_control() => label.push(' '),
            plain => label.push(plain),
        }
    }
    label
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::workflow::parse::tests::fixture::{ORDER, parse_json, transform, workflow};

    #[test]
    fn every_type_has_its_shape_and_every_edge_its_label() {
        let order = parse_json(&serde_json::from_str(ORDER).expect("JSON")).expect("valid");
        let expected = r#"%% order-fulfilment version 3
flowchart TD
    n0[/"stock<br/>HTTP GET"/]
    n1["charge<br/>SERVICE_TASK charge-card"]
    c1["SERVICE_TASK refund-card"]
    n2[/"approve<br/>USER_TASK finance<br/>when nodes.charge.output.total #gt; 1000"\]
    n3>"paid<br/>SIGNAL payment-received"]
    n4(("cool<br/>TIMER 10m"))
    n5[\"notify<br/>MAP each: SERVICE_TASK notify"/]
    n6{"route<br/>SWITCH"}
    n7[["courier<br/>WORKFLOW courier-booking 2<br/>repeat until nodes.courier.output.booked, at most 5"]]
    n8("post<br/>TRANSFORM")
    n9(["call<br/>WAIT_WEBHOOK"])
    n10(["shipped<br/>WAIT_EVENT order.shipped, order.lost"])
    n0 --> n1
    n0 -.->|"on error"| n8
    n1 --> n2
    n1 --> n9
    n1 --> n10
    n1 -.->|"compensate"| c1
    n2 --> n3
    n3 --> n4
    n4 --> n5
    n5 --> n6
    n6 -->|"input.express"| n7
    n6 -->|"default"| n8
    subgraph failure["onFailure"]
        n11["tell<br/>SERVICE_TASK tell-ops"]
    end
"#;
        assert_eq!(mermaid(&order.definition), expected);
    }

    #[test]
    fn texts_of_the_definition_stay_inside_of_their_labels() {
        let nasty = format!("input.a == \"]|<b>#`\\n&\" || '{}' == ''", "x".repeat(100));
        let definition = workflow(&[
            json!({"id": "end", "type": "SWITCH", "when": nasty, "cases": [{"when": nasty, "goto": "graph"}]}),
            transform("graph", &["end"], &json!(1)),
            json!({"id": "t", "type": "TIMER", "dependsOn": ["end"], "duration": "${input['\"']}"}),
            json!({"id": "h", "type": "HTTP", "request": {"url": "https://x.example"}}),
            json!({"id": "u", "type": "TIMER", "until": "x${input.a}\n\"y"}),
        ]);
        let chart = mermaid(&parse_json(&definition).expect("valid").definition);
        let escaped = "input.a == #quot;]|#lt;b#gt;#35;#96;\\n#amp;#quot; || '";
        assert!(chart.contains(&format!("n0 -->|\"{escaped}")), "{chart}");
        assert!(chart.contains("n0 --> n2") && chart.contains("TIMER ${input['#quot;']}"), "{chart}");
        assert!(chart.contains("TIMER until x${input.a} #quot;y"), "{chart}");
        assert!(chart.contains("[/\"h<br/>HTTP GET\"/]"), "{chart}");
        for line in chart.lines().skip(2) {
            assert_eq!(line.matches('"').count() % 2, 0, "{line}");
            assert!(line.chars().count() < 250, "{line}");
        }
        assert_eq!(chart.lines().count(), 2 + 5 + 2, "{chart}");
    }
}
