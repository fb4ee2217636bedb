// JSON that keeps whole numbers exact: those outside of Number.MIN_SAFE_INTEGER…MAX_SAFE_INTEGER are bigint on both ways.

/** Any JSON value: null, boolean, number, bigint (whole numbers beyond 2^53), string, array or plain object. */
export type Json = unknown;

// Marks a number that stands in a string for the time between two passes. It is new in each process, so that no data
// can look like it.
const MARK = `\u0001trunkline-integer-${globalThis.crypto.randomUUID()}:`;

/** Parses JSON. Integers that a `number` cannot represent become `bigint`; all others stay `number`. */
export function parseJson(text: string): Json {
  // Only numbers of 16 digits and more can be too large, and few documents have one.
  if (!/\d{16}/.test(text)) return JSON.parse(text) as Json;
  return JSON.parse(markLargeIntegers(text), (_key, value: unknown) =>
    typeof value === "string" && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
  ) as Json;
}

/** Writes JSON. A `bigint` becomes a number with all its digits; `undefined` at the top becomes null. */
export function stringifyJson(value: Json): string {
  const marks = { count: 0 };
  const text = JSON.stringify(value ?? null, (_key, inner: unknown) => {
    if (typeof inner !== "bigint") return inner;
    marks.count += 1;
    return MARK + inner.toString();
  }) as string | undefined;
  if (text === undefined) throw new TypeError(`a ${typeof value} cannot be sent as JSON`);
  if (marks.count === 0) return text;
  const quoted = JSON.stringify(MARK).slice(0, -1);
  return text.split(quoted).reduce((before, after) => before + after.replace('"', ""));
}

/**
 * Puts the mark around whole numbers that are not safe. Strings are skipped; what is not JSON is left to JSON.parse.
 */
function markLargeIntegers(text: string): string {
  const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  const parts: string[] = [];
  let kept = 0;
  for (let at = 0; at < text.length;) {
    const char = text.charCodeAt(at);
    if (char === 0x22) {
      at = endOfString(text, at);
    } else if (char === 0x2d || (char >= 0x30 && char <= 0x39)) {
      number.lastIndex = at;
      const found = number.exec(text)?.[0] ?? "-";
      if (/^-?\d+$/.test(found) && !Number.isSafeInteger(Number(found))) {
        parts.push(text.slice(kept, at), JSON.stringify(MARK + found));
        kept = at + found.length;
      }
      at += found.length;
    } else {
      at += 1;
    }
  }
  parts.push(text.slice(kept));
  return parts.join("");
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === 0x5c) at += 1;
    else if (char === 0x22) return at + 1;
  }
  return text.length;
}
