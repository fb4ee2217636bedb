//! How the answer to a command to an execution is printed.

use serde_json::Value;

use crate::client::Client;
use crate::output::table;

/// Prints where the command is noted.
pub(crate) fn command_sent(client: &Client, answer: &Value) {
    if client.json {
        table::print_json(answer);
    } else {
        println!("sent (command {})", answer["commandPosition"]);
    }
}
