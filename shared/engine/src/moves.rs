//! Moving the store to another database while the process runs. The process itself makes the move, because it stops and starts
//! engines; requests for it and its progress are kept on a desk that outlives them.

mod ask;

use domain::problem::ProblemCode;
use domain::time::{DurationMs, Timestamp};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::access::SecretText;
use crate::error::EngineError;

/// Where the store is to go.
#[derive(Debug, Clone)]
pub struct MoveRequest {
    /// The address of the PostgreSQL database, with its credentials.
    pub url: SecretText,
    /// The schema of its tables.
    pub schema: String,
}

domain::words! {
    /// How far a move is.
    MovePhase {
        /// Rows are copied, and work goes on.
        Copying "copying",
        /// Work has stopped, and the last changes are copied.
        Finishing "finishing",
        /// The process works on the new database.
        Done "done",
        /// It was given up, and the process works on the old database.
        Failed "failed",
    }
}

impl MovePhase {
    /// Whether the move goes on.
    const fn is_under_way(self) -> bool {
        matches!(self, Self::Copying | Self::Finishing)
    }
}

/// A move, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveView {
    /// Its id, in both databases.
    pub id: Uuid,
    /// How far it is.
    pub phase: MovePhase,
    /// Where the store goes, without credentials.
    pub to: String,
    /// When it was asked for.
    pub started_at: Timestamp,
    /// Rows that the store had when the move began; 0 before they are counted.
    pub rows_total: u64,
    /// Rows that were copied while work went on.
    pub rows_copied: u64,
    /// Rows that were copied while work stood still; absent before.
    pub rows_left: Option<u64>,
    /// How long work stood still; absent before it went on.
    pub paused_for: Option<DurationMs>,
    /// Why it was given up.
    pub error: Option<String>,
}

/// A move that the process is asked to make.
#[derive(Debug)]
pub struct AskedMove {
    /// Its id, in both databases.
    pub id: Uuid,
    /// Where the store is to go.
    pub request: MoveRequest,
    /// Cancelled when the move is to be given up.
    pub abort: CancellationToken,
}

/// Moves that are asked of the process, one at a time, and the progress of the last one.
#[derive(Debug, Default)]
pub struct MoveDesk {
    state: Mutex<DeskState>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct DeskState {
    /// Whether the process can move the store that it works on.
    accepts: bool,
    asked: Option<AskedMove>,
    view: Option<MoveView>,
    abort: CancellationToken,
}

impl MoveDesk {
    /// Says whether the process can move the store that it works on. It cannot until this is called.
    pub fn accept(&self, accepts: bool) {
        self.state.lock().accepts = accepts;
    }

    /// Waits for the next request. Cancelling it loses none.
    pub async fn next(&self) -> AskedMove {
        loop {
            let arrived = self.arrived.notified();
            if let Some(asked) = self.state.lock().asked.take() {
                return asked;
            }
            arrived.await;
        }
    }

    /// Changes what is shown of the move.
    pub fn update(&self, change: impl FnOnce(&mut MoveView)) {
        if let Some(view) = self.state.lock().view.as_mut() {
            change(view);
        }
    }

    /// From here on the move is not given up any more on request. False where that was requested before.
    pub fn begin_finishing(&self) -> bool {
        let mut state = self.state.lock();
        if state.abort.is_cancelled() {
            return false;
        }
        if let Some(view) = state.view.as_mut() {
            view.phase = MovePhase::Finishing;
        }
        true
    }

    /// Shows that the move was given up, and why.
    pub fn fail(&self, reason: String) {
        self.update(|view| {
            view.phase = MovePhase::Failed;
            view.error = Some(reason);
        });
    }

    /// The last move that was asked for.
    pub fn view(&self) -> Option<MoveView> {
        self.state.lock().view.clone()
    }

