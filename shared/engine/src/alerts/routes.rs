//! Routes: where notifications go, with the secrets that sign them.

use std::collections::BTreeMap;

use domain::access::{Action, Permission};
use domain::alerting::{AlertRoute, RouteKind, new_secret, signing_key};
use domain::id::{NotificationId, SecretId};
use domain::problem::ProblemCode;
use serde_json::json;
use store::alerts::{NamedSpec, Notification, NotificationStatus, SealedSecret, SpecKind};

use super::stored::{body_text, host_of, route_json, route_of, route_text};
use crate::access::SecretText;
use crate::audit::{AuditedAction, SECRET};
use crate::bounds::Faults;
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::webhooks::unusable;

/// The most routes that operators set.
const ROUTES_MAX: u32 = 100;

/// The route that is there without anybody having made it.
const LOG: &str = "log";

/// A route to set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteRequest {
    /// The route.
    pub route: AlertRoute,
    /// The secret that signs; the one before, or one that is made, where absent.
    pub secret: Option<SecretText>,
}

/// A route as it may be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteView {
    /// The route.
    pub route: AlertRoute,
    /// The secret, shown once when it was made here.
    pub made_secret: Option<SecretText>,
    /// Whether there is one.
    pub has_secret: bool,
}

/// A route with its secret.
#[derive(Debug, Clone)]
pub(super) struct StoredRoute {
    pub(super) route: AlertRoute,
    pub(super) secret: Option<SealedSecret>,
}

impl Engine {
    /// The routes, by name. Whoever may not change them sees the hosts of their URLs only: those of chats are secrets.
    pub async fn alert_routes(&self, caller: &Caller) -> Result<Vec<RouteView>, EngineError> {
        caller.require(Permission::Read)?;
        caller.require_unscoped()?;
        let routes = self.routes_in_force().await?;
        let shows_urls = caller.allows(Action::AlertsWrite);
        let view = |StoredRoute { mut route, secret }| {
            if !shows_urls {
                route.url = route.url.as_deref().map(host_of);
            }
            RouteView { route, made_secret: None, has_secret: secret.is_some() }
        };
        Ok(routes.into_values().map(view).collect())
    }

    /// The route with this name.
    pub async fn alert_route(&self, caller: &Caller, name: &str) -> Result<RouteView, EngineError> {
        let routes = self.alert_routes(caller).await?;
        let route = routes.into_iter().find(|view| view.route.name == name);
        route.ok_or_else(|| EngineError::not_found("alert route", &name))
    }

    /// Sets a route, in the place of one of that name.
    pub async fn put_alert_route(
        &self,
        caller: &Caller,
        request: RouteRequest,
    ) -> Result<RouteView, EngineError> {
        caller.require(Permission::Operate)?;
        caller.require_unscoped()?;
        let RouteRequest { route, secret } = request;
        let mut faults = Faults::default();
        faults.extend(route.faults(), "");
        let is_signed = route.kind == RouteKind::Webhook;
        if secret.is_some() && !is_signed {
            faults.add("/secret", "only routes of the type webhook have a secret");
        }
        if secret.as_ref().is_some_and(|secret| signing_key(secret.reveal()).is_none()) {
            faults.add("/secret", "expected whsec_ and the base64 of 24 to 64 bytes");
        }
        if route.name == LOG && route.kind != RouteKind::Log {
            faults.add("/type", "the route named log writes to the log");
        }
        faults.check()?;
        let present = self.routes_in_force().await?.remove(&route.name);
        let before = present.as_ref().map_or(json!(null), |known| route_json(&known.route));
        let mut after = route_json(&route);
        if secret.is_some() {
            after["secret"] = SECRET.into();
        }
        let known = present.and_then(|known| known.secret);
        let (kept, made_secret) = match (is_signed, secret, known) {
            (false, ..) => (None, None),
            (true, Some(given), _) => (Some(self.sealed_route_secret(&given).await?), None),
            (true, None, Some(known)) => (Some(known), None),
            (true, None, None) => {
                let made = SecretText::new(new_secret(&self.entropy().secret()));
                (Some(self.sealed_route_secret(&made).await?), Some(made))
            }
        };
        let has_secret = kept.is_some();
        let spec = NamedSpec {
            name: route.name.clone(),
            spec: route_text(&route),
            secret: kept,
            changed_at: self.now(),
        };
        let audited = AuditedAction::new("alert_route.put", &route.name)
            .with(json!({ "type": route.kind.as_str() }))
            .differing(&before, &after);
        let line = self.audit_line(caller, audited);
        if self.store().put_alert_spec(SpecKind::Route, &spec, ROUTES_MAX, &[line]).await? {
            return Ok(RouteView { route, made_secret, has_secret });
        }
        Err(EngineError::Conflict {
            code: ProblemCode::TooManyAlertRoutes,
            message: format!("At most {ROUTES_MAX} routes are allowed."),
        })
    }

