//! The video pipeline with the SDK for Rust. What it does to videos is in `video.rs`.

mod video;

use std::io::ErrorKind;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;
use trunkline_client::{Client, Context, Error, Worker};
use video::Video;

#[derive(Deserialize)]
struct Input {
    file: PathBuf,
}

async fn validate(data: Input, _: Context) -> Result<Value, Error> {
    match Video::read(data.file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Err(Error::non_retryable(error)),
        video => Ok(video?.digest()?),
    }
}

async fn encode(data: Input, ctx: Context) -> Result<Value, Error> {
    ctx.log().with("file", &data.file).info("encoding");
    Ok(Video::read(data.file)?.pack()?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let worker = Worker::new(Client::from_env()?)
        .concurrency(4)
        .handle("video.validate", validate)
        .handle("video.metadata", |data: Input, _| async move { Ok(Video::read(data.file)?.size()) })
        .handle("video.thumbnail", |data: Input, _| async move { Ok(Video::read(data.file)?.first_frame()?) })
        .handle("video.encode", encode)
        .handle("video.publish", |data: Value, _| async move { Ok(video::publish(&data)?) });
    Ok(worker.run().await?)
}