    /// Takes a request, unless the process cannot move its store or another move is under way.
    fn ask(&self, view: MoveView, request: MoveRequest) -> Result<(), EngineError> {
        let mut state = self.state.lock();
        if !state.accepts {
            return Err(unsupported());
        }
        if state.view.as_ref().is_some_and(|known| known.phase.is_under_way()) {
            return Err(EngineError::Conflict {
                code: ProblemCode::MoveRunning,
                message: "Another move is in progress.".to_owned(),
            });
        }
        state.abort = CancellationToken::new();
        state.asked = Some(AskedMove { id: view.id, request, abort: state.abort.clone() });
        state.view = Some(view);
        self.arrived.notify_one();
        Ok(())
    }

    /// Asks the process to give the move up.
    fn abort(&self) -> Result<MoveView, EngineError> {
        let state = self.state.lock();
        let refused = |code, message: &str| Err(EngineError::Conflict { code, message: message.to_owned() });
        match &state.view {
            Some(view) if view.phase == MovePhase::Copying => {
                state.abort.cancel();
                Ok(view.clone())
            }
            Some(view) if view.phase == MovePhase::Finishing => refused(
                ProblemCode::MoveFinishing,
                "The last changes are being copied; the move is about to end.",
            ),
            _ => refused(ProblemCode::MoveNotRunning, "No move is in progress."),
        }
    }
}

fn unsupported() -> EngineError {
    EngineError::Conflict {
        code: ProblemCode::MoveUnsupported,
        message: "Only a server on a SQLite file can move its database while it is running. Stop all servers, and run `trunkline \
                  move --database-url … --to …`."
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::ask::place;
    use super::*;

    fn view(id: u128) -> MoveView {
        MoveView {
            id: Uuid::from_u128(id),
            phase: MovePhase::Copying,
            to: String::new(),
            started_at: Timestamp(0),
            rows_total: 0,
            rows_copied: 0,
            rows_left: None,
            paused_for: None,
            error: None,
        }
    }

    fn request() -> MoveRequest {
        MoveRequest { url: SecretText::new("postgres://db/t"), schema: "public".to_owned() }
    }

    fn code(refused: EngineError) -> &'static str {
        match refused {
            EngineError::Conflict { code, .. } => code.as_str(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn i11_addresses_are_shown_without_credentials() {
        for (url, shown) in [
            ("postgres://u:p%40ss@db:5432/t?sslmode=require&password=x", "postgres://db:5432/t"),
            ("postgresql://db/t", "postgresql://db/t"),
            ("postgres://u:a@b@db/t", "postgres://db/t"),
            ("postgres://u:a#b@db/t", "postgres://…"),
            ("postgres://u:a?b@db/t", "postgres://…"),
            ("postgres://u:secret", "postgres://…"),
            ("postgres://u:p@[::1]:5432/t", "postgres://[::1]:5432/t"),
        ] {
            assert_eq!(place(url), shown);
        }
    }

    #[tokio::test]
    async fn one_move_is_taken_at_a_time() {
        let desk = MoveDesk::default();
        assert_eq!(code(desk.ask(view(1), request()).unwrap_err()), "move_unsupported");
        desk.accept(true);
        desk.ask(view(1), request()).unwrap();
        assert_eq!(code(desk.ask(view(2), request()).unwrap_err()), "move_running");
        assert_eq!(desk.next().await.id, Uuid::from_u128(1));
        desk.fail("no".to_owned());
        desk.ask(view(3), request()).unwrap();
        assert_eq!(desk.view().map(|view| view.id), Some(Uuid::from_u128(3)));
    }

    #[tokio::test]
    async fn a_move_is_given_up_until_its_last_round() {
        let desk = MoveDesk::default();
        desk.accept(true);
        assert_eq!(code(desk.abort().unwrap_err()), "move_not_running");
        desk.ask(view(1), request()).unwrap();
        let asked = desk.next().await;
        desk.abort().unwrap();
        assert!(asked.abort.is_cancelled() && !desk.begin_finishing());
        desk.fail("no".to_owned());
        desk.ask(view(2), request()).unwrap();
        assert!(!desk.next().await.abort.is_cancelled() && desk.begin_finishing());
        assert_eq!(code(desk.abort().unwrap_err()), "move_finishing");
    }
}
