// What the driver tells a peer: options on the command line, addresses in the environment.
import { parseArgs } from "node:util";

/** Reads the options that all peers share. */
export function readArguments() {
  const { values } = parseArgs({
    options: {
      scenario: { type: "string", default: "bulk" },
      mode: { type: "string", default: "fast" },
      jobs: { type: "string", default: "1000" },
      "latency-seconds": { type: "string", default: "3" },
      "drain-seconds": { type: "string", default: "20" },
    },
  });
  if (values.scenario !== "bulk" && values.scenario !== "latency") {
    throw new Error(`--scenario is bulk or latency, not ${values.scenario}`);
  }
  if (values.mode !== "fast" && values.mode !== "defaults") {
    throw new Error(`--mode is fast or defaults, not ${values.mode}`);
  }
  return {
    scenario: values.scenario,
    mode: values.mode,
    jobs: Number(values.jobs),
    latencySeconds: Number(values["latency-seconds"]),
    drainSeconds: Number(values["drain-seconds"]),
  };
}

/** An address that must be there. */
export function address(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
