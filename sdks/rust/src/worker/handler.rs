//! Handlers over JSON, made of functions over the program's own types.

use std::future::Future;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::context::Context;
use crate::handler_error::Error;
use crate::json::Json;

/// The result of a handler.
pub type HandlerFuture = BoxFuture<'static, Result<Json, Error>>;

/// Wraps every handler: it can inspect the context, change data or result, or fail.
pub type Middleware = Arc<dyn Fn(Json, Context, Handler) -> HandlerFuture + Send + Sync>;

/// Processes one attempt with JSON data.
#[derive(Clone)]
pub struct Handler(Arc<dyn Fn(Json, Context) -> HandlerFuture + Send + Sync>);

impl Handler {
    /// A handler over JSON.
    pub fn new<F, Fut>(handle: F) -> Self
    where
        F: Fn(Json, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Json, Error>> + Send + 'static,
    {
        Self(Arc::new(move |data, context| Box::pin(handle(data, context))))
    }

    /// A handler over the program's own types. If the data does not match, the job fails permanently with the code
    /// `invalid_data`.
    pub fn typed<In, Out, F, Fut>(handle: F) -> Self
    where
        In: DeserializeOwned + Send + 'static,
        Out: Serialize + Send + 'static,
        F: Fn(In, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Out, Error>> + Send + 'static,
    {
        let handle = Arc::new(handle);
        Self::new(move |data: Json, context: Context| {
            let handle = Arc::clone(&handle);
            async move {
                let job_type = context.job_type().to_owned();
                let data: In = data.decode().map_err(|error| {
                    Error::non_retryable(format!("data does not fit {job_type}: {error}"))
                        .with_code("invalid_data")
                })?;
                let result = handle(data, context).await?;
                Json::of(&result).map_err(|error| {
                    Error::non_retryable(format!("the result of {job_type} is no JSON: {error}"))
                        .with_code("invalid_result")
                })
            }
        })
    }

    /// Runs it.
    pub fn call(&self, data: Json, context: Context) -> HandlerFuture {
        (self.0)(data, context)
    }

    /// The same handler inside of another one.
    pub(crate) fn within(self, middleware: &Middleware) -> Self {
        let middleware = Arc::clone(middleware);
        Self(Arc::new(move |data, context| middleware(data, context, self.clone())))
    }
}
