"""TypeScript: src/generated/models.ts and src/generated/api.ts."""
from document import Document, Model, Operation, Type

HEAD = "// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.\n"


def type_name(kind: Type) -> str:
    inner = type_name(kind.item) if kind.item else ""
    return {
        "json": "Json", "string": "string", "datetime": "string", "int32": "number", "int64": "number",
        "double": "number", "boolean": "boolean", "ref": kind.name, "array": f"{wrapped(inner)}[]",
        "map": f"Record<string, {inner}>", "page": f"Page<{inner}>", "reports": f"Reports<{inner}>",
        "settlements": f"Settlements<{inner}>", "batchresults": f"BatchResults<{inner}>",
    }[kind.kind]


def wrapped(inner: str) -> str:
    return f"({inner})" if "|" in inner else inner


def comment(text: str, indent: str = "") -> str:
    if not text:
        return ""
    lines = text.strip().splitlines()
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return f"{indent}/**\n" + "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines) + f"{indent} */\n"


def emit_model(model: Model) -> str:
    out = comment(model.description)
    if model.values:
        values = " | ".join(f'"{value}"' for value in model.values)
        # A newer server may say something that this version does not know.
        return f"{out}export type {model.name} = {values} | (string & {{}});\n"
    out += f"export interface {model.name} {{\n"
    for prop in model.properties:
        out += comment(prop.description, "  ")
        optional = "" if prop.required else "?"
        null = " | null" if prop.nullable else ""
        name = prop.name if prop.name.isidentifier() else f'"{prop.name}"'
        out += f"  {name}{optional}: {type_name(prop.type)}{null};\n"
    return out + "}\n"


def emit_operation(operation: Operation) -> str:
    path_names = [p.name for p in operation.parameters if p.place == "path"]
    queries = [p for p in operation.parameters if p.place == "query"]
    arguments = [f"{name}: string" for name in path_names]
    if operation.body:
        arguments.append(f"body: {type_name(operation.body)}")
    if queries:
        fields = "; ".join(f"{p.name}?: {type_name(p.type)} | undefined" for p in queries)
        arguments.append(f"query: {{ {fields} }} = {{}}")
    arguments.append("options: CallOptions = {}")
    path = operation.path
    for name in path_names:
        path = path.replace(f"{{{name}}}", f"${{encodeURIComponent({name})}}")
    quoted = f"`{path}`" if path_names else f'"{path}"'
    parts = [f'name: "{operation.name}"', f'method: "{operation.method}"', f"path: {quoted}"]
    parts += ["query"] if queries else []
    parts += ["body"] if operation.body else []
    parts += ["keyed: true"] if operation.idempotent_by_key else []
    result = type_name(operation.result) if operation.result else "undefined"
    text = operation.summary + (f"\n\n{operation.description}" if operation.description else "")
    return (comment(text, "  ") + f"  {operation.name}({', '.join(arguments)}): Promise<{result}> {{\n"
            f"    return this.transport.call({{ {', '.join(parts)} }}, options) as Promise<{result}>;\n  }}\n")


def emit(document: Document) -> dict:
    models = HEAD + 'import type { Json } from "../json.js";\n\n'
    models += comment("Part of a list; `nextCursor` is the `cursor` of the next part, null at the end.")
    models += "export interface Page<T> {\n  items: T[];\n  nextCursor: string | null;\n}\n"
    models += comment("Reports on leased jobs.") + "export interface Reports<T> {\n  jobs: T[];\n}\n"
    models += comment("Reports that end attempts, and a poll for the next jobs.")
    models += "export interface Settlements<T> {\n  jobs: T[];\n  poll?: Poll | null;\n}\n"
    models += comment("Result of each item of a batch, in order.")
    models += "export interface BatchResults<T> {\n  results: T[];\n}\n"
    models += "".join("\n" + emit_model(model) for model in document.models)
    operations = document.operations
    used = sorted({name for op in operations for name in names_of(op)})
    api = HEAD + 'import type { Json } from "../json.js";\nimport type { CallOptions, Transport } from "../transport.js";\n'
    api += "import type {\n" + "".join(f"  {name},\n" for name in used) + '} from "./models.js";\n\n'
    api += comment("Every call of the REST API. `Client` is the friendlier way to most of them.")
    api += "export class Api {\n  constructor(private readonly transport: Transport) {}\n"
    api += "".join("\n" + emit_operation(operation) for operation in operations) + "}\n"
    return {"src/generated/models.ts": models, "src/generated/api.ts": api}


def names_of(operation: Operation):
    for kind in (operation.body, operation.result, *(p.type for p in operation.parameters)):
        while kind:
            if kind.name:
                yield kind.name
            kind = kind.item
