//! The files of the built console, and which form of one a browser takes.

use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::policy::WORKER_POLICY;

/// Names below this folder hold a hash of their content.
const HASHED: &str = "assets/";
/// What the script of the worker is called that makes dry runs.
const WORKER: &str = "assets/simulation-worker-";

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
#[allow_missing = true]
struct Dist;

/// The index page, where the console was built.
pub(crate) fn index() -> Option<String> {
    let file = Dist::get("index.html")?;
    String::from_utf8(file.data.into_owned()).ok()
}

/// A file, in the smallest form that the browser takes; 404 for one that is not there. A page of an older version asks for
/// files that are gone, and must not take the index page for a script.
pub(crate) fn serve(path: &str, request: &HeaderMap) -> Response {
    // Compressed forms are served under the name of the file, and the index page only with its nonce.
    let is_inner = path == "index.html" || has_extension(path, "br") || has_extension(path, "gz");
    let found = if is_inner { None } else { find(path, request) };
    let Some((file, encoding)) = found else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let etag = format!("\"{}\"", hex::encode(&file.metadata.sha256_hash()[..16]));
    let is_hashed = path.starts_with(HASHED);
    let caching = if is_hashed { "public, max-age=31536000, immutable" } else { "public, max-age=3600" };
    let mut headers: Vec<(HeaderName, HeaderValue)> = vec![
        (CACHE_CONTROL, HeaderValue::from_static(caching)),
        (VARY, HeaderValue::from_static("accept-encoding")),
    ];
    headers.extend(HeaderValue::try_from(&etag).ok().map(|value| (ETAG, value)));
    let is_known = request
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .any(|line| line.split(',').any(|tag| tag.trim().trim_start_matches("W/") == etag));
    if is_known {
        return (StatusCode::NOT_MODIFIED, header_map(headers)).into_response();
    }
    headers.push((CONTENT_TYPE, HeaderValue::from_static(media_type(path))));
    headers.extend(encoding.map(|name| (CONTENT_ENCODING, HeaderValue::from_static(name))));
    if path.starts_with(WORKER) {
        headers.push((CONTENT_SECURITY_POLICY, HeaderValue::from_static(WORKER_POLICY)));
    }
    (header_map(headers), file.data).into_response()
}

fn header_map(headers: Vec<(HeaderName, HeaderValue)>) -> HeaderMap {
    headers.into_iter().collect()
}

fn find(path: &str, request: &HeaderMap) -> Option<(EmbeddedFile, Option<&'static str>)> {
    let compressed = [("br", "br"), ("gzip", "gz")].into_iter().find_map(|(encoding, extension)| {
        let file = takes(request, encoding).then(|| Dist::get(&format!("{path}.{extension}"))).flatten();
        file.map(|file| (file, Some(encoding)))
    });
    compressed.or_else(|| Dist::get(path).map(|file| (file, None)))
}

/// Whether `Accept-Encoding` names an encoding without refusing it.
fn takes(request: &HeaderMap, encoding: &str) -> bool {
    let lines = request.get_all(ACCEPT_ENCODING).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|part| {
        let (name, weight) = part.split_once(';').unwrap_or((part, ""));
        let is_refused = matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000");
        name.trim().eq_ignore_ascii_case(encoding) && !is_refused
    })
}

fn has_extension(path: &str, extension: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, found)| found == extension)
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        "woff2" => "font/woff2",
        "png" => "image/png",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepting(text: &'static str) -> HeaderMap {
        [(ACCEPT_ENCODING, HeaderValue::from_static(text))].into_iter().collect()
    }

    #[test]
    fn encodings_are_read_with_their_weights() {
        assert!(takes(&accepting("gzip, deflate, br"), "br"));
        assert!(takes(&accepting("br;q=0.5"), "br"));
        assert!(!takes(&accepting("br;q=0, gzip"), "br"));
        assert!(!takes(&accepting("gzip"), "br"));
        assert!(!takes(&HeaderMap::new(), "br"));
    }

    #[test]
    fn what_is_not_there_is_404() {
        for path in ["assets/gone-12345678.js", "index.html", "../Cargo.toml", "assets/x.js.br"] {
            assert_eq!(serve(path, &HeaderMap::new()).status(), StatusCode::NOT_FOUND, "{path}");
        }
    }
}
