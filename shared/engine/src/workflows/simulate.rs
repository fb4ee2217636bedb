//! Run a definition on paper, with the results that the caller gives. Nothing is stored.

use std::sync::Arc;

use domain::access::Action;
use domain::error::Fault;
use domain::names::{TenantName, WorkflowName};
use domain::time::Timestamp;
use domain::workflow::definition::Definition;
use domain::workflow::execution::ExecutionContext;
use domain::workflow::expression::Allowance;
use domain::workflow::parse::{Format, parse};
use domain::workflow::simulate::{Script, Simulated, simulate};
use serde_json::Value;

use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

/// A simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationRequest {
    /// What is run.
    pub source: SimulatedWorkflow,
    /// The input as raw JSON text, known to be well formed.
    pub input: String,
    /// What handlers, people and the world answer.
    pub script: Script,
    /// When it starts; now where absent.
    pub now: Option<Timestamp>,
    /// Whose workflow it is, and whose share of evaluation it takes; the key's own or `default` where absent.
    pub tenant: Option<TenantName>,
}

/// What a simulation runs.
#[derive(Debug, Clone, PartialEq)]
pub enum SimulatedWorkflow {
    /// A definition that need not be registered.
    Text {
        /// Its text.
        text: String,
        /// How it is written.
        format: Format,
    },
    /// A registered version; the latest where absent.
    Registered {
        /// The workflow's name.
        workflow: WorkflowName,
        /// Its version.
        version: Option<u32>,
    },
}

/// What a simulation ran, and what became of it.
#[derive(Debug)]
pub struct Simulation {
    /// The definition.
    pub definition: Arc<Definition>,
    /// What became of it.
    pub simulated: Simulated,
}

/// Frees the thread of a simulation at its next event, or the next step of an expression, where nobody waits for it any more:
/// after the deadline, or when the caller has hung up.
struct StopsWithCall(Allowance);

impl Drop for StopsWithCall {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Engine {
    /// Runs a definition from its start to its end, or to the first thing that nobody gave a result for.
    pub async fn simulate_workflow(
        &self,
        caller: &Caller,
        request: SimulationRequest,
    ) -> Result<Simulation, EngineError> {
        caller.require_action(Action::WorkflowsSimulate)?;
        if !caller.shows_payloads() {
            return Err(EngineError::Forbidden { reason: "Requires an API key that shows payloads." });
        }
        let SimulationRequest { source, input, script, now, tenant } = request;
        let tenant = caller.tenant_or_default(tenant)?;
        let mut faults = Faults::default();
        faults.json("/input", &input, self.policy().payload_bytes_max);
        faults.check()?;
        let definition = self.simulated_definition(&tenant, source).await?;
        let mut faults = self.input_faults_of_simulation(&tenant, &input, &definition).await?;
        faults.extend(script.faults(&definition));
        if !faults.is_empty() {
            return Err(EngineError::Invalid(faults));
        }
        let input: Value = serde_json::from_str(&input)
            .map_err(|error| EngineError::Invalid(vec![Fault::new("/input", error.to_string())]))?;
        let now = now.unwrap_or_else(|| self.now());
        let allowance = Allowance::metered(self.policy().evaluation);
        let context =
            ExecutionContext::of_simulation(&definition, tenant.clone(), input, now, allowance.clone());
        let shared = Arc::clone(&definition);
        let _stopped_with_the_call = StopsWithCall(allowance);
        let run = self.workbench().simulate(&tenant, move || simulate(&shared, &context, script, now));
        let simulated =
            run.await?.map_err(|error| EngineError::Invalid(vec![Fault::new("", error.to_string())]))?;
        Ok(Simulation { definition, simulated })
    }

    async fn simulated_definition(
        &self,
        tenant: &TenantName,
        source: SimulatedWorkflow,
    ) -> Result<Arc<Definition>, EngineError> {
        match source {
            SimulatedWorkflow::Text { text, format } => {
                let limits = self.policy().definition_limits;
                let parsed =
                    self.workbench().simulate(tenant, move || parse(text.as_bytes(), format, &limits));
                let under =
                    |faults: Vec<Fault>| faults.into_iter().map(|fault| fault.under("/definition")).collect();
                let parsed = parsed.await?.map_err(|faults| EngineError::Invalid(under(faults)))?;
                Ok(Arc::new(parsed.definition))
            }
            SimulatedWorkflow::Registered { workflow, version } => {
                let version = self.known_workflow(Some(tenant), &workflow, version).await?;
                let row = format!("{}@{}", version.workflow.name, version.version);
                self.definition(Some(tenant), &version.content, &row).await
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::workflow::expression::EvaluationLimits;

    use super::*;

    #[tokio::test]
    async fn a_simulation_whose_caller_hangs_up_is_stopped() {
        let allowance = Allowance::metered(EvaluationLimits::default());
        let stopped = StopsWithCall(allowance.clone());
        let call = async move {
            let _stopped = stopped;
            std::future::pending::<()>().await;
        };
        assert!(tokio::time::timeout(std::time::Duration::ZERO, call).await.is_err());
        assert!(allowance.is_stopped());
    }
}
