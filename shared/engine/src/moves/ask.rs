//! Asking for a move to another database, and following it.

use std::sync::Arc;

use domain::access::Action;
use domain::error::Fault;
use serde_json::json;

use super::{MoveDesk, MovePhase, MoveRequest, MoveView, unsupported};
use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// The longest address of a database, in bytes.
const URL_BYTES_MAX: usize = 2_048;

/// The longest name of a schema of PostgreSQL, in bytes.
const SCHEMA_BYTES_MAX: usize = 63;

impl Engine {
    /// Moves are asked for at this desk from now on. Only the first one counts.
    pub fn set_move_desk(&self, desk: Arc<MoveDesk>) {
        let _ = self.memory().move_desk.set(desk);
    }

    /// Asks the process to move its store. It works on meanwhile, but for a moment at the end.
    pub async fn start_move(&self, caller: &Caller, request: MoveRequest) -> Result<MoveView, EngineError> {
        caller.require_action(Action::MovesStart)?;
        caller.require_unscoped()?;
        check(&request)?;
        let desk = self.memory().move_desk.get().ok_or_else(unsupported)?;
        let to = place(request.url.reveal());
        let now = self.now();
        let view = MoveView {
            id: self.entropy().uuid(now),
            phase: MovePhase::Copying,
            to: to.clone(),
            started_at: now,
            rows_total: 0,
            rows_copied: 0,
            rows_left: None,
            paused_for: None,
            error: None,
        };
        desk.ask(view.clone(), request)?;
        self.audit(caller, AuditedAction::new("store.move", "database").with(json!({ "to": to }))).await;
        Ok(view)
    }

    /// Asks the process to give the move up that is under way. It may end before the process comes to that.
    pub async fn abort_move(&self, caller: &Caller) -> Result<MoveView, EngineError> {
        caller.require_action(Action::MovesStart)?;
        caller.require_unscoped()?;
        let view = self.memory().move_desk.get().ok_or_else(unsupported)?.abort()?;
        let audited = AuditedAction::new("store.move_abort", "database").with(json!({ "to": view.to }));
        self.audit(caller, audited).await;
        Ok(view)
    }

    /// The last move that this process was asked for.
    pub fn last_move(&self, caller: &Caller) -> Result<MoveView, EngineError> {
        caller.require_action(Action::MovesRead)?;
        caller.require_unscoped()?;
        let view = self.memory().move_desk.get().and_then(|desk| desk.view());
        view.ok_or_else(|| EngineError::NotFound { what: "move", id: "last".to_owned() })
    }
}

fn check(request: &MoveRequest) -> Result<(), EngineError> {
    let url = request.url.reveal();
    let is_postgres = url.starts_with("postgres://") || url.starts_with("postgresql://");
    let mut faults = Vec::new();
    if !is_postgres || url.len() > URL_BYTES_MAX || url.contains('\0') {
        faults.push(Fault::new("/to", "must be the address of a PostgreSQL database: postgres://…"));
    }
    if request.schema.is_empty() || request.schema.len() > SCHEMA_BYTES_MAX || request.schema.contains('\0') {
        faults.push(Fault::new("/schema", "must be the name of a schema, of 1 to 63 bytes"));
    }
    if faults.is_empty() { Ok(()) } else { Err(EngineError::Invalid(faults)) }
}

/// An address without user, password and parameters. Nothing of one in which a password may stand where none belongs: before
/// a `?` or `#` that was not escaped, or in the place of a port.
pub(super) fn place(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    let (place, parameters) = rest.find(['?', '#']).map_or((rest, ""), |at| rest.split_at(at));
    let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
    let host = place.split('/').next().unwrap_or_default();
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let has_port = host.ends_with(']') || host.rsplit_once(':').is_none_or(|(_, port)| is_port(port));
    if has_port && !parameters.contains('@') {
        format!("{scheme}://{place}")
    } else {
        format!("{scheme}://…")
    }
}
