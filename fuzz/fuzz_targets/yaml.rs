//! Any YAML: it is refused with faults, or says the same as the JSON that is stored of it.

#![no_main]

use domain::workflow::parse::{DefinitionLimits, Format, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let limits = DefinitionLimits::default();
    match parse(text, Format::Yaml, &limits) {
        Ok(parsed) => {
            let again = parse(parsed.canonical_json.as_bytes(), Format::Json, &limits).expect("it is JSON");
            assert_eq!(again.content_hash, parsed.content_hash);
        }
        Err(faults) => assert!(!faults.is_empty()),
    }
});
