//! A codec after which the server cannot read what it has.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use trunkline_client::{Client, ClientBuilder, Codec, CodecError, Json, Payload};

struct Sealed;

#[derive(Serialize, Deserialize)]
struct Content {
    sealed: String,
}

impl Codec for Sealed {
    fn encode<'a>(&'a self, value: Json, _: Payload<'a>) -> BoxFuture<'a, Result<Json, CodecError>> {
        Box::pin(async move { Ok(Json::of(&Content { sealed: STANDARD.encode(value.as_str()) })?) })
    }

    fn decode<'a>(&'a self, value: Json, _: Payload<'a>) -> BoxFuture<'a, Result<Json, CodecError>> {
        Box::pin(async move {
            let Ok(content) = value.decode::<Content>() else { return Ok(value) };
            Ok(Json::parse(&String::from_utf8(STANDARD.decode(content.sealed)?)?)?)
        })
    }
}

/// A client before it is built, with the codec where the table asks for it.
pub(crate) fn client() -> ClientBuilder {
    let client = Client::builder();
    if std::env::var_os("CONFORMANCE_CODEC").is_some() { client.codec(Sealed) } else { client }
}