    /// Removes a route. Rules that name it notify nobody by it any more.
    pub async fn delete_alert_route(&self, caller: &Caller, name: &str) -> Result<(), EngineError> {
        caller.require(Permission::Operate)?;
        caller.require_unscoped()?;
        let known = self.routes_in_force().await?.remove(name);
        let before = known.map_or(json!(null), |known| route_json(&known.route));
        let audited = AuditedAction::new("alert_route.delete", name).differing(&before, &json!(null));
        let line = self.audit_line(caller, audited);
        if self.store().delete_alert_spec(SpecKind::Route, name, &[line]).await? {
            return Ok(());
        }
        Err(EngineError::not_found("alert route", &name))
    }

    /// Sends a test by a route. It is sent like any other notification.
    pub async fn test_alert_route(&self, caller: &Caller, name: &str) -> Result<Notification, EngineError> {
        caller.require(Permission::Operate)?;
        caller.require_unscoped()?;
        if !self.routes_in_force().await?.contains_key(name) {
            return Err(EngineError::not_found("alert route", &name));
        }
        let now = self.now();
        let data = json!({
            "rule": "test", "severity": "warning", "labels": {}, "summary": "A test of this route.", "startedAt": now,
        });
        let notification = Notification {
            id: NotificationId::from_uuid(self.entropy().uuid(now)),
            alert_id: None,
            route: name.to_owned(),
            kind: "alert.test".to_owned(),
            body: body_text("alert.test", &data, now),
            status: NotificationStatus::Pending,
            tries: 0,
            due_at: now,
            error: None,
            created_at: now,
            sent_at: None,
        };
        let mut recording = self.recording(caller, AuditedAction::new("alert_route.test", name));
        recording.of(self.store().add_notification(&notification)).await?;
        self.recorded(recording).await;
        Ok(notification)
    }

    pub(super) async fn routes_in_force(&self) -> Result<BTreeMap<String, StoredRoute>, EngineError> {
        let log = AlertRoute {
            name: LOG.to_owned(),
            kind: RouteKind::Log,
            url: None,
            to: Vec::new(),
            send_resolved: true,
            repeat_every: None,
        };
        let mut routes = BTreeMap::from([(LOG.to_owned(), StoredRoute { route: log, secret: None })]);
        for spec in self.store().alert_specs(SpecKind::Route).await? {
            match route_of(&spec.name, &spec.spec) {
                Some(route) => drop(routes.insert(spec.name, StoredRoute { route, secret: spec.secret })),
                None => {
                    tracing::warn!(
                        route = spec.name,
                        "an alert route cannot be read; it was written by another version"
                    );
                }
            }
        }
        Ok(routes)
    }

    async fn sealed_route_secret(&self, secret: &SecretText) -> Result<SealedSecret, EngineError> {
        let keys = self.sealing_keys().await?;
        let id = SecretId::from_uuid(self.entropy().uuid(self.now()));
        let sealed = keys.seal(id, secret.reveal(), &self.entropy().secret()).map_err(unusable)?;
        Ok(SealedSecret { id, key_id: keys.current().to_owned(), sealed })
    }
}
