//! `attributes`: names by which executions are found, and what sets them.

use crate::attribute::{AttributeType, PER_SCOPE_MAX};
use crate::names::AttributeName;
use crate::workflow::definition::DefinedAttribute;
use crate::workflow::expression::Template;
use crate::workflow::parse::expressions::{Compiler, Reader};
use crate::workflow::parse::fields::{Fields, did_you_mean};

/// Reads the definition's own. Their values are known before anything has run, so they read the input alone.
pub(super) fn read_attributes(document: &Fields<'_>, compiler: &mut Compiler<'_>) -> Vec<DefinedAttribute> {
    let Some(attributes) = document.object("attributes", compiler.faults) else {
        return Vec::new();
    };
    if attributes.iter().count() > PER_SCOPE_MAX {
        let message = format!("a workflow declares at most {PER_SCOPE_MAX} attributes");
        compiler.faults.rule(attributes.pointer(), message);
        return Vec::new();
    }
    let read = attributes.iter().filter_map(|(name, value)| {
        let one = Fields::of(value, attributes.at(name), compiler.faults)?;
        let name = read_name(name, &attributes, compiler);
        one.refuse_unknown(&["type", "value"], compiler.faults);
        one.required("type", compiler.faults);
        let kind = read_type(&one, compiler);
        let before = compiler.mentions.len();
        let value = compiler.template_of(&one, "value");
        if compiler.mentions.len() > before {
            compiler.mentions.truncate(before);
            let message = "can only use `input`; set it in the `attributes` of the node whose output it is";
            compiler.faults.rule(one.at("value"), message);
        }
        Some(DefinedAttribute { name: name?, kind: kind?, value })
    });
    read.collect()
}

/// Reads those that the node which `compiler` is at sets once it completed. They see its output.
pub(super) fn read_attributes_of_node(
    node: &Fields<'_>,
    compiler: &mut Compiler<'_>,
) -> Vec<(AttributeName, Template)> {
    let Some(attributes) = node.object("attributes", compiler.faults) else {
        return Vec::new();
    };
    let reader = compiler.reader;
    if let Reader::Node(index) = reader {
        compiler.reader = Reader::Until(index);
    }
    let read = attributes.iter().filter_map(|(name, _)| {
        let template = compiler.template_of(&attributes, name);
        Some((read_name(name, &attributes, compiler)?, template?))
    });
    let read = read.collect();
    compiler.reader = reader;
    read
}

fn read_name(name: &str, of: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<AttributeName> {
    AttributeName::parse(name).map_err(|fault| compiler.faults.add(of.at(name), fault.to_string())).ok()
}

fn read_type(one: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<AttributeType> {
    let text = one.text("type", compiler.faults)?;
    let kind = AttributeType::parse(text);
    if kind.is_none() {
        let names = AttributeType::NAMES;
        let hint = did_you_mean(text, names);
        compiler.faults.add(one.at("type"), format!("expected one of {}{hint}", names.join(", ")));
    }
    kind
}
