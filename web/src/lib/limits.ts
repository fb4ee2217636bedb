import type { Rate } from './rate';

/** A job as far as limits know it. */
interface LimitedJob {
  tenant: string;
  jobType: string;
  workflow?: string | null;
}

/** What a limit or a rate is set for; all absent: the queue. */
export interface LimitPlace {
  tenant?: string;
  workflow?: string;
  jobType?: string;
}

/**
 * What the limit or the rate that holds a job is set for, from the reason, such as `limit_tenant_job_type`. Nothing for keys, which
 * have rates of their own.
 */
export function placeOf(reason: string, job: LimitedJob): LimitPlace | null {
  const { tenant, jobType, workflow } = job;
  switch (reason.replace(/^(limit|rate)_/, '')) {
    case 'global':
      return {};
    case 'tenant':
      return { tenant };
    // A tenant's workflow is another one than that of all tenants with the same name: the tenant says which is meant.
    case 'workflow':
      return workflow ? { workflow, tenant } : null;
    case 'job_type':
      return { jobType };
    case 'tenant_job_type':
      return { jobType, tenant };
    default:
      return null;
  }
}

/** The filters of the page of limits that show a place. */
export function searchOf({ tenant, workflow, jobType }: LimitPlace): Record<string, string> {
  if (workflow) return { workflow, ...(tenant ? { workflowTenant: tenant } : {}) };
  if (jobType) return { jobType, ...(tenant ? { jobTypeTenant: tenant } : {}) };
  return tenant ? { tenant } : {};
}

/** What is set for one tenant, workflow or job type on a queue. */
export interface Override extends LimitPlace {
  id: string;
  queue: string;
  /** Null is unlimited; absent where only a rate is set. */
  maxConcurrent?: number | null;
  rate?: Rate | null;
}

interface ListedLimits {
  overrides?: readonly object[];
  overrideCount?: number | null;
}

/** All that is set beside the limits of queues, by tenant, workflow and type, and how much of it there is. */
export function overridesOf(limits: Readonly<Record<string, ListedLimits>>): {
  rows: Override[];
  total: number;
} {
  const rows = Object.entries(limits).flatMap(([queue, { overrides = [] }]) =>
    (overrides as Omit<Override, 'id' | 'queue'>[]).map((own) => {
      const kind = own.workflow ? 'workflow' : own.jobType ? 'type' : 'tenant';
      return { ...own, queue, id: [kind, own.tenant, own.workflow ?? own.jobType, queue].join(' ') };
    }),
  );
  const listed = Object.values(limits);
  const total = listed.reduce(
    (sum, { overrides = [], overrideCount }) => sum + (overrideCount ?? overrides.length),
    0,
  );
  return { rows: rows.sort((a, b) => (a.id < b.id ? -1 : 1)), total };
}
