import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson, stringifyJson } from "../src/index.js";

test("whole numbers beyond 2^53 are bigint on both ways", () => {
  const text = '{"n":9007199254740993,"m":-9223372036854775808,"small":9007199254740991,"list":[18446744073709551615]}';
  const value = parseJson(text) as Record<string, unknown>;
  assert.deepEqual(value, {
    n: 9007199254740993n,
    m: -9223372036854775808n,
    small: 9007199254740991,
    list: [18446744073709551615n],
  });
  assert.equal(stringifyJson(value), text);
});

test("digits inside of strings and keys, decimals and exponents stay what they are", () => {
  const text = '{"12345678901234567890":"\\"12345678901234567890\\\\","d":1.5,"e":1e20,"f":0.1234567890123456789}';
  const value = parseJson(text) as Record<string, unknown>;
  assert.equal(value["12345678901234567890"], '"12345678901234567890\\');
  assert.equal(value["e"], 1e20);
});

test("text that is no JSON is refused, also where it has large numbers", () => {
  for (const text of ["", "{", "[12345678901234567890", '{"a":12345678901234567890x}', '"12345678901234567890', "-"]) {
    assert.throws(() => parseJson(text), SyntaxError, text);
  }
});

test("a bigint at the top, undefined and functions", () => {
  assert.equal(stringifyJson(2n ** 64n), "18446744073709551616");
  assert.equal(stringifyJson(undefined), "null");
  assert.throws(() => stringifyJson(() => 1), TypeError);
});
