//! Calls of executions. Generated from services/api/openapi.json by sdks/codegen/generate.py.

use serde::Serialize;

use super::Calls;
use crate::error::ClientError;
use crate::json::Json;
use crate::models::{
    BatchResultCreatedExecution, BatchResults, BulkCancelRequest, BulkOperationRequest, BulkRerunRequest,
    CancelRequest, CommandAccepted, CreatedExecution, Execution, ExecutionBatch, ExecutionRequest,
    ExecutionState, Node, Page, RerunRequest, SignalRequest, StoredLogLine, TimelineEvent,
};
use crate::transport::{Request, segment};

impl Calls {
    /// List executions, newest first.
    /// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_executions(&self, query: &ListExecutionsQuery) -> Result<Page<Execution>, ClientError> {
        self.call(Request::new("listExecutions", "GET", "/v1/executions").query(query)?).await
    }

    /// Start an execution.
    /// A 202 means that the execution is stored durably. With `wait`, the response is 200 with the ended execution, or 202
    /// when the timeout expires.
    ///
    /// Action `executions.start`: requires role `admin`, `operator` or `client`.
    pub async fn start_execution(
        &self,
        body: &ExecutionRequest,
        query: &StartExecutionQuery,
    ) -> Result<Json, ClientError> {
        self.call(Request::new("startExecution", "POST", "/v1/executions").keyed().query(query)?.body(body)?)
            .await
    }

    /// Start many executions in one commit.
    /// Atomic, unless `partial` is true: then valid executions are accepted and each invalid one has its error in the
    /// results.
    ///
    /// Action `executions.start`: requires role `admin`, `operator` or `client`.
    pub async fn start_executions(
        &self,
        body: &ExecutionBatch,
    ) -> Result<BatchResults<BatchResultCreatedExecution>, ClientError> {
        self.call(Request::new("startExecutions", "POST", "/v1/executions/batch").keyed().body(body)?).await
    }

    /// Cancel many executions.
    /// Action `executions.cancel`: requires role `admin`, `operator` or `client`.
    pub async fn cancel_executions(&self, body: &BulkCancelRequest) -> Result<Json, ClientError> {
        self.call(Request::new("cancelExecutions", "POST", "/v1/executions/cancel").keyed().body(body)?).await
    }

    /// Rerun many ended executions from a node.
    /// Action `executions.rerun`: requires role `admin`, `operator` or `client`.
    pub async fn rerun_executions(&self, body: &BulkRerunRequest) -> Result<Json, ClientError> {
        self.call(Request::new("rerunExecutions", "POST", "/v1/executions/rerun").keyed().body(body)?).await
    }

    /// Retry many failed executions from their failed nodes.
    /// Action `executions.retry`: requires role `admin`, `operator` or `client`.
    pub async fn retry_executions(&self, body: &BulkOperationRequest) -> Result<Json, ClientError> {
        self.call(Request::new("retryExecutions", "POST", "/v1/executions/retry").keyed().body(body)?).await
    }

    /// Show an execution.
    /// With `wait`, the response is delayed until the execution ends or the timeout expires.
    ///
    /// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_execution(&self, id: &str, query: &GetExecutionQuery) -> Result<Execution, ClientError> {
        self.call(
            Request::new("getExecution", "GET", format!("/v1/executions/{}", segment(id))).query(query)?,
        )
        .await
    }

    /// Cancel an execution.
    /// With `compensate`, completed nodes are compensated first, in reverse order.
    ///
    /// Action `executions.cancel`: requires role `admin`, `operator` or `client`.
    pub async fn cancel_execution(
        &self,
        id: &str,
        body: &CancelRequest,
    ) -> Result<CommandAccepted, ClientError> {
        self.call(
            Request::new("cancelExecution", "POST", format!("/v1/executions/{}/cancel", segment(id)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// Show the timeline of an execution, oldest first.
    /// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_timeline(
        &self,
        id: &str,
        query: &ListTimelineQuery,
    ) -> Result<Page<TimelineEvent>, ClientError> {
        self.call(
            Request::new("listTimeline", "GET", format!("/v1/executions/{}/events", segment(id)))
                .query(query)?,
        )
        .await
    }

    /// Get the input of an execution.
    /// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_execution_input(&self, id: &str) -> Result<Json, ClientError> {
        self.call(Request::new("getExecutionInput", "GET", format!("/v1/executions/{}/input", segment(id))))
            .await
    }

    /// List the log lines of an execution.
    /// Returns the lines of all nodes in order of time. A page may be short or empty and still have a `nextCursor` if few
    /// lines have the level.
    ///
    /// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_execution_logs(
        &self,
        id: &str,
        query: &ListExecutionLogsQuery,
    ) -> Result<Page<StoredLogLine>, ClientError> {
        self.call(
            Request::new("listExecutionLogs", "GET", format!("/v1/executions/{}/logs", segment(id)))
                .query(query)?,
        )
        .await
    }

    /// List the nodes of an execution, in definition order.
    /// A compensation that has started is listed after its node, as `charge:compensate`.
    ///
    /// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_nodes(&self, id: &str, query: &ListNodesQuery) -> Result<Page<Node>, ClientError> {
        self.call(
            Request::new("listNodes", "GET", format!("/v1/executions/{}/nodes", segment(id))).query(query)?,
        )
        .await
    }

    /// Show a node of an execution.
    /// Items of a `MAP` are addressed as `notify\[17\]`: items that are listed with their node, and all items that have
    /// settled.
    ///
    /// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_node(&self, id: &str, node_id: &str, query: &GetNodeQuery) -> Result<Node, ClientError> {
        self.call(
            Request::new(
                "getNode",
                "GET",
                format!("/v1/executions/{}/nodes/{}", segment(id), segment(node_id)),
            )
            .query(query)?,
        )
        .await
    }

    /// Get the input of a node.
    /// Items of a `MAP` are addressed as `notify\[17\]`: items that are listed with their node, and all items that have
    /// settled.
    ///
    /// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_node_input(&self, id: &str, node_id: &str) -> Result<Json, ClientError> {
        self.call(Request::new(
            "getNodeInput",
            "GET",
            format!("/v1/executions/{}/nodes/{}/input", segment(id), segment(node_id)),
        ))
        .await
    }

    /// List the settled items of a MAP node, in the order in which they settled.
    /// A page may be short or empty and still have a `nextCursor`, because a call reads a bounded number of results. An
    /// item that ran again is listed again; the later entry is the current one. The input of an item that ran as a job is
    /// stored with the job. Items in progress are listed with the nodes.
    ///
    /// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_node_items(
        &self,
        id: &str,
        node_id: &str,
        query: &ListNodeItemsQuery,
    ) -> Result<Page<Node>, ClientError> {
        self.call(
            Request::new(
                "listNodeItems",
                "GET",
                format!("/v1/executions/{}/nodes/{}/items", segment(id), segment(node_id)),
            )
            .query(query)?,
        )
        .await
    }

    /// Get the output of a node.
    /// Items of a `MAP` are addressed as `notify\[17\]`: items that are listed with their node, and all items that have
    /// settled.
    ///
    /// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_node_output(&self, id: &str, node_id: &str) -> Result<Json, ClientError> {
        self.call(Request::new(
            "getNodeOutput",
            "GET",
            format!("/v1/executions/{}/nodes/{}/output", segment(id), segment(node_id)),
        ))
        .await
    }

    /// Get the output of an execution.
    /// `null` until it completes.
    ///
    /// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn get_execution_output(&self, id: &str) -> Result<Json, ClientError> {
        self.call(Request::new("getExecutionOutput", "GET", format!("/v1/executions/{}/output", segment(id))))
            .await
    }

    /// Rerun an execution from a node.
    /// Starts a new execution of the same version. Results of nodes that do not follow the given node are reused;
    /// those nodes do not run again. A failed rerun compensates its own nodes, and the reused ones
    /// only with `compensateOriginal`.
    ///
    /// Action `executions.rerun`: requires role `admin`, `operator` or `client`.
    pub async fn rerun_execution(
        &self,
        id: &str,
        body: &RerunRequest,
    ) -> Result<CreatedExecution, ClientError> {
        self.call(
            Request::new("rerunExecution", "POST", format!("/v1/executions/{}/rerun", segment(id)))
                .keyed()
                .body(body)?,
        )
        .await
    }

    /// Retry a failed execution from its failed nodes.
    /// Action `executions.retry`: requires role `admin`, `operator` or `client`.
    pub async fn retry_execution(&self, id: &str) -> Result<CommandAccepted, ClientError> {
        self.call(
            Request::new("retryExecution", "POST", format!("/v1/executions/{}/retry", segment(id))).keyed(),
        )
        .await
    }

    /// Send a signal to an execution.
    /// The first node that waits for this signal name receives it. Earlier signals are buffered, at most 1,000 per
    /// execution.
    ///
    /// Action `executions.signal`: requires role `admin`, `operator` or `client`.
    pub async fn signal_execution(
        &self,
        id: &str,
        name: &str,
        body: &SignalRequest,
    ) -> Result<CommandAccepted, ClientError> {
        self.call(
            Request::new(
                "signalExecution",
                "POST",
                format!("/v1/executions/{}/signals/{}", segment(id), segment(name)),
            )
            .keyed()
            .body(body)?,
        )
        .await
    }

    /// List the states of a finished execution, oldest first.
    /// Returns one state for each timeline entry: the status of the execution and its nodes after that entry. Parked
    /// executions are shown as RUNNING. Covers the first 50,000 entries. Requires a key that shows payloads.
    ///
    /// Action `executions.read`: requires role `admin`, `operator`, `client` or `viewer`.
    pub async fn list_states(
        &self,
        id: &str,
        query: &ListStatesQuery,
    ) -> Result<Page<ExecutionState>, ClientError> {
        self.call(
            Request::new("listStates", "GET", format!("/v1/executions/{}/states", segment(id)))
                .query(query)?,
        )
        .await
    }
}

