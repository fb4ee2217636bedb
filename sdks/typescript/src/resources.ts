// Schedules and dead letters: lists as async iterators, and the verbs.
import type { Api } from "./generated/api.js";
import type { DeadLetter, Page, Preview, RequeueRequest, Schedule, ScheduleRequest } from "./generated/models.js";

type Query<M extends keyof Api> = Api[M] extends (query?: infer Q, ...rest: never[]) => unknown
  ? Exclude<Q, undefined>
  : never;

/** All items of a list, part by part. */
export async function* pages<T>(read: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield* page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Schedules. */
export class Schedules {
  constructor(
    private readonly api: Api,
    private readonly tenant: string | undefined,
  ) {}

  create(schedule: ScheduleRequest): Promise<Schedule> {
    return this.api.createSchedule(this.tenant === undefined ? schedule : { tenant: this.tenant, ...schedule });
  }

  list(query: Query<"listSchedules"> = {}): AsyncGenerator<Schedule> {
    return pages((cursor) => this.api.listSchedules({ ...query, cursor }));
  }

  get(id: string): Promise<Schedule> {
    return this.api.getSchedule(id);
  }

  replace(id: string, schedule: ScheduleRequest): Promise<Schedule> {
    return this.api.replaceSchedule(id, schedule);
  }

  async delete(id: string): Promise<void> {
    await this.api.deleteSchedule(id);
  }

  pause(id: string): Promise<Schedule> {
    return this.api.pauseSchedule(id);
  }

  resume(id: string): Promise<Schedule> {
    return this.api.resumeSchedule(id);
  }

  /** When it starts next. */
  preview(id: string, count = 5): Promise<Preview> {
    return this.api.previewSchedule(id, { count });
  }

  /** Starts its workflow now, in addition to its slots. */
  async run(id: string): Promise<string> {
    return (await this.api.runSchedule(id)).executionId;
  }
}

/** Dead letters: jobs that failed permanently. */
export class DeadLetters {
  constructor(private readonly api: Api) {}

  list(query: Query<"listDeadLetters"> = {}): AsyncGenerator<DeadLetter> {
    return pages((cursor) => this.api.listDeadLetters({ ...query, cursor }));
  }

  get(id: string): Promise<DeadLetter> {
    return this.api.getDeadLetter(id);
  }

  /** Requeues the job, optionally with new data. */
  async requeue(id: string, change: RequeueRequest = {}): Promise<void> {
    await this.api.requeueDeadLetter(id, change);
  }

  async archive(id: string, reason: string): Promise<void> {
    await this.api.archiveDeadLetter(id, { reason });
  }
}
