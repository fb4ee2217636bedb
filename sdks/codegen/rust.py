"""Rust: src/models/*.rs and src/api/*.rs, a file for each part of the interface."""
import re
import subprocess

from document import Document, Model, Operation, Type, pascal

HEAD = "//! {} Generated from services/api/openapi.json by sdks/codegen/generate.py.\n\n"
KEYWORDS = {"type", "for", "in", "match", "ref", "move", "where", "use", "loop", "fn", "enum", "final", "if", "async", "await"}
# No file of the repository is longer than 600 lines, and few have more than 400.
LINES_MAX = 380
NUMBERS = {"int32": "i32", "int64": "i64", "double": "f64", "boolean": "bool"}


def snake(text: str) -> str:
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text).replace("-", "_").lower()
    return f"in_{name}" if name[0].isdigit() else name


def field(name: str) -> str:
    return f"r#{snake(name)}" if snake(name) in KEYWORDS else snake(name)


def camel_of(name: str) -> str:
    """What serde makes of a field in snake case."""
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def type_name(kind: Type) -> str:
    inner = type_name(kind.item) if kind.item else ""
    return {
        "json": "Json", "string": "String", "datetime": "Timestamp", **NUMBERS, "ref": kind.name, "array": f"Vec<{inner}>",
        "map": f"BTreeMap<String, {inner}>", "page": f"Page<{inner}>", "reports": f"Reports<{inner}>",
        "settlements": f"Settlements<{inner}>", "batchresults": f"BatchResults<{inner}>",
    }[kind.kind]


def doc(text: str, indent: str = "") -> str:
    escaped = re.sub(r"(?<!`)<([a-zA-Z]+)>", r"`<\1>`", text.strip()).replace("[", "\\[").replace("]", "\\]")
    return "".join(f"{indent}/// {line}".rstrip() + "\n" for line in escaped.splitlines())


def emit_model(model: Model) -> str:
    out = doc(model.description or f"The schema {model.name} of the API.")
    if model.values:
        out = f"open_enum! {{\n{doc(model.description or model.name, '    ')}    pub enum {model.name} {{\n"
        return out + "".join(f'        /// `{v}`.\n        {variant(v)} = "{v}",\n' for v in model.values) + "    }\n}\n"
    out += '#[derive(Debug, Clone, Default, Serialize, Deserialize)]\n#[serde(rename_all = "camelCase", default)]\n'
    out += f"pub struct {model.name} {{\n"
    for prop in model.properties:
        kind = type_name(prop.type)
        if not prop.required or prop.nullable:
            kind = f"Option<{kind}>"
            out += doc(prop.description or f"`{prop.name}`; may be absent.", "    ")
            out += '    #[serde(skip_serializing_if = "Option::is_none")]\n'
        else:
            out += doc(prop.description or f"`{prop.name}`.", "    ")
        if camel_of(snake(prop.name)) != prop.name:
            out += f'    #[serde(rename = "{prop.name}")]\n'
        out += f"    pub {field(prop.name)}: {kind},\n"
    return out + "}\n"


def variant(value: str) -> str:
    return "".join(p[:1].upper() + (p[1:].lower() if p.isupper() else p[1:]) for p in re.split(r"[_-]", value))


def emit_operation(operation: Operation) -> tuple[str, str]:
    """The struct of its query, if it has one, and the method."""
    paths = [p for p in operation.parameters if p.place == "path"]
    queries = [p for p in operation.parameters if p.place == "query"]
    arguments = ["&self"] + [f"{field(p.name)}: {NUMBERS.get(p.type.kind, '&str')}" for p in paths]
    arguments += [f"body: &{type_name(operation.body)}"] if operation.body else []
    query = ""
    if queries:
        name = f"{pascal(operation.name)}Query"
        query = doc(f"The query of [`Calls::{snake(operation.name)}`]; fields that are absent are not sent.".replace("[", "\0"))
        query = query.replace("\0", "[").replace("\\]", "]")
        query += ('#[derive(Debug, Clone, Default, Serialize)]\n#[serde(rename_all = "camelCase")]\n'
                  f"pub struct {name} {{\n")
        for p in queries:
            query += doc(p.description or f"`{p.name}`.", "    ") + f"    pub {field(p.name)}: Option<{type_name(p.type)}>,\n"
        query += "}\n"
        arguments.append(f"query: &{name}")
    path, texts = operation.path, [p for p in paths if p.type.kind == "string"]
    for p in paths:
        path = path.replace(f"{{{p.name}}}", "{}" if p in texts else f"{{{field(p.name)}}}")
    values = "".join(f", segment({field(p.name)})" for p in texts)
    parts = f'Request::new("{operation.name}", "{operation.method}", ' + (f'format!("{path}"{values})' if paths else f'"{path}"') + ")"
    parts += ".keyed()" if operation.idempotent_by_key else ""
    parts += ".query(query)?" if queries else ""
    parts += ".body(body)?" if operation.body else ""
    result = type_name(operation.result) if operation.result else "()"
    call = "call" if operation.result else "call_empty"
    text = operation.summary + "." + ("\n" + operation.description if operation.description else "")
    method = doc(text, "    ")
    method += f"    pub async fn {snake(operation.name)}({', '.join(arguments)}) -> Result<{result}, ClientError> {{\n"
    return query, method + f"        self.{call}({parts}).await\n    }}\n"


def names_of(kind: Type):
    while kind:
        if kind.kind == "ref":
            yield kind.name
        if kind.kind == "settlements":
            yield "Poll"
        kind = kind.item


