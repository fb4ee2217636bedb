//! The text of a workflow definition, JSON or YAML. Its content is checked by the engine.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use domain::workflow::parse::Format;

use super::body::{has_media_type, read_body, unsupported, utf8};
use crate::json::{check_syntax, scan};
use crate::problem::{ApiResult, Problem};
use crate::state::ApiState;

/// A definition as it was sent.
#[derive(Debug)]
pub(crate) struct WorkflowBody {
    /// The text, valid UTF-8.
    pub(crate) text: Bytes,
    /// How it is written, by its Content-Type.
    pub(crate) format: Format,
}

impl FromRequest<ApiState> for WorkflowBody {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &ApiState) -> ApiResult<Self> {
        let (parts, body) = request.into_parts();
        let format =
            if has_media_type(&parts.headers, |name| name == "application/json" || name.ends_with("+json")) {
                Format::Json
            } else if has_media_type(&parts.headers, is_yaml) {
                Format::Yaml
            } else {
                return Err(unsupported(
                    "A definition requires Content-Type application/json or application/yaml.",
                ));
            };
        let text = read_body(state, &parts, body, usize::MAX).await?;
        let checked = utf8(&text)?;
        if format == Format::Json {
            scan(checked, state.options.json_depth_max).map_err(|fault| Problem::invalid(vec![fault]))?;
            check_syntax(checked)?;
        }
        Ok(Self { text, format })
    }
}

fn is_yaml(name: &str) -> bool {
    matches!(name, "application/yaml" | "application/x-yaml" | "text/yaml" | "text/x-yaml")
        || name.ends_with("+yaml")
}
