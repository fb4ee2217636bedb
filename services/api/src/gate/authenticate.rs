//! Finds out who calls, and whether the caller may do that.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, MatchedPath, Request};
use axum::http::header::{AUTHORIZATION, USER_AGENT};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use domain::access::{Action, Role, TenantScope};
use domain::problem::ProblemCode;
use engine::{Caller, Door, EngineError, Origin, Verdict};

use super::origin::is_local_browser_safe;
use super::session::{check_csrf, sealed_of};
use super::spans::REQUEST_ID;
use crate::extract::SessionToken;
use crate::json::{Veil, veiled};
use crate::problem::{ApiResult, Problem};
use crate::rights::{Right, right_of};
use crate::state::ApiState;

/// How much is kept of what a client says about itself.
const ORIGIN_CHARS_MAX: usize = 200;

/// The class of the rates of addresses with unknown keys.
const CLASS: &str = "unknown-key";

/// An authenticated call.
pub(super) struct Known {
    pub(super) caller: Caller,
    call: Call,
}

/// Lets requests of known callers through, with a [`Caller`] in their extensions.
pub(super) async fn authenticate(state: &ApiState, request: &mut Request) -> ApiResult<Known> {
    let caller = identify(state, request).await?;
    let call = Call::of(request);
    request.extensions_mut().insert(caller.clone());
    Ok(Known { caller, call })
}

impl Known {
    /// Records in the audit log that the call was refused, if it was.
    pub(super) fn record_refusal(&self, state: &ApiState, response: &Response) {
        if response.status() == StatusCode::FORBIDDEN {
            let reason = "not allowed by role, scopes or tenant";
            state.engine.record_refused(&self.caller, &self.call.text(), reason);
        }
    }
}

/// Who makes a request, by its head.
pub(crate) async fn identify(state: &ApiState, request: &mut Request) -> ApiResult<Caller> {
    let shown = bearer(request.headers());
    if shown.is_err() {
        record_failure(state, request);
    }
    let mut caller = match shown? {
        Some(secret) => {
            let known = state.engine.authenticate(secret).await;
            // Only failures count: others behind the same address have valid keys.
            if matches!(known, Ok(None) | Err(EngineError::Forbidden { .. })) {
                record_failure(state, request);
                limit_failures(state, source_of(state, request)).await?;
            }
            known?.ok_or_else(|| {
                Problem::unauthenticated("The API key or token is unknown, revoked or expired.")
            })?
        }
        None => match session_of(state, request).await? {
            Some(caller) => caller,
            None => {
                if let Some(caller) = without_key(state, is_local(request)).await? {
                    caller
                } else {
                    record_failure(state, request);
                    let detail = "This call requires an API key: \"Authorization: Bearer tl_…\".";
                    return Err(Problem::unauthenticated(detail));
                }
            }
        },
    };
    let address = source_of(state, request);
    caller.origin = Some(Arc::new(origin_of(request, address)));
    if !caller.may_come_from(address) {
        let call = Call::of(request).text();
        state.engine.record_refused(&caller, &call, "not allowed from this address");
        let detail = "This API key is not allowed from this address.";
        return Err(Problem::new(StatusCode::FORBIDDEN, ProblemCode::Forbidden, detail));
    }
    Ok(caller)
}

/// Records a call that came without a valid key, token or session.
fn record_failure(state: &ApiState, request: &Request) {
    state.engine.record_auth_failure(origin_of(request, source_of(state, request)));
}

/// A call by its method and route, for the audit log: without what callers put into the address.
struct Call {
    method: Method,
    route: Option<MatchedPath>,
}

impl Call {
    fn of(request: &Request) -> Self {
        Self { method: request.method().clone(), route: request.extensions().get::<MatchedPath>().cloned() }
    }

    fn text(&self) -> String {
        format!("{} {}", self.method, self.route.as_ref().map_or("", MatchedPath::as_str))
    }
}

/// Where a request comes from, for the audit log.
pub(crate) fn origin_of(request: &Request, address: Option<IpAddr>) -> Origin {
    let text = |value: &HeaderValue| {
        let value = value.to_str().ok()?;
        Some(value.chars().take(ORIGIN_CHARS_MAX).collect::<String>())
    };
    let user_agent = request.headers().get(USER_AGENT).and_then(text);
    let is_cli = user_agent.as_deref().is_some_and(|agent| agent.starts_with("trunkline-cli/"));
    let is_console = request.extensions().get::<SessionToken>().is_some();
    Origin {
        address,
        door: if let Some(door) = request.extensions().get::<Door>() {
            // Other interfaces say so.
            *door
        } else if is_console {
            Door::Console
        } else if is_cli {
            Door::Cli
        } else {
            Door::Rest
        },
        user_agent,
        request_id: request.headers().get(REQUEST_ID).and_then(text),
    }
}

/// The caller of the session that a request came with. A cookie that does not open is as good as none: it may be of another
/// Trunkline on the same host.
async fn session_of(state: &ApiState, request: &mut Request) -> ApiResult<Option<Caller>> {
    let Some(sealed) = sealed_of(request.headers()) else {
        return Ok(None);
    };
    let Some(session) = state.engine.session(sealed).await? else {
        return Ok(None);
    };
    check_csrf(&session, request.method(), request.headers())?;
    let token = SessionToken {
        csrf_token: session.csrf_token,
        expires_at: session.expires_at,
        only_looks: state.options.environment.is_read_only,
    };
    request.extensions_mut().insert(token);
    Ok(Some(session.caller))
}

