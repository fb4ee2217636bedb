//! The video pipeline with the SDK for Rust. Reads YUV4MPEG2.

use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::{Compression, write::GzEncoder};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use trunkline_client::{Client, Context, Error, Worker};

const FRAME: &[u8] = b"FRAME\n";

#[derive(Deserialize)]
struct File {
    file: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Manifest {
    title: String,
    thumbnail: String,
    video: String,
    source: Value,
}

/// A video with its width, height and frames a second, and where its first frame begins.
fn read(path: &Path) -> Result<(Vec<u8>, [usize; 3], usize), Error> {
    let video = fs::read(path)?;
    let first = video.iter().position(|byte| *byte == b'\n').unwrap_or_default() + 1;
    let header = String::from_utf8_lossy(&video[..first]).into_owned();
    let number = |key: char| {
        let word = header.split_whitespace().find_map(|word| word.strip_prefix(key));
        word.and_then(|text| text.split(':').next()?.parse().ok())
            .ok_or_else(|| Error::non_retryable("no YUV4MPEG2"))
    };
    let sizes = [number('W')?, number('H')?, number('F')?];
    Ok((video, sizes, first))
}

/// Where what is made of a file goes.
fn target(file: &Path, suffix: &str) -> Result<PathBuf, Error> {
    let out = PathBuf::from(env::var_os("VIDEO_OUT").unwrap_or_else(|| "data/video".into()));
    fs::create_dir_all(&out)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Ok(out.join(format!("{name}{suffix}")))
}

async fn validate(data: File, _: Context) -> Result<Value, Error> {
    let video = fs::read(&data.file).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::non_retryable(error),
        _ => error.into(),
    })?;
    let path = fs::canonicalize(&data.file)?;
    Ok(json!({ "file": path, "bytes": video.len(), "sha256": hex::encode(Sha256::digest(&video)) }))
}

async fn metadata(data: File, _: Context) -> Result<Value, Error> {
    let (video, [width, height, fps], _) = read(&data.file)?;
    let frames = video.len() / (width * height * 3 / 2 + FRAME.len());
    Ok(json!({ "width": width, "height": height, "seconds": frames / fps }))
}

async fn thumbnail(data: File, _: Context) -> Result<Value, Error> {
    let (video, [width, height, _], first) = read(&data.file)?;
    let luma = &video[first + FRAME.len()..][..width * height]; // of the first frame
    let place = target(&data.file, ".pgm")?;
    fs::write(&place, [format!("P5 {width} {height} 255\n").as_bytes(), luma].concat())?;
    Ok(json!({ "file": place }))
}

async fn encode(data: File, ctx: Context) -> Result<Value, Error> {
    ctx.log().with("file", &data.file).info("encoding");
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(&fs::read(&data.file)?)?;
    let (packed, place) = (packed.finish()?, target(&data.file, ".gz")?);
    fs::write(&place, &packed)?;
    Ok(json!({ "file": place, "bytes": packed.len() }))
}

async fn publish(data: Manifest, _: Context) -> Result<Value, Error> {
    let source = PathBuf::from(data.source["file"].as_str().unwrap_or_default());
    let place = target(&source, ".json")?;
    fs::write(&place, serde_json::to_vec_pretty(&data)?)?;
    Ok(json!({ "manifest": place, "title": data.title }))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let worker = Worker::new(Client::from_env()?)
        .concurrency(4)
        .handle("video.validate", validate)
        .handle("video.metadata", metadata)
        .handle("video.thumbnail", thumbnail)
        .handle("video.encode", encode)
        .handle("video.publish", publish);
    Ok(worker.run().await?)
}
