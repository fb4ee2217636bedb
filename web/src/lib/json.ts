import { isLosslessNumber, isSafeNumber, LosslessNumber, parse, stringify } from 'lossless-json';

/** A JSON value. Numbers that JavaScript would round are kept as their digits. */
export type Json = null | boolean | number | string | LosslessNumber | Json[] | { [name: string]: Json };

/** Reads JSON without rounding any number. Fails with a sentence that names the place. */
export function parseJson(text: string): Json {
  return parse(text, null, { parseNumber: readNumber }) as Json;
}

/** The same with the digits of every number that would be written otherwise than it was read: `1.0` is no integer to expressions. */
export function parseExactJson(text: string): Json {
  const readDigits = (digits: string) =>
    String(Number(digits)) === digits ? Number(digits) : new LosslessNumber(digits);
  return parse(text, null, { parseNumber: readDigits }) as Json;
}

function readNumber(text: string): number | LosslessNumber {
  return isSafeNumber(text) ? Number(text) : new LosslessNumber(text);
}

/** Writes JSON, each number with the digits it was read with. */
export function writeJson(value: unknown, indent?: number): string {
  return stringify(value, null, indent) ?? 'null';
}

/** The digits of a number, or nothing for what is none. */
export function digitsOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return isLosslessNumber(value) ? value.toString() : null;
}

/** Whether it is an object with fields, and no number. */
export function isRecord(value: unknown): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** Control characters as they are named, so that NULs and line ends in names are seen. */
export function visible(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (char) =>
    char === '\r' ? '\\r' : `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
