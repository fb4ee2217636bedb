import { Validator, type Schema } from '@cfworker/json-schema';
import { isRecord, parseExactJson, writeJson, type Json } from './json';

/** A JSON Schema as a definition holds it. */
export type JsonSchema = Record<string, Json>;

export interface SchemaFault {
  /** A JSON pointer into the value; empty for the whole of it. */
  pointer: string;
  message: string;
}

/** What is wrong with a value. Schemas that cannot be read find nothing: the server decides. */
export function faultsOf(value: unknown, schema: JsonSchema | null | undefined): SchemaFault[] {
  if (!schema) return [];
  try {
    // The validator knows plain numbers only; rounding changes no answer about a type.
    const [plain, rules] = [value, schema].map((each) => JSON.parse(writeJson(each)) as unknown);
    const { errors } = new Validator(rules as Schema, '2020-12', false).validate(plain);
    const leaves = errors.filter(
      ({ keyword }) => !['properties', 'items', 'allOf', '$ref', 'additionalProperties'].includes(keyword),
    );
    return (leaves.length > 0 ? leaves : errors).map(({ instanceLocation, error }) => ({
      pointer: instanceLocation.replace(/^#/, ''),
      message: error,
    }));
  } catch {
    return [];
  }
}

export type FieldKind = 'text' | 'long-text' | 'number' | 'boolean' | 'choice' | 'json';

export interface FormField {
  name: string;
  title: string;
  hint: string | undefined;
  kind: FieldKind;
  isRequired: boolean;
  choices: Json[];
  example: string | undefined;
}

/** The schema of a workflow's input; nothing where any input is taken. */
export function inputSchemaOf(definition: unknown): JsonSchema | null {
  return isRecord(definition) && isRecord(definition['input']) ? (definition['input'] as JsonSchema) : null;
}

/** The fields of a form for an object schema; nothing where it is none, and JSON is written instead. */
export function fieldsOf(schema: JsonSchema | null | undefined): FormField[] | null {
  const properties = schema?.['properties'];
  if (!isRecord(properties) || Object.keys(properties).length === 0) return null;
  const required = Array.isArray(schema?.['required']) ? schema['required'] : [];
  return Object.entries(properties).map(([name, raw]) => {
    const property = isRecord(raw) ? raw : {};
    const choices = Array.isArray(property['enum']) ? property['enum'] : [];
    const examples = Array.isArray(property['examples']) ? property['examples'] : [];
    return {
      name,
      title: typeof property['title'] === 'string' ? property['title'] : name,
      hint: typeof property['description'] === 'string' ? property['description'] : undefined,
      kind: kindOf(property, choices.length > 0),
      isRequired: required.includes(name),
      choices,
      example: examples.length > 0 ? textOf(examples[0]!) : undefined,
    };
  });
}

function kindOf(property: Record<string, Json>, hasChoices: boolean): FieldKind {
  if (hasChoices) return 'choice';
  switch (property['type']) {
    case 'string':
      return typeof property['maxLength'] === 'number' && property['maxLength'] > 200 ? 'long-text' : 'text';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      return 'json';
  }
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : writeJson(value);
}

/** The value that a form begins with: defaults, and nothing else. */
export function startOf(schema: JsonSchema | null | undefined): Record<string, Json> {
  const properties = schema?.['properties'];
  if (!isRecord(properties)) return {};
  const pairs = Object.entries(properties).flatMap(([name, property]): [string, Json][] =>
    isRecord(property) && property['default'] !== undefined ? [[name, property['default']]] : [],
  );
  return Object.fromEntries(pairs);
}

/** The value of a field as it was typed; nothing for an empty field. Digits stay as they are. */
export function readField(field: Pick<FormField, 'kind'>, text: string): Json | undefined {
  if (text === '') return undefined;
  if (field.kind === 'text' || field.kind === 'long-text') return text;
  try {
    return parseExactJson(text);
  } catch {
    return text;
  }
}

/** Whether the schema gives an example, of the whole or of a field. */
export function hasExample(schema: JsonSchema | null | undefined): boolean {
  const given = (of: Json | undefined) =>
    isRecord(of) && Array.isArray(of['examples']) && of['examples'].length > 0;
  const properties = schema?.['properties'];
  return given(schema ?? undefined) || (isRecord(properties) && Object.values(properties).some(given));
}

/** An input as the schema gives it by example: its own example, else those of its fields, else their defaults. */
export function exampleOf(schema: JsonSchema | null | undefined): Json {
  const whole = schema?.['examples'];
  if (Array.isArray(whole) && whole.length > 0) return whole[0]!;
  const properties = schema?.['properties'];
  if (!isRecord(properties)) return {};
  const pairs = Object.entries(properties).flatMap(([name, property]): [string, Json][] => {
    if (!isRecord(property)) return [];
    const { examples } = property;
    if (Array.isArray(examples) && examples.length > 0) return [[name, examples[0]!]];
    return property['default'] === undefined ? [] : [[name, property['default']]];
  });
  return Object.fromEntries(pairs);
}
