//! `SERVICE_TASK`, `HTTP` and `TRANSFORM`.

use crate::names::JobType;
use crate::workflow::definition::NodeKind;
use crate::workflow::execution::JOB_TYPE_RESERVED_PREFIX;
use crate::workflow::parse::expressions::Compiler;
use crate::workflow::parse::fields::{Faults, Fields};
use crate::workflow::parse::kinds::request::{read_expect, read_request};

/// Reads a `SERVICE_TASK`.
pub(super) fn read_service_task(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<NodeKind> {
    let job_type = read_job_type(node, compiler.faults);
    let input = compiler.template_of(node, "input");
    Some(NodeKind::ServiceTask { job_type: job_type?, input })
}

/// Reads an `HTTP` node.
pub(super) fn read_http(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<NodeKind> {
    let request = read_request(node, compiler);
    let expect = read_expect(node, compiler);
    let (request, sealed) = request?;
    Some(NodeKind::Http { request, sealed, expect: expect? })
}

/// Reads a `TRANSFORM`.
pub(super) fn read_transform(node: &Fields<'_>, compiler: &mut Compiler<'_>) -> Option<NodeKind> {
    node.required("output", compiler.faults)?;
    Some(NodeKind::Transform { output: compiler.template_of(node, "output")? })
}

fn read_job_type(node: &Fields<'_>, faults: &mut Faults) -> Option<JobType> {
    node.required("jobType", faults)?;
    let text = node.text("jobType", faults)?;
    if text.starts_with(JOB_TYPE_RESERVED_PREFIX) && !faults.is_stored() {
        faults.add(
            node.at("jobType"),
            format!("job types that start with `{JOB_TYPE_RESERVED_PREFIX}` are reserved"),
        );
        return None;
    }
    JobType::parse(text).map_err(|fault| faults.add(node.at("jobType"), fault.to_string())).ok()
}
