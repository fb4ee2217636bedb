// Writes a brotli and a gzip form beside each built file that gains by it, and checks what a first visit loads.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const DIST = new URL('../dist', import.meta.url).pathname;
const COMPRESSED = /\.(js|css|svg|json|webmanifest|wasm)$/;
const FIRST_LOAD_BYTES_MAX = 250 * 1024;

const files = readdirSync(DIST, { recursive: true })
  .map((name) => join(DIST, name))
  .filter((path) => statSync(path).isFile() && COMPRESSED.test(path));

const sizes = new Map();
for (const path of files) {
  const bytes = readFileSync(path);
  const brotli = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });
  sizes.set(path, Math.min(brotli.length, bytes.length));
  if (brotli.length < bytes.length) writeFileSync(`${path}.br`, brotli);
  const gzip = gzipSync(bytes, { level: 9 });
  if (gzip.length < bytes.length) writeFileSync(`${path}.gz`, gzip);
  // Megabytes that no browser asks for: whoever runs the module takes one of the two.
  if (path.endsWith('.wasm')) {
    rmSync(path);
    console.log(`dry runs: ${(brotli.length / 1024).toFixed(1)} KiB compressed, loaded when one is made`);
  }
}

// What the index page names, and what those files import statically, is loaded at the first visit.
const index = readFileSync(join(DIST, 'index.html'), 'utf8');
const waiting = [...index.matchAll(/(?:src|href)="\.?\/?((?:assets\/|favicon)[^"]+)"/g)].map((match) =>
  join(DIST, match[1]),
);
const first = new Set();
while (waiting.length > 0) {
  const path = waiting.pop();
  if (first.has(path)) continue;
  first.add(path);
  if (!path.endsWith('.js')) continue;
  for (const match of readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
    waiting.push(join(DIST, 'assets', match[1]));
}
const total = [...first].reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0);
console.log(
  `first load: ${(total / 1024).toFixed(1)} KiB compressed, ${first.size} files; ${files.length} files in all`,
);
if (total > FIRST_LOAD_BYTES_MAX) {
  console.error(`The first load is larger than ${FIRST_LOAD_BYTES_MAX / 1024} KiB: load a part of it later.`);
  process.exit(1);
}
