// Runs a Python program with CPython as WebAssembly, for a version that the machine does not have.
// Usage: node wasm.mjs FOLDER_OF_PYODIDE FOLDER PROGRAM: the folder is the working directory, the program a path in it.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [pyodideFolder, folder, program] = process.argv.slice(2);
const home = resolve(pyodideFolder);
const { loadPyodide } = await import(pathToFileURL(`${home}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: `${home}/`, stdout: console.log });
python.FS.mkdirTree("/home/program");
python.FS.mount(python.FS.filesystems.NODEFS, { root: resolve(folder) }, "/home/program");
python.globals.set("program", program);
process.exitCode = await python.runPythonAsync(`
import os, runpy, sys
os.chdir("/home/program")
sys.dont_write_bytecode = True
try:
    runpy.run_path(program, run_name="__main__")
    code = 0
except SystemExit as ended:
    code = ended.code if isinstance(ended.code, int) else 1
code
`);
