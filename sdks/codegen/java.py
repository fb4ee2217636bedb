"""Java: a record for each schema in dev.trunkline.model, and dev.trunkline.api.Calls."""
import html
import re

from document import Document, Model, Operation, Type, camel, pascal

HEAD = "// Generated from services/api/openapi.json by sdks/codegen/generate.py. Change that document, not this file.\n"
MODELS = "client/src/main/java/dev/trunkline/model"
CALLS = "client/src/main/java/dev/trunkline/api/Calls.java"
# Words of the language, and methods of every object, which no record component may be named.
KEYWORDS = {"for", "if", "do", "while", "try", "throw", "return", "this", "super", "static", "final", "import", "enum",
            "default", "public", "private", "class", "new", "package", "switch", "case", "wait", "notify", "clone", "finalize"}
IMPORTS = {
    "List<": "java.util.List", "Map<": "java.util.Map", "Instant": "java.time.Instant",
    "JsonNode": "com.fasterxml.jackson.databind.JsonNode",
}


def type_name(kind: Type) -> str:
    inner = type_name(kind.item) if kind.item else ""
    return {
        "json": "JsonNode", "string": "String", "datetime": "Instant", "int32": "Integer", "int64": "Long",
        "double": "Double", "boolean": "Boolean", "ref": kind.name, "array": f"List<{inner}>",
        "map": f"Map<String, {inner}>", "page": f"Page<{inner}>", "reports": f"Reports<{inner}>",
        "settlements": f"Settlements<{inner}>", "batchresults": f"BatchResults<{inner}>",
    }[kind.kind]


def doc(text: str) -> str:
    escaped = html.escape(text.strip(), quote=False).replace("@", "&#64;").replace("*/", "*&#47;")
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escaped)


def imports_of(text: str, *more: str) -> str:
    names = {full for needle, full in IMPORTS.items() if needle in text} | set(more)
    return "".join(f"import {name};\n" for name in sorted(names))


def emit_model(model: Model, builder: bool) -> str:
    description = doc(model.description or f"The schema {model.name} of the API.")
    if model.values:
        body = f"/** {description} */\npublic enum {model.name} {{\n"
        for value in model.values:
            constant = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", value).replace("-", "_").upper()
            body += f'  /** <code>{value}</code> on the wire. */\n  @JsonProperty("{value}")\n  {constant},\n'
        body += ("  /** What a newer server says and this version does not know. */\n"
                 "  @JsonEnumDefaultValue\n  UNKNOWN\n}\n")
        extra = ("com.fasterxml.jackson.annotation.JsonProperty", "com.fasterxml.jackson.annotation.JsonEnumDefaultValue")
        return HEAD + f"package dev.trunkline.model;\n\n{imports_of('', *extra)}\n{body}"
    body = "/**\n * " + description.replace("\n", "\n * ") + "\n *\n"
    for prop in model.properties:
        null = "" if prop.required and not prop.nullable else " May be null."
        text = doc(prop.description or f"{prop.name}.").replace("\n", " ")
        body += f" * @param {field(prop.name)} {text}{null}\n"
    body += " */\n@JsonInclude(JsonInclude.Include.NON_NULL)\n@JsonIgnoreProperties(ignoreUnknown = true)\n"
    components = ",\n    ".join(component(prop) for prop in model.properties)
    body += f"public record {model.name}(\n    {components}) {{"
    body += emit_builder(model) if builder else ""
    body += "}\n"
    extra = ["com.fasterxml.jackson.annotation.JsonInclude", "com.fasterxml.jackson.annotation.JsonIgnoreProperties"]
    if "@JsonProperty" in body:
        extra.append("com.fasterxml.jackson.annotation.JsonProperty")
    return HEAD + f"package dev.trunkline.model;\n\n{imports_of(body, *extra)}\n{body}"


def component(prop) -> str:
    name = field(prop.name)
    rename = f'@JsonProperty("{prop.name}") ' if name != prop.name else ""
    return f"{rename}{type_name(prop.type)} {name}"


def field(name: str) -> str:
    if name[0].isdigit():
        return f"in{name}"
    name = camel(name)
    return name + "_" if name in KEYWORDS else name


def emit_builder(model: Model) -> str:
    name = model.name
    out = f"\n  /**\n   * Starts one with nothing set.\n   *\n   * @return a builder\n   */\n  public static Builder builder() {{\n    return new Builder();\n  }}\n"
    out += f"\n  /** Builds a {name}. */\n  public static final class Builder {{\n"
    out += "".join(f"    private {type_name(p.type)} {field(p.name)};\n" for p in model.properties)
    out += "\n    private Builder() {}\n"
    for p in model.properties:
        text = doc(p.description or f"Sets {p.name}.").replace("\n", " ")
        out += (f"\n    /**\n     * {text}\n     *\n     * @param value the value\n     * @return this builder\n     */\n"
                f"    public Builder {field(p.name)}({type_name(p.type)} value) {{\n      {field(p.name)} = value;\n"
                "      return this;\n    }\n")
    values = ", ".join(field(p.name) for p in model.properties)
    out += (f"\n    /**\n     * The finished value.\n     *\n     * @return the {name}\n     */\n"
            f"    public {name} build() {{\n      return new {name}({values});\n    }}\n  }}\n")
    return out


