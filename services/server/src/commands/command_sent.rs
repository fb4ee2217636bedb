//! How the answer to a command to an execution is printed.

use serde_json::Value;

use crate::client::Client;
use crate::output;
use crate::output::out;

/// Prints where the command is noted.
pub(crate) fn command_sent(client: &Client, answer: &Value) {
    if client.json {
        output::print_json(answer);
    } else {
        out!("sent (command {})", answer["commandPosition"]);
    }
}
