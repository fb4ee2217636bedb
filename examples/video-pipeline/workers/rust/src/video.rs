//! What the pipeline does to a video: YUV4MPEG2, compressed with gzip.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

const FRAME: &[u8] = b"FRAME\n";

pub(crate) struct Video {
    path: PathBuf,
    content: Vec<u8>,
    width: usize,
    height: usize,
    fps: usize,
    first: usize,
}

/// Where what is made of a file goes.
fn target(file: &Path, suffix: &str) -> io::Result<PathBuf> {
    let out = PathBuf::from(env::var_os("VIDEO_OUT").unwrap_or_else(|| "data/video".into()));
    fs::create_dir_all(&out)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    Ok(out.join(format!("{name}{suffix}")))
}

impl Video {
    pub(crate) fn read(path: PathBuf) -> io::Result<Self> {
        let content = fs::read(&path)?;
        let first = content.iter().position(|byte| *byte == b'\n').unwrap_or_default() + 1;
        let header = String::from_utf8_lossy(&content[..first.min(content.len())]).into_owned();
        let number = |key: char| {
            let word = header.split_whitespace().find_map(|word| word.strip_prefix(key));
            let number = word.and_then(|text| text.split(':').next()?.parse().ok());
            number.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no YUV4MPEG2"))
        };
        Ok(Self { width: number('W')?, height: number('H')?, fps: number('F')?, path, content, first })
    }

    pub(crate) fn digest(&self) -> io::Result<Value> {
        let (path, digest) = (fs::canonicalize(&self.path)?, hex::encode(Sha256::digest(&self.content)));
        Ok(json!({ "file": path, "bytes": self.content.len(), "sha256": digest }))
    }

    pub(crate) fn size(&self) -> Value {
        let frames = self.content.len() / (self.width * self.height * 3 / 2 + FRAME.len());
        json!({ "width": self.width, "height": self.height, "seconds": frames as f64 / self.fps as f64 })
    }

    pub(crate) fn first_frame(&self) -> io::Result<Value> {
        let luma = &self.content[self.first + FRAME.len()..][..self.width * self.height];
        let head = format!("P5 {} {} 255\n", self.width, self.height);
        self.write(".pgm", &[head.as_bytes(), luma].concat())
    }

    pub(crate) fn pack(&self) -> io::Result<Value> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&self.content)?;
        self.write(".gz", &packed.finish()?)
    }

    fn write(&self, suffix: &str, content: &[u8]) -> io::Result<Value> {
        let place = target(&self.path, suffix)?;
        fs::write(&place, content)?;
        Ok(json!({ "file": place, "bytes": content.len() }))
    }
}

pub(crate) fn publish(manifest: &Value) -> io::Result<Value> {
    let source = PathBuf::from(manifest["source"]["file"].as_str().unwrap_or_default());
    let place = target(&source, ".json")?;
    fs::write(&place, serde_json::to_vec_pretty(manifest)?)?;
    Ok(json!({ "manifest": place, "title": manifest["title"] }))
}
