//! The fixed words of schedules. Their texts are the domain's.

use domain::schedule::{FireReason, Misfire, Overlap};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Policy for missed fires.
#[derive(Debug)]
pub(crate) enum MisfireSchema {}

/// Policy for a fire while a previous execution of the schedule still runs.
#[derive(Debug)]
pub(crate) enum OverlapSchema {}

/// The cause of a fire.
#[derive(Debug)]
pub(crate) enum FireReasonSchema {}

/// The outcome of a fire.
#[derive(Debug)]
pub(crate) enum SlotStatusSchema {}

fn one_of(words: impl IntoIterator<Item = &'static str>) -> RefOr<Schema> {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words)).into()
}

impl PartialSchema for MisfireSchema {
    fn schema() -> RefOr<Schema> {
        one_of(Misfire::ALL.iter().map(|word| word.as_str()))
    }
}
impl ToSchema for MisfireSchema {
    fn name() -> std::borrow::Cow<'static, str> {
        "Misfire".into()
    }
}

impl PartialSchema for OverlapSchema {
    fn schema() -> RefOr<Schema> {
        one_of(Overlap::ALL.iter().map(|word| word.as_str()))
    }
}
impl ToSchema for OverlapSchema {
    fn name() -> std::borrow::Cow<'static, str> {
        "Overlap".into()
    }
}

impl PartialSchema for FireReasonSchema {
    fn schema() -> RefOr<Schema> {
        one_of(FireReason::ALL.iter().map(|word| word.as_str()))
    }
}
impl ToSchema for FireReasonSchema {
    fn name() -> std::borrow::Cow<'static, str> {
        "FireReason".into()
    }
}

impl PartialSchema for SlotStatusSchema {
    fn schema() -> RefOr<Schema> {
        one_of(["fired", "waiting", "skipped"])
    }
}
impl ToSchema for SlotStatusSchema {
    fn name() -> std::borrow::Cow<'static, str> {
        "SlotStatus".into()
    }
}
