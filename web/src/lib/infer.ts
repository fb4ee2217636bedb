import { digitsOf, isRecord, type Json } from './json';
import type { JsonSchema } from './schema';

/** Deeper than this, anything is taken. */
const DEPTH_MAX = 8;

/**
 * The form that values have in common: their types, and the fields that none of them lacks. Says nothing of fields that
 * none of them has, and nothing at all for no values.
 */
export function schemaOf(values: readonly Json[], depth = 0): JsonSchema {
  if (values.length === 0 || depth > DEPTH_MAX) return {};
  const types = [...new Set(values.map(typeOf))].sort();
  const schema: JsonSchema = { type: types.length === 1 ? types[0]! : types };
  const records = values.filter(isRecord);
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  if (names.length > 0) {
    const held = (name: string) =>
      records.filter((record) => Object.hasOwn(record, name)).map((record) => record[name]!);
    const pairs = names.map((name) => [name, schemaOf(held(name), depth + 1)] as const);
    schema['properties'] = Object.fromEntries(pairs);
    schema['required'] = names.filter((name) => held(name).length === records.length);
  }
  const items = values.filter((value) => Array.isArray(value)).flat();
  if (items.length > 0) schema['items'] = schemaOf(items, depth + 1);
  return schema;
}

/** The type as JSON Schema names it. Whole numbers count as numbers: the next one may have a fraction. */
function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (digitsOf(value) !== null) return 'number';
  if (Array.isArray(value)) return 'array';
  return isRecord(value) ? 'object' : typeof value;
}