/// Refuses an address that comes with too many keys that nobody has heard of, or that begins too many sign-ins.
pub(crate) async fn limit_failures(state: &ApiState, address: Option<IpAddr>) -> ApiResult<()> {
    let (Some(limit), Some(address)) = (state.options.unknown_keys, address) else {
        return Ok(());
    };
    match state.engine.check_address(CLASS, address, limit.into()).await {
        Verdict::Allowed => Ok(()),
        Verdict::Refused { retry_after } => {
            let detail = "Too many requests with unknown API keys or failed sign-ins from this address.";
            let problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, ProblemCode::RateLimited, detail);
            Err(problem.retry_after(retry_after))
        }
    }
}

/// The address that a request comes from, behind trusted proxies that of whoever called them.
pub(crate) fn source_of(state: &ApiState, request: &Request) -> Option<IpAddr> {
    let ConnectInfo(peer) = request.extensions().get::<ConnectInfo<SocketAddr>>()?;
    Some(state.options.trusted_proxies.source(peer.ip(), request.headers()))
}

/// The secret of the `Authorization` header. It must not reach a log.
pub(crate) fn bearer(headers: &HeaderMap) -> ApiResult<Option<&str>> {
    let Some(value) = headers.get(AUTHORIZATION) else {
        return Ok(None);
    };
    let secret = value.to_str().ok().and_then(|text| {
        let (scheme, secret) = text.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
    });
    match secret {
        Some(secret) if !secret.is_empty() => Ok(Some(secret)),
        _ => Err(Problem::unauthenticated("The Authorization header must be \"Bearer\" and an API key.")),
    }
}

/// Headers by which a proxy on this machine says that it calls for somebody else.
const FORWARDED: [&str; 3] = ["x-forwarded-for", "x-real-ip", "forwarded"];

/// Whether the request was made by a program on this machine.
fn is_local(request: &Request) -> bool {
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>();
    peer.is_some_and(|ConnectInfo(address)| address.ip().to_canonical().is_loopback())
        && !FORWARDED.iter().any(|name| request.headers().contains_key(*name))
        && is_local_browser_safe(request)
}

/// The caller of a request without a key: an administrator on this machine, while there are no keys and the settings say that
/// the server is open then.
async fn without_key(state: &ApiState, is_local: bool) -> ApiResult<Option<Caller>> {
    if state.options.is_open && is_local && !state.engine.has_keys().await? {
        return Ok(Some(Caller::new(TenantScope::All, Role::Admin, "loopback")));
    }
    Ok(None)
}

// Whether a caller may make a call at all, and whether its answer holds payloads.
//
// Asked before the body is read and before an idempotency key is reserved: a call that is refused leaves nothing behind.
// Names that stand in the body (job types, workflows, tenants) are checked by the engine.

/// Refuses what the caller's role or scopes do not allow.
pub(super) fn authorize(caller: &Caller, request: &Request) -> ApiResult<()> {
    let route = request.extensions().get::<MatchedPath>().ok_or_else(Problem::internal)?;
    // Where the server lies below a path of its public address, the route begins with that.
    let path = route.as_str().rfind("/v1/").map_or(route.as_str(), |at| &route.as_str()[at..]);
    let right = right_of(request.method(), path, request.uri().query());
    // Only a route that was put behind the gates without its right comes here without one.
    let right = right.ok_or_else(Problem::internal)?;
    if let Right::To(action) = right {
        caller.require_action(action)?;
        let only_looks = request.extensions().get::<SessionToken>().is_some_and(|token| token.only_looks);
        if only_looks && !action.is_read() {
            let detail = "The console of this server is read-only.";
            return Err(Problem::new(StatusCode::FORBIDDEN, ProblemCode::Forbidden, detail));
        }
    }
    Ok(())
}

/// Leaves out of answers what their callers are not to see.
pub(super) async fn veil(request: Request, next: Next) -> Response {
    match request.extensions().get::<Caller>().and_then(veil_of) {
        Some(veil) => veiled(veil, next.run(request)).await,
        None => next.run(request).await,
    }
}

/// What a caller is not to see of payloads.
pub(crate) fn veil_of(caller: &Caller) -> Option<Veil> {
    if !caller.shows_payloads() {
        Some(Veil::Payloads)
    } else if caller.allows(Action::ExecutionsSignal) || caller.allows(Action::JobsWork) {
        None
    } else {
        Some(Veil::Tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_strictly() {
        let read = |text: &'static str| {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(text))]);
            bearer(&headers).map(|secret| secret.map(str::to_owned)).ok()
        };
        assert_eq!(read("Bearer tl_abc"), Some(Some("tl_abc".to_owned())));
        assert_eq!(read("bearer  tl_abc "), Some(Some("tl_abc".to_owned())));
        for text in ["Bearer", "Bearer ", "tl_abc", "Basic dXNlcjpwdw=="] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(bearer(&HeaderMap::new()).ok(), Some(None));
    }
}