/// The query of [`Calls::list_executions`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListExecutionsQuery {
    /// Exact match. Several values are separated by commas.
    pub workflow: Option<String>,
    /// Integer.
    pub version: Option<String>,
    /// One of PENDING, RUNNING, WAITING, COMPLETED, FAILED, CANCELLED, COMPENSATING. Several values are separated by commas.
    pub status: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub tenant: Option<String>,
    /// One of high, normal, low. Several values are separated by commas.
    pub priority: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub tag: Option<String>,
    /// One of user, schedule, webhook, event, parent. Several values are separated by commas.
    pub trigger: Option<String>,
    /// Exact match. Several values are separated by commas.
    pub fingerprint: Option<String>,
    /// Exact match.
    pub correlation_id: Option<String>,
    /// Exact match.
    pub unique_key: Option<String>,
    /// ID: `exe_` and 32 hexadecimal digits.
    pub parent: Option<String>,
    /// ID: `sch_` and 32 hexadecimal digits.
    pub schedule_id: Option<String>,
    /// ID: `whk_` and 32 hexadecimal digits.
    pub webhook_id: Option<String>,
    /// ID: `dlv_` and 32 hexadecimal digits.
    pub delivery_id: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub created_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub created_before: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub started_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub started_before: Option<String>,
    /// At or after this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub completed_after: Option<String>,
    /// Before this instant: RFC 3339, a date, `now`, or relative to now such as `now-15m`.
    pub completed_before: Option<String>,
    /// Same as `createdAfter`.
    pub from: Option<String>,
    /// Same as `createdBefore`.
    pub to: Option<String>,
    /// Search query, at most 2000 characters. See the search documentation.
    pub q: Option<String>,
    /// Instant to sort by: created, started, completed (default `created`).
    pub sort: Option<String>,
    /// `asc` or `desc` (default `desc`).
    pub order: Option<String>,
    /// Whether to count the matches, up to 10,000.
    pub count: Option<bool>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