def requested(document: Document) -> set:
    """Models that callers make: those of request bodies, and what these hold."""
    todo, found = [op.body for op in document.operations if op.body], set()
    while todo:
        kind = todo.pop()
        while kind.item:
            kind = kind.item
        if kind.kind == "ref" and kind.name not in found:
            found.add(kind.name)
            todo += [p.type for p in document.by_name[kind.name].properties]
    return found


def emit_operation(operation: Operation) -> str:
    paths = [p for p in operation.parameters if p.place == "path"]
    queries = [p for p in operation.parameters if p.place == "query"]
    arguments = [f"String {p.name}" for p in paths]
    arguments += [f"{type_name(operation.body)} body"] if operation.body else []
    arguments += ["Map<String, ?> query"] if queries else []
    arguments.append("CallOptions options")
    result = type_name(operation.result) if operation.result else "void"
    path = '"' + operation.path + '"'
    for p in paths:
        path = path.replace("{" + p.name + "}", f'" + Request.escape({p.name}) + "')
    path = path.removesuffix(' + ""')
    text = doc(operation.summary + "." + (" " + operation.description if operation.description else ""))
    out = "  /**\n   * " + text.replace("\n", "\n   * ") + "\n   *\n"
    out += "".join(f"   * @param {p.name} {doc(p.description or 'path parameter').replace(chr(10), ' ')}\n" for p in paths)
    out += "   * @param body what is sent\n" if operation.body else ""
    if queries:
        listed = ", ".join(f"<code>{p.name}</code>" for p in queries)
        out += f"   * @param query any of {listed}\n"
    out += "   * @param options deadline and idempotency key\n"
    out += "   * @return the answer\n" if operation.result else ""
    out += f"   */\n  public {result} {operation.name}({', '.join(arguments)}) {{\n"
    request = (f'new Request("{operation.name}", "{operation.method}", {path}, {"query" if queries else "Map.of()"}, '
               f'{"body" if operation.body else "null"}, {str(operation.idempotent_by_key).lower()})')
    if operation.result:
        return out + f"    return transport.call({request}, new TypeReference<{result}>() {{}}, options);\n  }}\n"
    return out + f"    transport.call({request}, new TypeReference<Void>() {{}}, options);\n  }}\n"


PAGE = '''package dev.trunkline.model;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.util.List;

/**
 * %s
 *
 * @param <T> what it holds
 * @param %s
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record %s {}
'''


def emit(document: Document) -> dict:
    builders = requested(document)
    files = {f"{MODELS}/{model.name}.java": emit_model(model, model.name in builders) for model in document.models}
    files[f"{MODELS}/Page.java"] = HEAD + PAGE % (
        "Part of a list.", "items the items\n * @param nextCursor the <code>cursor</code> of the next part, null at the end",
        "Page<T>(List<T> items, String nextCursor)")
    files[f"{MODELS}/Reports.java"] = HEAD + PAGE % ("Reports on leased jobs.", "jobs the reports", "Reports<T>(List<T> jobs)")
    files[f"{MODELS}/Settlements.java"] = HEAD + PAGE % (
        "Reports that end attempts.", "jobs the reports\n * @param poll a poll for the next jobs. May be null.",
        "Settlements<T>(List<T> jobs, Poll poll)")
    files[f"{MODELS}/BatchResults.java"] = HEAD + PAGE % (
        "Result of each item of a batch, in order.", "results one result for each item", "BatchResults<T>(List<T> results)")
    body = ("/** Every call of the REST API. {@link dev.trunkline.TrunklineClient} is the friendlier way. */\n"
            "public final class Calls {\n  private final Transport transport;\n\n"
            "  /**\n   * The calls over a transport.\n   *\n   * @param transport what carries them\n   */\n"
            "  public Calls(Transport transport) {\n    this.transport = transport;\n  }\n")
    body += "".join("\n" + emit_operation(op) for op in document.operations) + "}\n"
    more = ("com.fasterxml.jackson.core.type.TypeReference", "dev.trunkline.model.*", "java.util.Map")
    files[CALLS] = HEAD + f"package dev.trunkline.api;\n\n{imports_of(body, *more)}\n{body}"
    return files
