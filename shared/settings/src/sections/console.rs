//! What people call this server, so that nobody takes production for something else, and what an hour of a worker costs.

use serde::{Deserialize, Serialize};

/// Labels of the server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConsoleSettings {
    /// The name of the environment, such as `production`; empty for none.
    pub environment: String,
    /// Its color, as `#rrggbb`; empty for none.
    pub color: String,
    /// What an hour of a worker costs, for the cost of a tenant; 0 for no price.
    pub worker_hour_price: f64,
    /// The currency of prices, such as `EUR`; empty for none.
    pub currency: String,
}

/// Whether a color is empty or `#` and six hexadecimal digits.
pub(crate) fn is_color(color: &str) -> bool {
    let is_hex = |digits: &str| digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    color.is_empty() || color.strip_prefix('#').is_some_and(is_hex)
}