/// The query of [`Calls::start_execution`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StartExecutionQuery {
    /// Whether to delay the response until the end or the timeout.
    pub wait: Option<bool>,
    /// Timeout of `wait`, up to 60 s (default 30 s).
    pub timeout: Option<String>,
}

/// The query of [`Calls::get_execution`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetExecutionQuery {
    /// Whether to delay the response until the end or the timeout.
    pub wait: Option<bool>,
    /// Timeout of `wait`, up to 60 s (default 30 s).
    pub timeout: Option<String>,
    /// Maximum payload size in bytes. Larger payloads are null and listed in `omitted` with their path (default: no
    /// maximum).
    pub max_payload: Option<i32>,
}

/// The query of [`Calls::list_timeline`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListTimelineQuery {
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

/// The query of [`Calls::list_execution_logs`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListExecutionLogsQuery {
    /// Lowest level.
    pub level: Option<String>,
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}

/// The query of [`Calls::list_nodes`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListNodesQuery {
    /// Whether each `MAP` node is followed by its items, at most 1,000 of them, running and failed
    /// items first.
    pub items: Option<bool>,
    /// Maximum payload size in bytes. Larger payloads are null and listed in `omitted` with their path (default: no
    /// maximum).
    pub max_payload: Option<i32>,
}

/// The query of [`Calls::get_node`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetNodeQuery {
    /// Maximum payload size in bytes. Larger payloads are null and listed in `omitted` with their path (default: no
    /// maximum).
    pub max_payload: Option<i32>,
}

/// The query of [`Calls::list_node_items`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListNodeItemsQuery {
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
    /// Maximum payload size in bytes. Larger payloads are null and listed in `omitted` with their path (default: no
    /// maximum).
    pub max_payload: Option<i32>,
}

/// The query of [`Calls::list_states`]; fields that are absent are not sent.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListStatesQuery {
    /// Page size, 1 to 500 (default 50).
    pub limit: Option<i32>,
    /// The `nextCursor` of the previous page.
    pub cursor: Option<String>,
}
