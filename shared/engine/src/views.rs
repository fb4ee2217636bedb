//! Saved views of lists: whoever may look may save how they look.
//!
//! Owners change and remove their views; operators also those that others share.

use domain::access::Permission;
use domain::id::ViewId;
use domain::problem::ProblemCode;
use domain::view::{VIEWS_MAX, ViewSpec, check_view};
use serde_json::json;
use store::views::ViewRecord;
use store::{Page, PageRequest};

use crate::audit::AuditedAction;
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;

impl Engine {
    /// The caller's views and those that are shared with it, newest first, of one list or of all.
    pub async fn list_views(
        &self,
        caller: &Caller,
        list: Option<&str>,
        page: PageRequest,
    ) -> Result<Page<ViewRecord>, EngineError> {
        caller.require(Permission::Read)?;
        Ok(self.store().list_views(&caller.scope, &caller.actor, list, page).await?)
    }

    /// One that the caller may see.
    pub async fn saved_view(&self, caller: &Caller, id: ViewId) -> Result<ViewRecord, EngineError> {
        caller.require(Permission::Read)?;
        let found = self.store().view(&caller.scope, &caller.actor, id).await?;
        found.ok_or_else(|| EngineError::not_found("view", &id))
    }

    /// Saves a view.
    pub async fn add_view(&self, caller: &Caller, spec: ViewSpec) -> Result<ViewRecord, EngineError> {
        caller.require(Permission::Read)?;
        let now = self.now();
        self.check_view(caller, &spec).await?;
        let uuid = match caller.seed {
            Some(seed) => domain::id::Id::<domain::id::ViewKind>::derive(seed, &["view"]).uuid(),
            None => self.entropy().uuid(now),
        };
        let owner = caller.actor.clone();
        let view = ViewRecord { id: ViewId::from_uuid(uuid), owner, spec, created_at: now, changed_at: now };
        let line = self.audit_line(caller, audited("view.add", &view));
        if self.store().add_view(&caller.scope, &view, VIEWS_MAX, &[line]).await? {
            return Ok(view);
        }
        let message = format!("there are {VIEWS_MAX} views already; remove one first");
        Err(EngineError::Conflict { code: ProblemCode::TooManyViews, message })
    }

    /// Changes a view.
    pub async fn change_view(
        &self,
        caller: &Caller,
        id: ViewId,
        spec: ViewSpec,
    ) -> Result<ViewRecord, EngineError> {
        self.check_view(caller, &spec).await?;
        let present = self.own_view(caller, id).await?;
        let before = json!(present.spec);
        let view = ViewRecord { spec, changed_at: self.now(), ..present };
        let line =
            self.audit_line(caller, audited("view.change", &view).differing(&before, &json!(view.spec)));
        if self.store().change_view(&caller.scope, &view, &[line]).await? {
            return Ok(view);
        }
        Err(EngineError::not_found("view", &id))
    }

    /// Removes a view.
    pub async fn delete_view(&self, caller: &Caller, id: ViewId) -> Result<(), EngineError> {
        let view = self.own_view(caller, id).await?;
        let line = self.audit_line(caller, audited("view.delete", &view));
        if self.store().delete_view(&caller.scope, id, &[line]).await? {
            return Ok(());
        }
        Err(EngineError::not_found("view", &id))
    }

    /// One that the caller may change.
    async fn own_view(&self, caller: &Caller, id: ViewId) -> Result<ViewRecord, EngineError> {
        let view = self.saved_view(caller, id).await?;
        if view.owner != caller.actor {
            caller.require(Permission::Operate)?;
        }
        Ok(view)
    }

    async fn check_view(&self, caller: &Caller, spec: &ViewSpec) -> Result<(), EngineError> {
        let searchable = self.searchable(caller).await?;
        let mut faults = Faults::default();
        faults.extend(check_view(spec, self.now(), &searchable), "");
        faults.check()
    }
}

fn audited(action: &'static str, view: &ViewRecord) -> AuditedAction {
    let detail = json!({ "name": view.spec.name, "list": view.spec.list, "shared": view.spec.is_shared });
    AuditedAction::new(action, &view.id).with(detail)
}
