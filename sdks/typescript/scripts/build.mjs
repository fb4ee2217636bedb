// Builds dist/esm and dist/cjs from the same sources: tsc decides the module format by the nearest package.json, so the
// CommonJS pass compiles a copy of src that lies beside one of its own.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const staging = join(root, "dist", ".cjs-source");

function compile(...options) {
  execFileSync(process.execPath, [tsc, ...options], { cwd: root, stdio: "inherit" });
}

rmSync(join(root, "dist"), { recursive: true, force: true });
compile("-p", "tsconfig.build.json");

mkdirSync(staging, { recursive: true });
cpSync(join(root, "src"), join(staging, "src"), { recursive: true });
writeFileSync(join(staging, "package.json"), '{ "type": "commonjs" }\n');
const config = {
  extends: "../../tsconfig.build.json",
  compilerOptions: { outDir: "../cjs", rootDir: "src" },
  include: ["src"],
};
writeFileSync(join(staging, "tsconfig.json"), JSON.stringify(config));
compile("-p", join(staging, "tsconfig.json"));
rmSync(staging, { recursive: true });
writeFileSync(join(root, "dist", "cjs", "package.json"), '{ "type": "commonjs" }\n');
