//! Job types that are pinned to builds of workers: by operators, and by workers as they begin.

mod pinned;

use domain::access::{Action, Permission, Subject};
use domain::build::{BUILDS_MAX, BuildPin, PINS_MAX, PinSource, pins_of_tenant_max};
use domain::names::{CallerKey, JobType, TenantName};
use domain::problem::ProblemCode;
use domain::queue::QueueName;
use serde_json::json;
use store::builds::WorkerPins;
use store::wakeup::Hint;

use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::jobs::PollRequest;

pub(crate) use pinned::{PinnedBy, check_builds};

impl Engine {
    /// The pins that the caller sees: those of all tenants, and those of its own.
    pub async fn build_pins(
        &self,
        caller: &Caller,
        tenant: Option<TenantName>,
    ) -> Result<Vec<BuildPin>, EngineError> {
        caller.require(Permission::Read)?;
        caller.require_action(Action::BuildsRead)?;
        let caller = caller.within(tenant)?;
        let mut pins = self.store().build_pins().await?;
        pins.retain(|pin| pin.tenant.as_ref().is_none_or(|tenant| caller.scope.allows(tenant)));
        Ok(pins)
    }

    /// Pins a job type to builds, whoever pinned it before. A claim that starts afterwards obeys it; jobs that are leased stay
    /// where they are.
    ///
    /// # Errors
    /// `Invalid` for no builds, more than [`BUILDS_MAX`], or a job type of our own; `Forbidden` for a pin of all tenants by a key
    /// that is bound to one.
    pub async fn pin_builds(
        &self,
        caller: &Caller,
        tenant: Option<TenantName>,
        job_type: JobType,
        mut builds: Vec<CallerKey>,
    ) -> Result<BuildPin, EngineError> {
        let tenant = may_pin(caller, tenant, &job_type)?;
        let mut faults = Faults::default();
        faults.job_type("/jobType", &job_type);
        builds.sort();
        builds.dedup();
        if builds.is_empty() || builds.len() > BUILDS_MAX {
            faults.add("/builds", format!("expected 1 to {BUILDS_MAX} builds"));
        }
        faults.check()?;
        let pin = BuildPin { tenant, job_type, builds, source: PinSource::Operator, since: self.now() };
        let before = self.known_pin(pin.tenant.as_ref(), &pin.job_type).await?;
        let shown = |pin: &BuildPin| json!({ "builds": pin.builds });
        let audited = audited("builds.pin", pin.tenant.as_ref(), &pin.job_type)
            .changing(before.as_ref().map_or(json!(null), shown), shown(&pin));
        let mut recording = self.recording(caller, audited);
        if !recording.of(self.store().set_build_pin(&pin, PINS_MAX)).await? {
            return Err(EngineError::Conflict {
                code: ProblemCode::TooManyPins,
                message: format!(
                    "At most {PINS_MAX} job types can be pinned to builds, {} of them by one tenant; unpin some that are not used.",
                    pins_of_tenant_max(PINS_MAX)
                ),
            });
        }
        self.pins_changed();
        self.recorded(recording).await;
        Ok(pin)
    }

    /// Lets any worker take the jobs of a type again, until one that begins later pins it.
    ///
    /// # Errors
    /// `NotFound` where it is not pinned.
    pub async fn unpin_builds(
        &self,
        caller: &Caller,
        tenant: Option<TenantName>,
        job_type: &JobType,
    ) -> Result<(), EngineError> {
        let tenant = may_pin(caller, tenant, job_type)?;
        let absent = || EngineError::not_found("pin of the job type", job_type.as_str());
        let known = self.known_pin(tenant.as_ref(), job_type).await?.ok_or_else(absent)?;
        let audited = audited("builds.unpin", tenant.as_ref(), job_type)
            .changing(json!({ "builds": known.builds }), json!(null));
        let mut recording = self.recording(caller, audited);
        if !recording.of(self.store().remove_build_pin(tenant.as_ref(), job_type, self.now())).await? {
            return Err(absent());
        }
        self.pins_changed();
        self.recorded(recording).await;
        Ok(())
    }

