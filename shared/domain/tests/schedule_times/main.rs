//! When expressions fire: tables, answers of other libraries, a walk through every minute, and all changes of clocks.

mod naive;
mod random;
mod schedule_monotonic;
mod schedule_oracle;
mod schedule_policy;
mod schedule_preview;
mod schedule_speed;
mod schedule_vectors;
mod schedule_walker;
mod schedule_zones;
mod zones;
