"""Go: api/models.gen.go and api/calls.gen.go."""
import re

from document import Document, Model, Operation, Type, pascal

HEAD = "// Code generated from services/api/openapi.json by sdks/codegen/generate.py. DO NOT EDIT.\n\n"
INITIALISMS = {"Id": "ID", "Url": "URL", "Ids": "IDs", "Api": "API"}


def go_name(text: str) -> str:
    """Pascal case, with the initialisms that Go writes in capitals."""
    name = pascal(text)
    for plain, initials in INITIALISMS.items():
        name = re.sub(rf"{plain}(?=[A-Z]|$)", initials, name)
    # A span such as `1h` is no name.
    return f"In{name}" if name[:1].isdigit() else name


def type_name(kind: Type) -> str:
    inner = type_name(kind.item) if kind.item else ""
    return {
        "json": "json.RawMessage", "string": "string", "datetime": "time.Time", "int32": "int32", "int64": "int64",
        "double": "float64", "boolean": "bool", "ref": go_name(kind.name), "array": f"[]{inner}",
        "map": f"map[string]{inner}", "page": f"Page[{inner}]", "reports": f"Reports[{inner}]",
        "settlements": f"Settlements[{inner}]", "batchresults": f"BatchResults[{inner}]",
    }[kind.kind]


def comment(text: str, indent: str = "") -> str:
    return "".join(f"{indent}// {line}".rstrip() + "\n" for line in text.strip().splitlines())


def emit_model(model: Model) -> str:
    name = go_name(model.name)
    out = comment(f"{name}: {model.description}" if model.description else f"{name} is the schema {model.name} of the API.")
    if model.values:
        out += f"type {name} string\n\n// What a {name} may be. A newer server may say something else.\nconst (\n"
        return out + "".join(f'\t{name}{go_name(constant(v))} {name} = "{v}"\n' for v in model.values) + ")\n"
    out += f"type {name} struct {{\n"
    for prop in model.properties:
        kind = type_name(prop.type)
        loose = not prop.required or prop.nullable
        # Slices, maps and raw JSON have an empty value of their own.
        if loose and prop.type.kind not in ("array", "map", "json"):
            kind = "*" + kind
        tag = f'{prop.name},omitempty' if loose else prop.name
        out += comment(prop.description, "\t") + f'\t{go_name(prop.name)} {kind} `json:"{tag}"`\n'
    return out + "}\n"


def constant(value: str) -> str:
    return "_".join(p[:1] + (p[1:].lower() if p.isupper() else p[1:]) for p in value.replace("-", "_").split("_"))


def emit_operation(operation: Operation) -> str:
    name = go_name(operation.name)
    paths = [p for p in operation.parameters if p.place == "path"]
    queries = [p for p in operation.parameters if p.place == "query"]
    out = ""
    arguments = ["ctx context.Context"] + [f"{local(p.name)} string" for p in paths]
    if operation.body:
        arguments.append(f"body {type_name(operation.body)}")
    if queries:
        out += f"// {name}Query is the query of {name}; zero fields are not sent.\ntype {name}Query struct {{\n"
        for p in queries:
            out += comment(p.description, "\t") + f"\t{go_name(p.name)} {query_type(p.type)}\n"
        out += "}\n\n"
        arguments.append(f"query {name}Query")
    text = f"{name}: {operation.summary}." + (f"\n{operation.description}" if operation.description else "")
    path = '"' + operation.path + '"'
    for p in paths:
        path = path.replace("{" + p.name + "}", f'" + url.PathEscape({local(p.name)}) + "')
    path = path.removesuffix(' + ""')
    parts = [f'Name: "{operation.name}"', f'Method: "{operation.method}"', f"Path: {path}"]
    parts += ["Keyed: true"] if operation.idempotent_by_key else []
    result = type_name(operation.result) if operation.result else ""
    returns = f"({result}, error)" if result else "error"
    out += comment(text) + f"func (c *Calls) {name}({', '.join(arguments)}, options ...Option) {returns} {{\n"
    if queries:
        out += "\tvalues := url.Values{}\n"
        for p in queries:
            out += set_query(p)
        parts.append("Query: values")
    parts += ["Body: body"] if operation.body else []
    request = f"Request{{{', '.join(parts)}}}"
    if not result:
        return out + f"\treturn c.transport.Call(ctx, {request}, nil, options...)\n}}\n"
    return out + (f"\tvar out {result}\n\terr := c.transport.Call(ctx, {request}, &out, options...)\n"
                  "\treturn out, err\n}\n")


def query_type(kind: Type) -> str:
    return {"boolean": "*bool"}.get(kind.kind, type_name(kind))


def set_query(parameter) -> str:
    field = f"query.{go_name(parameter.name)}"
    test, text = {
        "boolean": (f"{field} != nil", f"strconv.FormatBool(*{field})"),
        "datetime": (f"!{field}.IsZero()", f"{field}.Format(time.RFC3339Nano)"),
        "int32": (f"{field} != 0", f"strconv.FormatInt(int64({field}), 10)"),
        "int64": (f"{field} != 0", f"strconv.FormatInt({field}, 10)"),
    }.get(parameter.type.kind, (f'{field} != ""', f"string({field})"))
    return f'\tif {test} {{\n\t\tvalues.Set("{parameter.name}", {text})\n\t}}\n'


def local(name: str) -> str:
    return name[:1].lower() + name[1:]


def emit(document: Document) -> dict:
    models = HEAD + 'package api\n\nimport (\n\t"encoding/json"\n\t"time"\n)\n\n'
    models += ("// Page is part of a list. NextCursor is the Cursor of the next part, nil at the end.\ntype Page[T any] struct {\n"
               '\tItems []T `json:"items"`\n\tNextCursor *string `json:"nextCursor"`\n}\n\n'
               '// Reports are reports on leased jobs.\ntype Reports[T any] struct {\n\tJobs []T `json:"jobs"`\n}\n\n'
               "// Settlements are reports that end attempts, and a poll for the next jobs. Poll is left out where it is nil.\n"
               'type Settlements[T any] struct {\n\tJobs []T `json:"jobs"`\n\tPoll *Poll `json:"poll,omitempty"`\n}\n\n'
               "// BatchResults is what became of each item of a batch, in order.\ntype BatchResults[T any] struct {\n"
               '\tResults []T `json:"results"`\n}\n')
    models += "".join("\n" + emit_model(model) for model in document.models)
    calls = HEAD + ('package api\n\nimport (\n\t"context"\n\t"encoding/json"\n\t"net/url"\n\t"strconv"\n\t"time"\n)\n\n'
                    "// Calls is every call of the REST API.\ntype Calls struct {\n\ttransport Transport\n}\n\n"
                    "// NewCalls gives the calls over a transport.\nfunc NewCalls(transport Transport) *Calls { return &Calls{transport} }\n")
    for operation in document.operations:
        calls += "\n" + emit_operation(operation)
    return {"api/models.gen.go": models, "api/calls.gen.go": calls}