    /// Pins the job types of a worker that asks for it with its first poll. Those that an operator pinned stay as they are, and so do
    /// those that a worker pinned which began later: a worker of an earlier build that is still there changes nothing.
    pub(crate) async fn pin_as_asked(
        &self,
        caller: &Caller,
        request: &PollRequest,
        tenant: Option<&TenantName>,
    ) -> Result<(), EngineError> {
        let Some(build) = request.build.as_ref().filter(|_| !request.builds.is_empty()) else {
            return Ok(());
        };
        if self.memory().pinned_by.knows(tenant, request) {
            return Ok(());
        }
        let mut builds = request.builds.clone();
        builds.sort();
        builds.dedup();
        let pins = WorkerPins {
            worker_id: request.worker_id.clone(),
            build: build.clone(),
            tenant: tenant.cloned(),
            job_types: request.job_types.clone(),
            builds,
        };
        // When it was first seen decides between workers, also after this process has ended.
        self.flush_workers_named(&request.worker_id).await?;
        let audited = AuditedAction::new("builds.pin", &format!("worker {}", request.worker_id))
            .of(tenant.cloned())
            .with(json!({ "asked": pins.job_types, "builds": pins.builds }));
        let mut recording = self.recording(caller, audited);
        let changed = recording.of(self.store().pin_by_worker(&pins, PINS_MAX, self.now())).await?;
        self.memory().pinned_by.remember(tenant, request);
        if changed.is_empty() {
            return Ok(());
        }
        self.pins_changed();
        self.recorded(recording).await;
        Ok(())
    }

    async fn known_pin(
        &self,
        tenant: Option<&TenantName>,
        job_type: &JobType,
    ) -> Result<Option<BuildPin>, EngineError> {
        let mut pins = self.store().build_pins().await?.into_iter();
        Ok(pins.find(|pin| pin.tenant.as_ref() == tenant && pin.job_type == *job_type))
    }

    /// Jobs may be for other workers now.
    fn pins_changed(&self) {
        self.wake(&[Hint::Settings, Hint::Queue(QueueName::Node)]);
    }
}

/// Fails where the caller may not pin this job type; answers the tenant whose jobs are meant.
fn may_pin(
    caller: &Caller,
    tenant: Option<TenantName>,
    job_type: &JobType,
) -> Result<Option<TenantName>, EngineError> {
    let tenant = caller.tenant(tenant)?;
    let (of_type, of_tenant) = (Some(job_type.as_str()), tenant.as_ref().map(TenantName::as_str));
    let subject = Subject { job_type: of_type, tenant: of_tenant, ..Subject::default() };
    caller.require_on(Action::BuildsPin, &subject)?;
    Ok(tenant)
}

fn audited(action: &'static str, tenant: Option<&TenantName>, job_type: &JobType) -> AuditedAction {
    AuditedAction::new(action, &format!("job type {job_type}")).of(tenant.cloned())
}

#[cfg(test)]
mod tests {
    use super::pinned::{PinnedBy, check_builds};
    use super::*;
    use domain::names::WorkerId;

    fn request(build: Option<&str>, builds: &[&str]) -> PollRequest {
        PollRequest {
            worker_id: WorkerId::trusted("w"),
            job_types: vec![JobType::trusted("greet")],
            jobs_max: 1,
            lease: None,
            wait: None,
            tenant: None,
            build: build.map(CallerKey::trusted),
            builds: builds.iter().map(|name| CallerKey::trusted(*name)).collect(),
        }
    }

    #[test]
    fn a_worker_does_not_shut_itself_out() {
        let table = [
            (request(None, &[]), true),
            (request(Some("v2"), &["v1", "v2"]), true),
            (request(Some("v3"), &["v1", "v2"]), false),
            (request(None, &["v1"]), false),
        ];
        for (request, expected) in table {
            let mut faults = Faults::default();
            check_builds(&request, &mut faults);
            assert_eq!(faults.check().is_ok(), expected, "{request:?}");
        }
    }

    #[test]
    fn a_worker_pins_once_and_again_when_it_asks_for_something_else() {
        let pinned = PinnedBy::default();
        let first = request(Some("v2"), &["v2"]);
        assert!(!pinned.knows(None, &first));
        pinned.remember(None, &first);
        assert!(pinned.knows(None, &first));
        assert!(!pinned.knows(None, &request(Some("v2"), &["v1", "v2"])));
        let tenant = TenantName::trusted("acme");
        assert!(!pinned.knows(Some(&tenant), &first), "another worker of that name");
    }
}
