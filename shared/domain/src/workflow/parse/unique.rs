//! `unique`: the key of executions, and what is done while one with it is open.

use crate::workflow::parse::expressions::Compiler;
use crate::workflow::parse::fields::Fields;
use crate::workflow::parse::suggest::did_you_mean;
use crate::workflow::unique::{UniquePolicy, UniqueSpec};

/// Reads `unique`. Its key is known before anything has run, so it reads the input alone.
pub(super) fn read_unique(document: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<UniqueSpec> {
    let unique = document.object("unique", compiler.faults)?;
    unique.refuse_unknown(&["key", "policy"], compiler.faults);
    unique.required("key", compiler.faults)?;
    let before = compiler.mentions.len();
    let key = compiler.text_template_of(&unique, "key");
    if compiler.mentions.len() > before {
        compiler.mentions.truncate(before);
        compiler.faults.rule(unique.at("key"), "the key of an execution is made from `input` alone");
    }
    let policy = read_policy(&unique, compiler);
    Some(UniqueSpec { key: key?, policy: policy? })
}

fn read_policy(unique: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<UniquePolicy> {
    if unique.get("policy").is_none() {
        return Some(UniquePolicy::default());
    }
    let text = unique.text("policy", compiler.faults)?;
    let policy = UniquePolicy::parse(text);
    if policy.is_none() {
        let names = UniquePolicy::ALL.map(UniquePolicy::as_str);
        let hint = did_you_mean(text, names);
        compiler.faults.add(unique.at("policy"), format!("expected one of {}{hint}", names.join(", ")));
    }
    policy
}
