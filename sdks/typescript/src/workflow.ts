// A typed builder of workflow definitions. What it gives is the JSON that docs/workflows.md describes.
import type { AnyActivity } from "./activity.js";
import { durationText } from "./duration.js";
import type { Duration } from "./duration.js";
import type { Json } from "./json.js";

/** A definition in the format of the server. */
export interface WorkflowDefinition {
  name: string;
  version: number;
  nodes: Json[];
  [field: string]: Json;
}

export interface Retry {
  maxRetries?: number;
  initial?: Duration;
  factor?: number;
  max?: Duration;
  jitter?: boolean;
}

export interface WorkflowOptions {
  version?: number;
  /** JSON Schema of the input. */
  input?: object;
  timeout?: Duration;
  /** Default for nodes. */
  retry?: Retry;
  limits?: { maxConcurrent: number };
}

/**
 * The work of a node. Create one with `task`, `http`, `transform`, `timer`, `signal`, `userTask`, `child`, `map` or
 * `choice`.
 */
export interface NodeWork {
  readonly type: string;
  readonly [field: string]: Json;
}

/** Options of nodes of any type. `Ids` are the earlier nodes. */
export interface NodeOptions<Ids extends string> {
  dependsOn?: readonly NoInfer<Ids>[];
  /** A CEL condition; the node is skipped if it is false. */
  when?: string;
  timeout?: Duration;
  retry?: Retry;
  /** `continue` uses the error as the output; `goto` continues at another node. */
  onError?: "fail" | "continue" | { goto: string };
  compensate?: NodeWork;
  /** Repeats the node until the condition holds. */
  repeat?: { until: string; max: number; delay?: Duration };
}

/** Starts a definition: `workflow("order").node("check", task("check")).output(nodeOutput("check"))`. */
export function workflow(name: string, options: WorkflowOptions = {}): WorkflowBuilder {
  const { version = 1, timeout, retry, ...rest } = options;
  return new WorkflowBuilder({ name, version, ...rest, ...durations({ timeout }), ...retryField(retry) }, [], []);
}

/** An unfinished definition. Each step returns a new one. */
export class WorkflowBuilder<Ids extends string = never> {
  constructor(
    private readonly head: Record<string, Json>,
    private readonly nodes: readonly Json[],
    private readonly failureNodes: readonly Json[],
  ) {}

  /** Adds a node. Without `dependsOn`, it starts immediately, in parallel with others. */
  node<const Id extends string>(id: Id, work: NodeWork, options: NodeOptions<Ids> = {}): WorkflowBuilder<Ids | Id> {
    return new WorkflowBuilder<Ids | Id>(this.head, [...this.nodes, nodeJson(id, work, options)], this.failureNodes);
  }

  /** Adds a node that runs when the execution fails; `${error.message}` is in scope. */
  onFailure(id: string, work: NodeWork, options: NodeOptions<string> = {}): WorkflowBuilder<Ids> {
    return new WorkflowBuilder<Ids>(this.head, this.nodes, [...this.failureNodes, nodeJson(id, work, options)]);
  }

  /** Output of the execution, with `${…}` expressions. */
  output(template: Json): WorkflowBuilder<Ids> {
    return new WorkflowBuilder<Ids>({ ...this.head, output: template }, this.nodes, this.failureNodes);
  }

  /** The finished definition. */
  definition(): WorkflowDefinition {
    const failure = this.failureNodes.length > 0 ? { onFailure: this.failureNodes } : {};
    return { ...this.head, nodes: [...this.nodes], ...failure } as unknown as WorkflowDefinition;
  }

  toJSON(): WorkflowDefinition {
    return this.definition();
  }
}

/** A job for a worker. */
export function task(jobType: string | AnyActivity, input?: Json): NodeWork {
  const name = typeof jobType === "string" ? jobType : jobType.type;
  return { type: "SERVICE_TASK", jobType: name, ...optional({ input }) };
}

/** A request that the server sends. */
export function http(
  request: { method?: string; url: string; headers?: Record<string, string>; body?: Json },
  expect?: number[],
): NodeWork {
  return { type: "HTTP", request, ...optional({ expect }) };
}

/** Computes its output in place. */
export function transform(output: Json): NodeWork {
  return { type: "TRANSFORM", output };
}

/** Waits for a time, or until an instant. */
export function timer(wait: Duration | { until: string | Date }): NodeWork {
  if (typeof wait === "object") {
    return { type: "TIMER", until: wait.until instanceof Date ? wait.until.toISOString() : wait.until };
  }
  return { type: "TIMER", duration: durationText(wait) };
}

/** Waits for a signal of this name; its payload is the output. */
export function signal(name: string): NodeWork {
  return { type: "SIGNAL", signal: name };
}

/** Waits for a person. */
export function userTask(task: {
  assignee?: string;
  group?: string;
  input?: Json;
  form?: object;
  dueIn?: Duration;
}): NodeWork {
  const { dueIn, ...rest } = task;
  return { type: "USER_TASK", ...rest, ...durations({ dueIn }) };
}

/** Waits for one request to a one-time URL. */
export function waitWebhook(): NodeWork {
  return { type: "WAIT_WEBHOOK" };
}

/** Runs another workflow to its end. */
export function child(name: string, input?: Json, version?: number): NodeWork {
  return { type: "WORKFLOW", workflow: name, ...optional({ input, version }) };
}

/** Runs `work` for each item of a list; `${item}` and `${index}` are in scope. */
export function map(
  items: Json[] | string,
  work: NodeWork,
  options: { concurrency?: number; onItemError?: "fail" | "collect" } = {},
): NodeWork {
  return { type: "MAP", items, node: work, ...options };
}

/** Continues at the node of the first condition that is true. */
export function choice(cases: readonly { when: string; goto: string }[], otherwise?: string): NodeWork {
  return { type: "SWITCH", cases, ...optional({ default: otherwise }) };
}

/** `${nodes.ID.output.PATH}`, which keeps the type of its value. */
export function nodeOutput(id: string, ...path: string[]): string {
  return `\${nodes${member(id)}.output${path.map(member).join("")}}`;
}

/** `${input.PATH}`. */
export function workflowInput(...path: string[]): string {
  return `\${input${path.map(member).join("")}}`;
}

function member(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

function nodeJson(id: string, work: NodeWork, options: NodeOptions<never> | NodeOptions<string>): Json {
  const { timeout, retry, repeat, dependsOn, ...rest } = options;
  return {
    id,
    ...work,
    ...(dependsOn && dependsOn.length > 0 ? { dependsOn } : {}),
    ...rest,
    ...durations({ timeout }),
    ...retryField(retry),
    ...(repeat ? { repeat: { ...repeat, ...durations({ delay: repeat.delay }) } } : {}),
  };
}

function retryField(retry: Retry | undefined): Record<string, Json> {
  return retry ? { retry: { ...retry, ...durations({ initial: retry.initial, max: retry.max }) } } : {};
}

function durations(fields: Record<string, Duration | undefined>): Record<string, string> {
  const given = Object.entries(fields).filter((entry): entry is [string, Duration] => entry[1] !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, durationText(value)]));
}

function optional(fields: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
