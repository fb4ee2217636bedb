// Handlers: a job type, the program's own types, and what is checked before the handler runs.
import type { Context } from "./context.js";
import type { Duration } from "./duration.js";
import { NonRetryable } from "./errors.js";
import type { Json } from "./json.js";

/** Processes one attempt. */
export type Handler<Data, Result> = (data: Data, ctx: Context) => Promise<Result> | Result;

interface Parser<Data> {
  parse(value: unknown): Data;
}

interface StandardSchema<Data> {
  "~standard": {
    validate(value: unknown): StandardResult<Data> | Promise<StandardResult<Data>>;
  };
}

type StandardResult<Data> =
  | { value: Data; issues?: undefined }
  | { issues: readonly { message: string; path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined }[] };

/** Validates data: anything with `parse` (zod), or a Standard Schema (zod, valibot, arktype). */
export type InputSchema<Data> = Parser<Data> | StandardSchema<Data>;

/** Options of an activity. */
export interface ActivityOptions<Data> {
  /**
   * Validates the data before the handler runs. A job with invalid data fails permanently with the code `invalid_data`.
   */
  input?: InputSchema<Data>;
  /** Timeout of an attempt, sent when this activity is enqueued. */
  timeout?: Duration;
  /** Maximum number of retries, sent when this activity is enqueued. */
  maxRetries?: number;
}

/** A job type with its handler. */
export interface Activity<Data = never, Result = unknown> {
  readonly type: string;
  readonly handler: Handler<Data, Result>;
  readonly options: ActivityOptions<Data>;
}

// `any` lets a worker take activities of every data type: the type is only the handler's own business.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type AnyActivity = Activity<any>;

/** Defines the handler of a job type. */
export function defineActivity<Data, Result = unknown>(
  type: string,
  handler: Handler<Data, Result>,
  options: ActivityOptions<Data> = {},
): Activity<Data, Result> {
  return { type, handler, options };
}

/** The data as the activity's schema gives it, or the failure of a job whose data does not fit. */
export async function checkedInput(activity: AnyActivity, data: Json): Promise<Json> {
  const schema = activity.options.input;
  if (!schema) return data;
  if ("~standard" in schema) {
    const result = await schema["~standard"].validate(data);
    if (!result.issues) return result.value;
    const text = result.issues.map((issue) => `${pathText(issue.path)}${issue.message}`).join("; ");
    throw invalidData(activity.type, text);
  }
  try {
    return schema.parse(data) as Json;
  } catch (error) {
    throw invalidData(activity.type, error instanceof Error ? error.message : String(error), error);
  }
}

function invalidData(type: string, text: string, cause?: unknown): NonRetryable {
  return new NonRetryable(`data does not fit ${type}: ${text}`, { code: "invalid_data", cause });
}

function pathText(path: readonly (PropertyKey | { key: PropertyKey })[] | undefined): string {
  if (!path || path.length === 0) return "";
  return `${path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")}: `;
}
