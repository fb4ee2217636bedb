//! Any bytes as a message of any unary method of gRPC: they are no message, are refused, or become a call of REST whose body
//! is JSON where it is not a text that the method carries as it is.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

static METHODS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let path = |name: String| name.split_once('.').map(|(service, method)| format!("/trunkline.v1.{service}/{method}"));
    grpc::mirrored_calls().into_iter().filter_map(|call| path(call.name)).collect()
});

fuzz_target!(|bytes: &[u8]| {
    // The method in the first byte, the message in the others.
    let Some((method, message)) = bytes.split_first() else { return };
    let path = &METHODS[usize::from(*method) % METHODS.len()];
    if let Some(Ok((uri, Some(body)))) = grpc::mirrored_request(path, message) {
        assert!(uri.path().starts_with('/'));
        // Definitions are carried as they are, JSON or YAML.
        if !uri.path().starts_with("/v1/workflows") {
            serde_json::from_str::<serde::de::IgnoredAny>(&body).expect("the body is JSON");
        }
    }
});
