//! Callback addresses of `WAIT_WEBHOOK` nodes: what they are made of, and what a request to one does.
//!
//! An address is its own permission: its token is a MAC that nobody can guess, and it is checked before anything is
//! read. Whoever sends a request has no key and learns nothing but whether it was taken.

use std::sync::Arc;

use domain::access::TenantScope;
use domain::id::{CommandId, ExecutionId};
use domain::names::{CallerKey, NodeId};
use domain::problem::ProblemCode;
use domain::workflow::callback::{CallbackBase, is_callback_token};
use domain::workflow::definition::{Definition, NodeKind};
use domain::workflow::execution::{ExecutionState, NodeState, Wait};
use store::executions::{ExecutionDetail, InboxEntry};

use super::commands::refused;
use crate::audit::AuditedAction;
use crate::caller::{Caller, Origin};
use crate::engine::Engine;
use crate::error::EngineError;

/// The name of the cluster's key for callback addresses.
const KEY_NAME: &str = "callbacks";

impl Engine {
    /// Fails where this is no callback address: before the body of a request is read. Reads nothing itself.
    pub async fn check_callback(
        &self,
        id: ExecutionId,
        node: &NodeId,
        token: &str,
    ) -> Result<(), EngineError> {
        if is_callback_token(&self.callback_base().await?, id, node, token) {
            return Ok(());
        }
        Err(unknown(node))
    }

    /// Takes a request to a callback address. `payload` is raw JSON text that is known to be well formed; faults point
    /// below `/body`. Needs no caller: the token is the permission. Answers the command's position.
    pub async fn callback(
        &self,
        id: ExecutionId,
        node: &NodeId,
        token: &str,
        payload: String,
    ) -> Result<i64, EngineError> {
        self.callback_from((Origin::default(), None), (id, node), token, payload).await
    }

    /// The same, with where the request comes from, for the audit log, and its idempotency key, under which a repeat answers
    /// the first position.
    pub async fn callback_from(
        &self,
        (origin, key): (Origin, Option<&CallerKey>),
        (id, node): (ExecutionId, &NodeId),
        token: &str,
        payload: String,
    ) -> Result<i64, EngineError> {
        self.check_callback(id, node, token).await?;
        self.read_payload("/body", &payload)?;
        let detail =
            self.store().execution_head(&TenantScope::All, id).await?.ok_or_else(|| unknown(node))?;
        let definition =
            self.definition(Some(&detail.record.tenant), &detail.definition, &id.to_string()).await?;
        if !matches!(definition.node(node).map(|node| &node.kind), Some(NodeKind::WaitWebhook)) {
            return Err(unknown(node));
        }
        let state = node_state(&detail, &definition, node);
        let refusal = refusal(&detail, node, state.as_ref());
        // A request that is sent twice while the node waits is not taken for its next round.
        let waiting = state.filter(|state| state.wait == Some(Wait::Callback));
        let round = waiting.map(|state| state.round);
        let entry = InboxEntry::Callback { node_id: node.clone(), round, payload };
        let caller = caller_of((origin, key), id, node);
        if let Some(refusal) = refusal {
            return self.appended_before(&caller, id, &entry, refusal).await;
        }
        let subject = format!("{id}/{node}");
        let audited = AuditedAction::new("execution.callback", &subject).of(Some(detail.record.tenant));
        self.append(&caller, id, &entry, audited).await
    }

    /// What callback addresses are made of.
    pub(super) async fn callback_base(&self) -> Result<CallbackBase, EngineError> {
        let key = self.memory().callback_key.get_or_try_init(|| async {
            self.store().server_key(KEY_NAME, self.entropy().secret(), self.now()).await
        });
        Ok(CallbackBase { url: self.policy().public_url.clone(), key: *key.await? })
    }
}

/// Who sends a request: nobody that is known. A repeat makes the same command.
fn caller_of((origin, key): (Origin, Option<&CallerKey>), id: ExecutionId, node: &NodeId) -> Caller {
    let seed = key.map(|key| CommandId::derive(id.uuid(), &["callback", node.as_str(), key.as_str()]).uuid());
    Caller { actor: "callback".to_owned(), origin: Some(Arc::new(origin)), seed, ..Caller::system() }
}

/// Why no request is taken any more, as far as that is certain.
fn refusal(detail: &ExecutionDetail, node: &NodeId, state: Option<&NodeState>) -> Option<EngineError> {
    if detail.record.status.is_terminal() {
        return Some(refused(ProblemCode::ExecutionFinished, detail.record.status, "called back"));
    }
    let message = format!("The node {node} no longer waits for a callback.");
    let is_settled = state.is_some_and(|state| state.status.is_settled());
    is_settled.then_some(EngineError::Conflict { code: ProblemCode::NodeSettled, message })
}

fn unknown(node: &NodeId) -> EngineError {
    EngineError::not_found("callback", node)
}

/// Where a node was with the last commit. The owner decides in the end; this answers what is certain already.
fn node_state(detail: &ExecutionDetail, definition: &Definition, node: &NodeId) -> Option<NodeState> {
    let state = detail.state.as_deref().and_then(|bytes| ExecutionState::restore(bytes, definition).ok());
    state.and_then(|mut state| state.nodes.remove(node))
}
