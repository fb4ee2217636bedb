//! Any text: the parser refuses it, or what it reads prints and reads again as the same, and fires later than asked.

#![no_main]

use domain::schedule::{CronExpression, Zone, describe, next_after};
use domain::time::Timestamp;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (i64, &str)| {
    let (after_ms, text) = input;
    let Ok(read) = CronExpression::parse(text) else { return };
    assert_eq!(CronExpression::parse(&read.to_string()).as_ref(), Ok(&read));
    let _ = (describe(&read), read.warnings());
    for name in ["UTC", "America/New_York", "Australia/Lord_Howe"] {
        let zone = Zone::parse(name).expect("a zone of the built-in database");
        if let Some(fire) = next_after(&read, &zone, Timestamp(after_ms)) {
            assert!(fire > Timestamp(after_ms), "{read} {name} after {after_ms}");
        }
    }
});
