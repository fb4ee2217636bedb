"""Reads services/api/openapi.json into a small model that every emitter works from.

Only the forms that the document uses are understood; anything else stops the generator, so that a new form is noticed.
"""
import json
import re
from dataclasses import dataclass, field

GENERIC_PREFIXES = {
    "ListOf_": "Page", "Reports_": "Reports", "Settlements_": "Settlements", "BatchResults_": "BatchResults",
}


@dataclass
class Type:
    """`kind` is json, string, datetime, int32, int64, double, boolean, ref, array or map; `name` of a ref; `item` inside."""
    kind: str
    name: str = ""
    item: "Type | None" = None


@dataclass
class Property:
    name: str
    type: Type
    required: bool
    nullable: bool
    description: str


@dataclass
class Model:
    name: str
    description: str
    properties: list = field(default_factory=list)
    values: list = field(default_factory=list)  # of an enumeration


@dataclass
class Parameter:
    name: str
    place: str  # path, query or header
    type: Type
    description: str


@dataclass
class Operation:
    name: str  # lower camel case
    method: str
    path: str
    summary: str
    description: str
    parameters: list
    body: Type | None
    result: Type | None
    idempotent_by_key: bool


def camel(text: str) -> str:
    head, *rest = re.split(r"[_-]", text)
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def pascal(text: str) -> str:
    name = camel(text)
    return name[:1].upper() + name[1:]


class Document:
    def __init__(self, path):
        self.raw = json.loads(path.read_text())
        self.schemas = self.raw["components"]["schemas"]
        self.models = [self.model(name, schema) for name, schema in self.schemas.items() if self.is_model(name)]
        self.by_name = {model.name: model for model in self.models}
        self.operations = list(self.read_operations())

    def is_model(self, name: str) -> bool:
        generic = any(name.startswith(prefix) for prefix in GENERIC_PREFIXES)
        return not generic and self.type_of_ref(name).kind == "ref"

    def type_of_ref(self, name: str) -> Type:
        """What a reference to a schema is: `ListOf_Job` is a page of Job, and what may be text or object is JSON."""
        for prefix, generic in GENERIC_PREFIXES.items():
            if name.startswith(prefix):
                inner = name[len(prefix):]
                inner = f"BatchResult_{inner}" if generic == "BatchResults" else inner
                return Type(generic.lower(), pascal(generic), self.type_of_ref(inner))
        schema = self.schemas[name]
        # A set of words to which servers add is text, so that no client loses a word that it does not know.
        if "anyOf" in schema and all(part.get("type") == "string" for part in schema["anyOf"]):
            return Type("string")
        if name == "AnyJson" or ("oneOf" in schema and any(part.get("type") == "string" for part in schema["oneOf"])):
            return Type("json")
        return Type("ref", pascal(name))

    def type_of(self, schema: dict) -> tuple[Type, bool]:
        """The type of a schema and whether it may be null."""
        if not schema:
            return Type("json"), False
        if "$ref" in schema:
            return self.type_of_ref(schema["$ref"].rsplit("/", 1)[1]), False
        if "oneOf" in schema:
            parts = [part for part in schema["oneOf"] if part.get("type") != "null"]
            if len(parts) != 1:
                return Type("json"), False
            return self.type_of(parts[0])[0], len(parts) < len(schema["oneOf"])
        kinds = schema.get("type")
        nullable = isinstance(kinds, list) and "null" in kinds
        kind = next(k for k in kinds if k != "null") if isinstance(kinds, list) else kinds
        if kind is None:
            return Type("json"), False
        if kind == "array":
            return Type("array", item=self.type_of(schema["items"])[0]), nullable
        if kind == "object":
            if "properties" in schema:
                raise SystemExit(f"an object inside a schema has no name: {json.dumps(schema)[:200]}")
            return Type("map", item=self.type_of(schema.get("additionalProperties") or {})[0]), nullable
        if kind == "string":
            return Type("datetime" if schema.get("format") == "date-time" else "string"), nullable
        if kind == "integer":
            return Type("int64" if schema.get("format") == "int64" else "int32"), nullable
        names = {"number": "double", "boolean": "boolean"}
        return Type(names[kind]), nullable

    def model(self, name: str, schema: dict) -> Model:
        model = Model(pascal(name), schema.get("description", ""))
        if "enum" in schema:
            model.values = schema["enum"]
            return model
        alternatives = schema.get("oneOf", [])
        for part in alternatives or schema.get("allOf", [schema]):
            self.add_properties(model, part, optional=bool(alternatives))
        return model

    def add_properties(self, model: Model, schema: dict, optional: bool):
        while "$ref" in schema:
            schema = self.schemas[schema["$ref"].rsplit("/", 1)[1]]
        known = {known.name for known in model.properties}
        for part in schema.get("allOf", []):
            self.add_properties(model, part, optional)
        for name, inner in schema.get("properties", {}).items():
            if name in known:
                continue
            kind, nullable = self.type_of(inner)
            required = name in schema.get("required", []) and not optional
            model.properties.append(Property(name, kind, required, nullable, description_of(inner)))

    def read_operations(self):
        for path, item in self.raw["paths"].items():
            if not path.startswith("/v1/"):
                continue
            for method, raw in item.items():
                if speaks_json(raw):
                    yield self.operation(path, method, raw)

    def operation(self, path: str, method: str, raw: dict) -> Operation:
        parameters = [Parameter(p["name"], p["in"], self.type_of(p["schema"])[0], p.get("description", ""))
                      for p in raw.get("parameters", [])]
        body = None
        if "requestBody" in raw:
            content = raw["requestBody"]["content"]
            body = self.type_of(content.get("application/json", {}).get("schema", {}))[0]
        success = [answer for status, answer in raw["responses"].items() if status.startswith("2")]
        results = [self.type_of(next(iter(answer["content"].values())).get("schema", {}))[0]
                   for answer in success if answer.get("content")]
        # Several kinds of answer: what each is depends on the request, so the caller reads it.
        same = all(result == results[0] for result in results)
        registered = next((r for r in results if r.name == "RegisteredWorkflow"), None)
        result = (results[0] if same else registered or Type("json")) if results else None
        keyed = any(p.place == "header" and p.name == "Idempotency-Key" for p in parameters)
        return Operation(camel(raw["operationId"]), method.upper(), path, raw.get("summary", ""),
                         raw.get("description", ""), [p for p in parameters if p.place != "header"], body, result, keyed)


def speaks_json(raw: dict) -> bool:
    """Streams and drawings are left to hand-written calls."""
    kinds = {kind for status, answer in raw["responses"].items() if status.startswith("2") for kind in answer.get("content", {})}
    return kinds <= {"application/json"}


def description_of(schema: dict) -> str:
    """A property's own text, or that of the schema it names beside null."""
    if "description" in schema:
        return schema["description"]
    for part in schema.get("oneOf", []):
        if "description" in part:
            return part["description"]
    return ""
