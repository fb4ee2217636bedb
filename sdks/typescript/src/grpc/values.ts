// JSON of REST as messages of gRPC, and back. What is any JSON is bytes; whole numbers of 64 bits stay exact.
import { ScalarType, create, isFieldSet } from "@bufbuild/protobuf";
import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { ProblemError } from "../errors.js";
import { parseJson, stringifyJson } from "../json.js";
import type { Json } from "../json.js";

type Fields = Record<string, unknown>;

/** A message from an object. Throws `ProblemError`, as the server would, for what does not fit. */
export function write(description: DescMessage, values: Json, pointer = ""): Message {
  const given = typeof values === "string" && description.name === "JobError" ? { message: values } : values;
  if (!isObject(given)) throw invalid(pointer, "expected an object");
  const message = create(description);
  const target = message as unknown as Fields;
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const field = description.fields.find((candidate) => candidate.jsonName === name);
    if (!field) throw invalid(`${pointer}/${name}`, "is not a known field");
    // Null is a value of what is any JSON, and elsewhere the same as nothing.
    if (value === null && !isBytes(field)) continue;
    target[field.localName] = fieldValue(field, value, `${pointer}/${name}`);
  }
  return message;
}

/** The object that a message stands for. What is absent in it is absent. */
export function read(description: DescMessage, message: Message): Record<string, Json> {
  const source = message as unknown as Fields;
  const values: Record<string, Json> = {};
  for (const field of description.fields) {
    const value = source[field.localName];
    if (field.fieldKind === "list") {
      values[field.jsonName] = (value as unknown[]).map((item) => readOne(field, item));
    } else if (field.fieldKind === "map") {
      const entries = Object.entries(value as Fields).map(([key, item]) => [key, readOne(field, item)]);
      values[field.jsonName] = Object.fromEntries(entries) as Json;
    } else if (isBytes(field)) {
      if ((value as Uint8Array | undefined)?.length) values[field.jsonName] = readOne(field, value);
    } else if ((field.presence as number) === IMPLICIT || isFieldSet(message, field)) {
      values[field.jsonName] = readOne(field, value);
    }
  }
  return values;
}

/** Any JSON as it travels. */
export function jsonBytes(value: Json): Uint8Array {
  return Buffer.from(stringifyJson(value));
}

// Of the values of field presence, the one of fields that always have a value.
const IMPLICIT = 2;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isBytes(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar === ScalarType.BYTES;
}

function fieldValue(field: DescField, value: unknown, pointer: string): unknown {
  if (field.fieldKind === "list") {
    if (!Array.isArray(value)) throw invalid(pointer, "expected a list");
    return value.map((item, index) => oneValue(field, item, `${pointer}/${index}`));
  }
  if (field.fieldKind === "map") {
    if (!isObject(value)) throw invalid(pointer, "expected an object");
    const entries = Object.entries(value).map(([key, item]) => [key, oneValue(field, item, `${pointer}/${key}`)]);
    return Object.fromEntries(entries) as Fields;
  }
  return oneValue(field, value, pointer);
}

function oneValue(field: DescField, value: unknown, pointer: string): unknown {
  if (field.message) return write(field.message, value, pointer);
  switch (field.scalar) {
    case ScalarType.BYTES:
      return jsonBytes(value);
    case ScalarType.STRING:
      if (typeof value !== "string") throw invalid(pointer, "expected text");
      return value;
    case ScalarType.BOOL:
      if (typeof value !== "boolean") throw invalid(pointer, "expected true or false");
      return value;
    case ScalarType.INT64:
    case ScalarType.UINT64:
      if (typeof value !== "bigint" && !Number.isSafeInteger(value)) throw invalid(pointer, "expected a whole number");
      return BigInt(value as number);
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      if (typeof value !== "number") throw invalid(pointer, "expected a number");
      return value;
    default: {
      const least = field.scalar === ScalarType.UINT32 ? 0 : -(2 ** 31);
      const isIn = Number.isInteger(value) && (value as number) >= least && (value as number) < 2 ** 32 + least;
      if (!isIn) throw invalid(pointer, "expected a whole number within its bounds");
      return value;
    }
  }
}

function readOne(field: DescField, value: unknown): Json {
  if (field.message) return read(field.message, value as Message);
  if (field.scalar === ScalarType.BYTES) return parseJson(Buffer.from(value as Uint8Array).toString());
  if (typeof value === "bigint" && value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER) {
    return Number(value);
  }
  return value;
}

function invalid(pointer: string, message: string): ProblemError {
  const errors = [{ pointer, message }];
  return new ProblemError({ status: 422, code: "invalid", detail: "The request is invalid.", errors });
}