def part_of(path: str) -> str:
    return snake(path.removeprefix("/v1/").split("/")[0])


def parts_of_models(document: Document) -> dict:
    """Each model is in the file of the one part of the interface that uses it, or in `common`."""
    users = {}
    for operation in document.operations:
        kinds = [operation.body, operation.result, *(p.type for p in operation.parameters)]
        todo, seen = [name for kind in kinds if kind for name in names_of(kind)], set()
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            users.setdefault(name, set()).add(part_of(operation.path))
            todo += [n for prop in document.by_name[name].properties for n in names_of(prop.type)]
    return {m.name: next(iter(users[m.name])) if len(users.get(m.name, ())) == 1 else "common" for m in document.models}


def code_of(text: str) -> str:
    """Without comments and texts."""
    return re.sub(r'//[/!].*|"[^"]*"', "", text)


def words(code: str) -> set:
    return set(re.findall(r"\b[A-Z]\w*", code))


def rustfmt(text: str) -> str:
    command = ["rustfmt", "--edition", "2024", "--config", "max_width=110,use_field_init_shorthand=true,use_small_heuristics=Max"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def chunks(pieces: list):
    """Pieces of text, gathered up to the number of lines that a file may have."""
    lines, gathered = 0, []
    for piece in pieces:
        # The formatter makes some lines of one.
        count = int(piece.count("\n") * 1.25)
        if gathered and lines + count > LINES_MAX:
            yield gathered
            lines, gathered = 0, []
        lines += count + 1
        gathered.append(piece)
    if gathered:
        yield gathered


def imports(text: str) -> str:
    lines = ["use std::collections::BTreeMap;\n\n"] if "BTreeMap<" in text else []
    serde = [name for name in ("Deserialize", "Serialize") if name in words(text)]
    lines += [f"use serde::{{{', '.join(serde)}}};\n"] if serde else []
    return "".join(lines) + ("\n" if lines else "")


def files_of(folder: str, part: str, pieces: list, about: str, wrap) -> dict:
    files = {}
    for number, gathered in enumerate(chunks(pieces), 1):
        name = part if number == 1 else f"{part}_{number}"
        files[f"src/{folder}/{name}.rs"] = rustfmt(HEAD.format(about.format(part.replace("_", " "))) + wrap(gathered))
    return files


def emit_models(document: Document) -> dict:
    part_by_name, by_part, files = parts_of_models(document), {}, {}
    for model in document.models:
        by_part.setdefault(part_by_name[model.name], []).append(emit_model(model))

    def wrap(pieces):
        text = "\n".join(pieces)
        code = code_of(text)
        # Variants of enumerations may be named like models.
        fields = words("\n".join(re.findall(r"^ +pub (?:r#)?\w+: .*", code, re.MULTILINE)))
        others = sorted((fields & set(document.by_name)) - set(re.findall(r"pub (?:struct|enum) (\w+)", code)))
        own = f"use super::{{{', '.join(others)}}};\n" if others else ""
        own += "use crate::json::Json;\n" if "Json" in words(code) else ""
        own += "use crate::open_enum::open_enum;\n" if "open_enum!" in code else ""
        own += "use crate::timestamp::Timestamp;\n" if "Timestamp" in words(code) else ""
        return imports(code) + own + "\n" + text

    for part, pieces in sorted(by_part.items()):
        files |= files_of("models", part, pieces, "Models of {}.", wrap)
    names = sorted(path.rsplit("/", 1)[1].removesuffix(".rs") for path in files)
    contents = HEAD.format("What requests and answers of the interface hold.")
    contents += "".join(f"mod {name};\n" for name in ["generic", *names]) + "\n"
    contents += "".join(f"pub use {name}::*;\n" for name in ["generic", *names])
    return files | {"src/models/mod.rs": rustfmt(contents)}


def emit_calls(document: Document) -> dict:
    by_part, files = {}, {}
    for operation in document.operations:
        by_part.setdefault(part_of(operation.path), []).append("\0".join(emit_operation(operation)))

    def wrap(pieces):
        queries = "\n".join(q for q in (piece.split("\0")[0] for piece in pieces) if q)
        methods = "\n".join(piece.split("\0")[1] for piece in pieces)
        used = words(code_of(queries + methods))
        models = sorted(used & (set(document.by_name) | {"Page", "Reports", "Settlements", "BatchResults"}))
        text = imports(code_of(queries + methods))
        text += "use super::Calls;\nuse crate::error::ClientError;\n"
        text += "use crate::json::Json;\n" if "Json" in used else ""
        text += f"use crate::models::{{{', '.join(models)}}};\n" if models else ""
        text += "use crate::timestamp::Timestamp;\n" if "Timestamp" in used else ""
        text += f"use crate::transport::{'{Request, segment}' if 'segment(' in methods else 'Request'};\n\n"
        return text + f"impl Calls {{\n{methods}}}\n\n{queries}"

    for part, pieces in sorted(by_part.items()):
        files |= files_of("api", part, pieces, "Calls of {}.", wrap)
    names = sorted(path.rsplit("/", 1)[1].removesuffix(".rs") for path in files)
    with_queries = [n for n in names if "Query {" in files[f"src/api/{n}.rs"]]
    contents = HEAD.format("Every call of the API.")
    contents += "".join(f"mod {name};\n" for name in ["calls", *names]) + "\npub use calls::Calls;\n"
    contents += "".join(f"pub use {name}::*;\n" for name in with_queries)
    return files | {"src/api/mod.rs": rustfmt(contents)}


def emit(document: Document) -> dict:
    return emit_models(document) | emit_calls(document)
