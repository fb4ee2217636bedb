//! The examples of docs/workflows.md, read out of the page.

use serde_json::Value;

const MARKER: &str = "<!-- example: ";

/// An example: its fenced blocks in order.
#[derive(Debug, PartialEq)]
pub(super) struct Example {
    pub(super) name: String,
    pub(super) blocks: Vec<Block>,
}

/// A fenced block of an example.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    /// A definition to register.
    Definition(String),
    /// What workers answer, by node or by job type.
    Worker(Value),
    /// The execution is started with this.
    Input(Value),
    /// A request, and the status that it is answered with; none is any success.
    Request { status: Option<u16>, method: String, path: String, body: Option<Value> },
    /// A part of the last answer.
    Answer(Value),
    /// Nodes, and the reasons for which they wait.
    Waiting(Value),
    /// The execution completes with this.
    Output(Value),
    /// The execution fails; a part of its error.
    Error(Value),
    /// The execution is cancelled; nodes and their statuses.
    Cancelled(Value),
    /// Nodes and their statuses.
    Nodes(Value),
    /// The nodes whose jobs workers got, in order.
    Jobs(Vec<String>),
}

/// The examples of a page.
pub(super) fn examples_of(page: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix(MARKER) {
            let name = name.trim_end_matches("-->").trim().to_owned();
            examples.push(Example { name, blocks: Vec::new() });
            continue;
        }
        let Some(info) = line.strip_prefix("```").filter(|info| !info.is_empty()) else {
            // A heading or a paragraph does not end an example; the next marker does.
            continue_fence(line, &mut lines);
            continue;
        };
        let text: Vec<&str> = lines.by_ref().take_while(|line| line.trim_end() != "```").collect();
        if let Some(example) = examples.last_mut() {
            let block =
                read_block(info.trim(), &text).unwrap_or_else(|why| panic!("{}: {why}", example.name));
            example.blocks.push(block);
        }
    }
    examples
}

/// Skips a fenced block that has no language: it is no part of an example.
fn continue_fence<'l>(line: &str, lines: &mut impl Iterator<Item = &'l str>) {
    if line.trim_end() == "```" {
        for line in lines {
            if line.trim_end() == "```" {
                return;
            }
        }
    }
}

fn read_block(info: &str, lines: &[&str]) -> Result<Block, String> {
    let text = lines.join("\n");
    let json = || serde_json::from_str::<Value>(&text).map_err(|error| format!("{info}: {error}: {text}"));
    Ok(match info {
        "yaml" => Block::Definition(text),
        "json worker" => Block::Worker(json()?),
        "json input" => Block::Input(json()?),
        "json answer" => Block::Answer(json()?),
        "json waiting" => Block::Waiting(json()?),
        "json output" => Block::Output(json()?),
        "json error" => Block::Error(json()?),
        "json cancelled" => Block::Cancelled(json()?),
        "json nodes" => Block::Nodes(json()?),
        "text jobs" => Block::Jobs(lines.iter().map(|line| line.trim().to_owned()).collect()),
        _ => match info.strip_prefix("http") {
            Some(status) => return read_request(status.trim(), lines),
            None => return Err(format!("nobody knows what ```{info} is")),
        },
    })
}

fn read_request(status: &str, lines: &[&str]) -> Result<Block, String> {
    let (line, body) = lines.split_first().ok_or("an empty request")?;
    let (method, path) = line.split_once(' ').ok_or_else(|| format!("no request: {line}"))?;
    let body = body.join("\n");
    Ok(Block::Request {
        status: if status.is_empty() { None } else { Some(status.parse().map_err(|_| status.to_owned())?) },
        method: method.to_owned(),
        path: path.to_owned(),
        body: if body.trim().is_empty() {
            None
        } else {
            Some(serde_json::from_str(&body).map_err(|error| format!("{error}: {body}"))?)
        },
    })
}

#[test]
fn blocks_are_read_by_their_kind() {
    let page = "# T\n```\nnot this\n```\n<!-- example: one -->\n```yaml\nname: a\n```\ntext\n```http 409\nPOST /x\n{\"a\": 1}\n```\n\
                <!-- example: two -->\n```text jobs\na\nb\n```\n";
    let request = Block::Request {
        status: Some(409),
        method: "POST".to_owned(),
        path: "/x".to_owned(),
        body: Some(serde_json::json!({"a": 1})),
    };
    let expected = [
        Example { name: "one".to_owned(), blocks: vec![Block::Definition("name: a".to_owned()), request] },
        Example { name: "two".to_owned(), blocks: vec![Block::Jobs(vec!["a".to_owned(), "b".to_owned()])] },
    ];
    assert_eq!(examples_of(page), expected);
}
