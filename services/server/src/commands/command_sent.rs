//! How the answer to a command to an execution is printed.

use serde_json::Value;

use crate::client::Client;
use crate::output::{out, table};

/// Prints where the command is noted.
pub(crate) fn command_sent(client: &Client, answer: &Value) {
    if client.json {
        table::print_json(answer);
    } else {
        out!("sent (command {})", answer["commandPosition"]);
    }
}
