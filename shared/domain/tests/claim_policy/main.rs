//! The claim policy: single cases, and properties over random worlds against a naive reference.

mod claim_arrivals;
mod claim_cost;
mod claim_limits;
mod claim_model;
mod claim_properties;
mod claim_rates;
mod claim_ring;
mod rate_count;
