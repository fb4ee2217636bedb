// The contract of gRPC: which method carries a call of REST, read from the descriptors.
import { inflateSync } from "node:zlib";
import { createFileRegistry, fromBinary, getOption } from "@bufbuild/protobuf";
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { DESCRIPTORS } from "../generated/descriptors.js";

const registry = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, inflateSync(Buffer.from(DESCRIPTORS, "base64"))),
);

/** A method, and how it mirrors a call of REST. */
export interface Method {
  path: string;
  input: DescMessage;
  output: DescMessage;
  /** The one field that is the body as a whole, and the one that is all of the answer. */
  body: DescField | undefined;
  answer: DescField | undefined;
  /** Whether the answer is a stream of messages. */
  isStream: boolean;
}

/** The method for a call, with the parameters that its path holds. */
export interface Match {
  method: Method;
  parameters: Record<string, string>;
}

/** The path of the stream of a worker. */
export const CONNECT = "/trunkline.v1.WorkerService/Connect";

/** A message of the contract by its full name. */
export function messageNamed(name: string): DescMessage {
  const found = registry.getMessage(name);
  if (!found) throw new Error(`the contract has no message ${name}`);
  return found;
}

interface Route {
  pieces: string[];
  waits: boolean;
  method: Method;
}

// By HTTP method and number of segments; what is written out comes before parameters.
const routes = readRoutes();

/** The method that carries a call of REST, if there is one. */
export function methodFor(verb: string, path: string, waits: boolean): Match | undefined {
  const segments = path.split("/");
  const known = routes.get(`${verb} ${segments.length}`) ?? [];
  for (const asked of waits ? [true, false] : [false]) {
    for (const route of known) {
      if (route.waits !== asked) continue;
      const parameters = matched(route.pieces, segments);
      if (parameters) return { method: route.method, parameters };
    }
  }
  return undefined;
}

function matched(pieces: string[], segments: string[]): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [index, piece] of pieces.entries()) {
    const segment = segments[index] ?? "";
    if (piece.startsWith("{")) parameters[piece.slice(1, -1)] = decodeURIComponent(segment);
    else if (piece !== segment) return undefined;
  }
  return parameters;
}

function readRoutes(): Map<string, Route[]> {
  const extension = registry.getExtension("trunkline.v1.rest");
  if (!extension) throw new Error("the contract has no option rest");
  const found = new Map<string, Route[]>();
  for (const file of registry.files) {
    for (const service of file.services) {
      for (const one of service.methods) {
        const rest = getOption(one, extension) as { call: string; body: string; answer: string; fixedQuery: string };
        const [verb = "", path = ""] = rest.call.split(" ");
        if (path === "") continue;
        const field = (message: DescMessage, name: string): DescField | undefined =>
          message.fields.find((candidate) => name !== "" && candidate.jsonName === name);
        const pieces = path.split("/");
        const method: Method = {
          path: `/${service.typeName}/${one.name}`,
          input: one.input,
          output: one.output,
          body: field(one.input, rest.body),
          answer: field(one.output, rest.answer),
          isStream: one.methodKind === "server_streaming",
        };
        const key = `${verb} ${pieces.length}`;
        const list = found.get(key) ?? [];
        list.push({ pieces, waits: rest.fixedQuery.includes("wait=true"), method });
        found.set(key, list);
      }
    }
  }
  const parameters = (route: Route): number => route.pieces.filter((piece) => piece.startsWith("{")).length;
  for (const list of found.values()) list.sort((a, b) => parameters(a) - parameters(b));
  return found;
}
