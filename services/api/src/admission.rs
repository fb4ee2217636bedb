//! The gates of REST for calls that are no requests of it: long-lived streams of other interfaces.

use axum::extract::Request;
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Router};
use domain::access::Action;
use domain::error::Fault;
use domain::time::DurationMs;
use engine::{Caller, Engine};

use crate::bodies::CountedElsewhere;
use crate::extract::body_bytes_max;
use crate::gate;
use crate::json::scan;
use crate::options::ApiOptions;
use crate::problem::Problem;
use crate::rights::{Right, right_of};
use crate::state::ApiState;

/// Why a caller is refused.
const NOT_ALLOWED: &str = "not allowed by role, scopes or tenant";

/// Lets callers in as REST does: the same keys, networks, rates and rights, and the same bounds on JSON.
#[derive(Clone)]
pub struct Admission(ApiState);

impl Admission {
    /// The gates over an engine, with the options of its REST interface.
    pub fn new(engine: Engine, options: ApiOptions) -> Self {
        Self(ApiState::new(engine, options))
    }

    /// Who makes a request, by its head. The error is the answer that REST would give.
    pub async fn identify(&self, mut request: Request) -> Result<Caller, Response> {
        gate::identify(&self.0, &mut request).await.map_err(Problem::into_response)
    }

    /// The same, counted against the key's rate, if the caller may do it.
    pub async fn admit(&self, request: Request, action: Action) -> Result<Caller, Response> {
        let caller = self.identify(request).await?;
        if let Some(retry_after) = self.count(&caller).await {
            return Err(gate::over_rate(retry_after).into_response());
        }
        match caller.require_action(action) {
            Ok(()) => Ok(caller),
            Err(error) => {
                self.0.engine.record_refused(&caller, action.as_str(), NOT_ALLOWED);
                Err(Problem::from(error).into_response())
            }
        }
    }

    /// Lets a call of REST that another interface carries out in before its body is read: who makes it, and the most bytes that
    /// its body may have. The path has its parameters in braces. The call is counted, and asked for its right again, when it is
    /// carried out.
    pub async fn admit_call(
        &self,
        request: Request,
        (method, path, query): (&Method, &str, &str),
    ) -> Result<(Caller, usize), Response> {
        let caller = self.identify(request).await?;
        let check = |query| match right_of(method, path, Some(query)) {
            Some(Right::To(action)) => caller.require_action(action),
            _ => Ok(()),
        };
        // Whether a definition is only checked stands in the message.
        if let Err(error) = check(query).or_else(|_| check("validate=true")) {
            // It goes no further, and counts here.
            if let Some(retry_after) = self.count(&caller).await {
                return Err(gate::over_rate(retry_after).into_response());
            }
            self.0.engine.record_refused(&caller, &format!("{method} {path}"), NOT_ALLOWED);
            return Err(Problem::from(error).into_response());
        }
        Ok((caller, body_bytes_max(&self.0.options, path)))
    }

    /// REST's router for calls that another interface carries out: it counts their messages by [`room`](Self::room), and
    /// their bodies are not counted once more.
    pub fn carried(rest: Router) -> Router {
        rest.layer(Extension(CountedElsewhere))
    }

    /// Room for a body of a caller: takes as much as is asked for in all, and answers whether there is so much. Gives it back
    /// when it is dropped.
    pub fn room(&self, caller: &Caller) -> impl Fn(usize) -> bool + Send + Sync + use<> {
        let share = self.0.body_room.share(caller.actor.clone());
        move |bytes| share.grow_to(bytes)
    }

    /// Counts a call against the key's rate; answers when to come again where that is one too many.
    pub async fn count(&self, caller: &Caller) -> Option<DurationMs> {
        gate::count(&self.0, caller).await
    }

    /// What is refused in all JSON, with its place: nesting, U+0000, halves of surrogate pairs, numbers without bounds.
    pub fn check_json(&self, text: &str) -> Result<(), Fault> {
        scan(text, self.0.options.json_depth_max)
    }
}

impl std::fmt::Debug for Admission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Admission").finish_non_exhaustive()
    }
}
