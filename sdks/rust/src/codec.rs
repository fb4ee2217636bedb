//! What happens to payloads on the way.

use futures::future::BoxFuture;

use crate::json::Json;

/// What a codec fails with.
pub type CodecError = Box<dyn std::error::Error + Send + Sync>;

/// Of what a payload is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayloadKind {
    /// The data of a job.
    Data,
    /// The result of a job.
    Result,
}

/// What a codec knows of a payload.
#[derive(Debug, Clone, Copy)]
pub struct Payload<'a> {
    /// Data or result.
    pub kind: PayloadKind,
    /// The job's type; empty for the result of a job whose type is not known.
    pub job_type: &'a str,
}

/// Encrypts, compresses or stores payloads elsewhere: JSON in, JSON out. Data and results of single jobs go through it. Jobs
/// of workflows are left alone on the way out, because expressions of the definition read them; `decode` sees everything, and
/// gives back unchanged what `encode` did not make.
pub trait Codec: Send + Sync + 'static {
    /// Before a payload is sent.
    fn encode<'a>(&'a self, value: Json, payload: Payload<'a>) -> BoxFuture<'a, Result<Json, CodecError>>;
    /// After a payload came.
    fn decode<'a>(&'a self, value: Json, payload: Payload<'a>) -> BoxFuture<'a, Result<Json, CodecError>>;
}

/// Leaves payloads as they are.
pub(crate) struct Plain;

impl Codec for Plain {
    fn encode<'a>(&'a self, value: Json, _payload: Payload<'a>) -> BoxFuture<'a, Result<Json, CodecError>> {
        Box::pin(async { Ok(value) })
    }

    fn decode<'a>(&'a self, value: Json, _payload: Payload<'a>) -> BoxFuture<'a, Result<Json, CodecError>> {
        Box::pin(async { Ok(value) })
    }
}
