// The version of an installed package.
import { readFileSync } from "node:fs";

/** As its manifest says. */
export function version(name) {
  const manifest = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(manifest, "utf8")).version;
}
