//! Any JSON: it is refused with faults, or what is read is stored in a form that reads as the same.

#![no_main]

use domain::workflow::parse::{DefinitionLimits, Format, parse, parse_stored};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    match parse(text, Format::Json, &DefinitionLimits::default()) {
        Ok(parsed) => {
            let stored = parse_stored(&parsed.canonical_json).expect("what was registered is read");
            assert_eq!(stored.canonical_json, parsed.canonical_json);
        }
        Err(faults) => assert!(!faults.is_empty()),
    }
    // Text that another version may have stored is read, or refused, and nothing else.
    if let Ok(text) = std::str::from_utf8(text) {
        let _ = parse_stored(text);
    }
});
