//! Queues: figures, modes, limits.

mod key_rates;
mod limits;
mod modes;
mod own_limits;
mod scaling;

use std::sync::Arc;

use domain::access::{Action, Permission, Subject};
use domain::queue::QueueName;
use store::queues::{QueueFigures, QueueMode};
use store::wakeup::Hint;

use crate::audit::AuditedAction;
use crate::caller::Caller;
use crate::engine::{Engine, read_beside};
use crate::error::EngineError;
use modes::mode_of;

pub use key_rates::KeyRateRequest;
pub use limits::{LimitEdit, LimitEdits, LimitLine, LimitPart, LimitTarget, RateEdit};
pub(crate) use modes::{LoadCache, ModeCache};
pub use own_limits::OwnLimit;
pub use scaling::ScalingView;
// The figures of a queue.

impl Engine {
    /// The figures of a queue, as far as the caller sees its jobs.
    pub async fn queue_figures(
        &self,
        caller: &Caller,
        queue: QueueName,
    ) -> Result<QueueFigures, EngineError> {
        caller.require(Permission::Read)?;
        Ok(self.store().queue_figures(&caller.scope, queue, self.now()).await?)
    }
}

// Pause, resume and drain queues.

impl Engine {
    /// Changes whether a queue's jobs are leased and whether it accepts new ones. A claim that starts afterwards sees
    /// it; on other nodes callers may enqueue into a draining queue for up to a second.
    pub async fn set_queue_mode(
        &self,
        caller: &Caller,
        queue: QueueName,
        mode: QueueMode,
    ) -> Result<(), EngineError> {
        let subject = Subject { queue: Some(queue.as_str()), ..Subject::default() };
        caller.require_on(Action::QueuesOperate, &subject)?;
        caller.require_unscoped()?;
        let action = match mode {
            QueueMode::Running => "queue.resume",
            QueueMode::Paused => "queue.pause",
            QueueMode::Draining => "queue.drain",
        };
        let before = mode_of(&self.store().queue_modes().await?, queue);
        let changed = |mode: QueueMode| serde_json::json!({ "mode": mode.as_str() });
        let audited = AuditedAction::new(action, &queue).changing(changed(before), changed(mode));
        let mut recording = self.recording(caller, audited);
        recording.of(self.store().set_queue_mode(queue, mode, self.now())).await?;
        self.memory().modes.clear();
        self.wake(&[Hint::Settings, Hint::Queue(queue)]);
        self.recorded(recording).await;
        Ok(())
    }

    /// A queue's mode, at most a second old.
    pub(crate) async fn queue_mode(&self, queue: QueueName) -> Result<QueueMode, EngineError> {
        if let Some(known) = self.memory().modes.0.get(self.now()) {
            if known.is_old {
                let engine = self.clone();
                read_beside("modes", async move { engine.read_modes().await.map(drop) });
            }
            return Ok(mode_of(&known.value, queue));
        }
        Ok(mode_of(&self.read_modes().await?, queue))
    }

    async fn read_modes(&self) -> Result<Arc<Vec<(QueueName, QueueMode)>>, EngineError> {
        let reading = self.memory().modes.0.begin_reading(self.now());
        let modes = Arc::new(self.store().queue_modes().await?);
        self.memory().modes.0.keep(Arc::clone(&modes), reading);
        Ok(modes)
    }
}
