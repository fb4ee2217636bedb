// /healthz of a worker: 200 while polls come back, 503 otherwise. /metrics beside it.
import { createServer } from "node:http";
import { ConfigurationError } from "./errors.js";
import type { WorkerMetrics } from "./metrics.js";

/** Whether jobs can reach this worker. */
export type HealthStatus = "starting" | "ok" | "disconnected" | "draining";

/** What the worker knows of its delivery channel, which is its polls and nothing else. */
export class Health {
  private current: HealthStatus = "starting";
  private lastError: string | undefined;

  get status(): HealthStatus {
    return this.current;
  }

  pollCame(): void {
    if (this.current !== "draining") this.current = "ok";
    this.lastError = undefined;
  }

  pollFailed(error: unknown): void {
    if (this.current !== "draining") this.current = "disconnected";
    this.lastError = error instanceof Error ? error.message : String(error);
  }

  drains(): void {
    this.current = "draining";
  }

  report(): { status: HealthStatus; error?: string } {
    return { status: this.current, ...(this.lastError === undefined ? {} : { error: this.lastError }) };
  }
}

/** What listens until it is closed: its type names nothing of Node, whose types a program may not have. */
export interface HealthServer {
  close(): void;
}

/** Serves `/healthz` and `/metrics` at `host:port`. */
export async function serveHealth(address: string, health: Health, metrics: WorkerMetrics): Promise<HealthServer> {
  const [, host, port] = /^(?:(.*):)?(\d{1,5})$/.exec(address) ?? [];
  if (port === undefined)
    throw new ConfigurationError(`TRUNKLINE_WORKER_HEALTH=${address}: write it as 127.0.0.1:8090`);
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0];
    if (path === "/metrics") {
      response.writeHead(200, { "content-type": "text/plain; version=0.0.4" });
      response.end(metrics.render());
      return;
    }
    const isHealthz = path === "/healthz";
    const status = !isHealthz ? 404 : health.status === "ok" ? 200 : 503;
    response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(JSON.stringify(isHealthz ? health.report() : { status: "not found" }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(Number(port), host?.replace(/^\[|\]$/g, "") || "127.0.0.1", resolve);
  });
  server.unref();
  return server;
}
