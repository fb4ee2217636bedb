// Writes REFERENCE.md, what programs use of this package, from its declarations and their comments. With --check it only compares.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import ts from "typescript";

const MODULES = {
  trunkline: "src/index.ts",
  "trunkline/testing": "src/testing.ts",
  "trunkline/grpc": "src/grpc.ts",
  "trunkline/kafka": "src/kafka.ts",
};
const PLACE = "REFERENCE.md";

const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ".");
const program = ts.createProgram(Object.values(MODULES), options);
const checker = program.getTypeChecker();

/** A declaration without its body, on one line. */
function head(node) {
  const end = node.body ? node.body.getStart() : node.end;
  const text = node.getSourceFile().text.slice(node.getStart(), end);
  const line = text.replace(/\/\*\*[^]*?\*\//g, "").replace(/\s+/g, " ");
  return line.replace(/^export |(?<=^)(default|declare|public|override|readonly|async) /g, "").replace(/[;\s]+$/, "");
}

function doc(symbol) {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\n(?!\n)/g, " ");
}

function isHidden(member) {
  const flags = ts.getCombinedModifierFlags(member);
  return (
    (flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0 ||
    member.name?.kind === ts.SyntaxKind.PrivateIdentifier
  );
}

function members(node) {
  const lines = node.members
    .filter((member) => !isHidden(member))
    .map((member) => {
      const symbol = member.name ? checker.getSymbolAtLocation(member.name) : undefined;
      const about = symbol ? doc(symbol) : "";
      return `- \`${head(member)}\`${about ? `: ${about}` : ""}\n`;
    });
  return lines.join("");
}

function described(name, symbol) {
  const [node] = symbol.declarations ?? [];
  if (!node || node.getSourceFile().fileName.includes("/generated/")) return "";
  const about = doc(symbol);
  const text = about ? `\n${about}\n` : "";
  if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) {
    const kind = ts.isClassDeclaration(node) ? "class" : "interface";
    const parents = (node.heritageClauses ?? []).map((clause) => ` ${clause.getText()}`).join("");
    const parameters = node.typeParameters ? `<${node.typeParameters.map((one) => one.getText()).join(", ")}>` : "";
    const listed = members(node);
    return `\n### ${kind} \`${name}${parameters}${parents}\`\n${text}${listed && `\n${listed}`}`;
  }
  // A constant that is no function is written by its type.
  const isConstant = ts.isVariableDeclaration(node);
  const shown = isConstant ? `${name}: ${checker.typeToString(checker.getTypeOfSymbol(symbol))}` : head(node);
  return `\n### \`${shown}\`\n${text}`;
}

const parts = [
  "# Reference of the TypeScript SDK\n\nWritten by `scripts/reference.mjs` from the comments: do not edit.\n",
];
for (const [name, file] of Object.entries(MODULES)) {
  const source = program.getSourceFile(file);
  const module = checker.getSymbolAtLocation(source);
  const symbols = checker.getExportsOfModule(module).map((symbol) => {
    const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
    return [symbol.name, isAlias ? checker.getAliasedSymbol(symbol) : symbol];
  });
  symbols.sort(([a], [b]) => a.localeCompare(b, "en"));
  parts.push(`\n## ${name}\n`, ...symbols.map(([own, symbol]) => described(own, symbol)));
}
parts.push("\n`Api` and `models` have every call and every type of the server, named as in its OpenAPI document.\n");

const text = parts.join("");
if (!process.argv.includes("--check")) {
  writeFileSync(PLACE, text);
} else if (!existsSync(PLACE) || readFileSync(PLACE, "utf8") !== text) {
  process.stderr.write(`${PLACE} is not what the comments say: write it with node scripts/reference.mjs\n`);
  process.exit(1);
}
