//! Take an execution up: from the store's rows to what its owner keeps in memory.

use std::sync::Arc;

use domain::id::ExecutionId;
use domain::queue::QueueName;
use domain::workflow::callback::CallbackBase;
use domain::workflow::definition::Definition;
use domain::workflow::execution::{ExecutionContext, ExecutionState, Outputs};
use domain::workflow::expression::Allowance;
use serde_json::Value;
use store::StoreError;
use store::executions::LoadedExecution;

use crate::engine::Engine;
use crate::error::EngineError;
use crate::executions::own::commit::NodeJobTemplate;
use crate::executions::own::running::{Running, Sizes, is_small};
use crate::executions::why::restore;

/// An execution in the memory of its owner.
pub(super) struct LoadedOwner {
    pub(super) running: Running,
    /// What the jobs of its nodes and its children have in common.
    pub(super) template: NodeJobTemplate,
    /// Whether nothing was ever committed of it.
    pub(super) is_new: bool,
    /// How many steps were committed.
    pub(super) steps: i64,
    /// Whether jobs of its nodes were held until it has a slot.
    pub(super) has_held: bool,
    /// How often in a row an evaluation of its expressions ended with its process.
    pub(super) evaluations_lost: u32,
}

impl Engine {
    /// Builds what the owner keeps in memory.
    pub(super) async fn hydrate(
        &self,
        loaded: LoadedExecution,
        callbacks: CallbackBase,
    ) -> Result<LoadedOwner, EngineError> {
        if let Some(why) = &loaded.closed {
            return Err(EngineError::Store(StoreError::Sealed { table: "execution", why: why.clone() }));
        }
        let (tenant, row) = (&loaded.record.tenant, loaded.record.id.to_string());
        let definition = self.definition_of_execution(tenant, &loaded.definition, &row).await?;
        self.hydrate_with(definition, loaded, callbacks)
    }

    /// The same with the definition, whose text is not looked at.
    pub(super) fn hydrate_with(
        &self,
        definition: Arc<Definition>,
        loaded: LoadedExecution,
        callbacks: CallbackBase,
    ) -> Result<LoadedOwner, EngineError> {
        let LoadedExecution { record, state, step, outputs, has_held, evaluations_lost, .. } = loaded;
        let id = record.id;
        let is_new = state.is_none();
        let state = match state {
            Some(bytes) => restore(&bytes, &definition, id)?,
            None => ExecutionState::new(&definition),
        };
        let context = ExecutionContext {
            id,
            tenant: record.tenant.clone(),
            workflow: record.workflow.name.clone(),
            version: record.version,
            tier: record.tier,
            input: read(&record.input, "execution", "input", id)?,
            created_at: record.created_at,
            depth: record.parent.as_ref().map_or(0, |parent| parent.depth),
            callbacks,
            allowance: Allowance::metered(self.policy().evaluation),
        };
        let mut sizes = Sizes::default();
        let outputs = outputs
            .into_iter()
            .filter(|(node, _)| state.has_output(node))
            .map(|(node, text)| {
                sizes.set(node.clone(), text.len());
                Ok((node, read(&text, "node_result", "output", id)?))
            })
            .collect::<Result<Outputs, EngineError>>()?;
        let is_small = is_small(&definition, record.input.len());
        let defaults = *self.policy().queue(QueueName::Node);
        let template = NodeJobTemplate::new(record, Arc::clone(&definition), defaults);
        Ok(LoadedOwner {
            running: Running { definition, context: Arc::new(context), state, outputs, sizes, is_small },
            template,
            is_new,
            steps: step,
            has_held,
            evaluations_lost,
        })
    }
}

fn read(
    text: &str,
    table: &'static str,
    column: &'static str,
    row: ExecutionId,
) -> Result<Value, EngineError> {
    serde_json::from_str(text).map_err(|_error| corrupt(table, column, row))
}

fn corrupt(table: &'static str, column: &'static str, row: ExecutionId) -> EngineError {
    EngineError::Store(StoreError::Corrupt { table, column, row: row.to_string() })
}
