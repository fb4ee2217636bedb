const PAGES: Record<string, string> = {
  job: '/jobs/',
  exe: '/executions/',
  dlq: '/dead-letters/',
  sch: '/schedules/',
  whk: '/webhooks/',
  dlv: '/deliveries/',
  bat: '/batches/',
};

/** The page of what an id names; nothing for what is no id. */
export function pageOfId(id: string): string | null {
  const match = /^(job|exe|dlq|sch|whk|dlv|bat)_[0-9a-zA-Z-]+$/.exec(id);
  const page = match && PAGES[match[1]!];
  return page ? page + id : null;
}

/** An id short enough for a table: its kind and its end, which is where ids of one moment differ. */
export function shortId(id: string): string {
  return id.length > 18 ? `${id.slice(0, 4)}…${id.slice(-8)}` : id;
}
