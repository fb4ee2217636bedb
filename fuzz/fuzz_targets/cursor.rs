//! Any text where an id or the cursor of a list stands: it is refused, or reads again as it was read.

#![no_main]

use domain::id::{DeliveryId, ExecutionId, JobId};
use domain::names::{TenantName, WorkflowName};
use domain::search::{Cursor, SearchList};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for list in SearchList::ALL {
        if let Some(cursor) = Cursor::parse(list, text) {
            assert_eq!(Cursor::parse(list, &cursor.text(list)), Some(cursor));
        }
    }
    if let Some(id) = JobId::parse(text) {
        assert_eq!(JobId::parse(&id.to_string()), Some(id));
        assert!(ExecutionId::parse(text).is_none(), "an id is of one kind");
    }
    if let Some(id) = ExecutionId::parse(text) {
        assert_eq!(ExecutionId::parse(&id.to_string()), Some(id));
    }
    if let Some(id) = DeliveryId::parse(text) {
        assert_eq!(DeliveryId::parse(&id.to_string()), Some(id));
    }
    if let Ok(name) = WorkflowName::parse(text) {
        assert_eq!(name.as_str(), text);
    }
    if let Ok(name) = TenantName::parse(text) {
        assert_eq!(name.as_str(), text);
    }
});
