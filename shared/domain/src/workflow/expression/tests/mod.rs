//! Tables of expressions: what they give, why they are refused, and that none of them runs away.

mod bounds;
mod fixture;
mod locals;
mod schemas;
mod templates;
mod values;
