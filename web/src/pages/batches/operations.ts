import type { PathsWith, Schemas } from '../../api/client';
import { shortId } from '../../lib/ids';
import { t } from '../../messages/en';

/** What an operation asks for beside its objects. */
export type OperationField = 'priority' | 'compensate' | 'fromNode' | 'allTriggers' | 'maxRetries';

export interface Operation {
  path: PathsWith<'post'>;
  /** The action that it is. */
  needs: string;
  label: string;
  isDangerous?: boolean;
  fields?: OperationField[];
  /** Whether the server wants a reason. */
  needsReason?: boolean;
}

export type BulkKind = 'jobs' | 'executions' | 'deadLetters' | 'deliveries' | 'schedules';

/** What can be done with many objects of a list. */
export const OPERATIONS: Record<BulkKind, Operation[]> = {
  jobs: [
    { path: '/v1/jobs/retry', needs: 'jobs.retry', label: t.bulk.verbs.runNow },
    {
      path: '/v1/jobs/reprioritize',
      needs: 'jobs.reprioritize',
      label: t.bulk.verbs.reprioritize,
      fields: ['priority'],
    },
    { path: '/v1/jobs/cancel', needs: 'jobs.cancel', label: t.bulk.verbs.cancel, isDangerous: true },
  ],
  executions: [
    { path: '/v1/executions/retry', needs: 'executions.retry', label: t.bulk.verbs.retry },
    {
      path: '/v1/executions/rerun',
      needs: 'executions.rerun',
      label: t.bulk.verbs.rerun,
      fields: ['fromNode'],
    },
    {
      path: '/v1/executions/cancel',
      needs: 'executions.cancel',
      label: t.bulk.verbs.cancel,
      isDangerous: true,
      fields: ['compensate'],
    },
  ],
  deadLetters: [
    {
      path: '/v1/dead-letters/requeue',
      needs: 'deadLetters.requeue',
      label: t.bulk.verbs.requeue,
      fields: ['maxRetries'],
    },
    {
      path: '/v1/dead-letters/archive',
      needs: 'deadLetters.archive',
      label: t.bulk.verbs.archive,
      isDangerous: true,
      needsReason: true,
    },
  ],
  deliveries: [
    {
      path: '/v1/deliveries/replay',
      needs: 'deliveries.replay',
      label: t.bulk.verbs.replay,
      fields: ['allTriggers'],
    },
  ],
  schedules: [
    { path: '/v1/schedules/pause', needs: 'schedules.write', label: t.bulk.verbs.pause },
    { path: '/v1/schedules/resume', needs: 'schedules.write', label: t.bulk.verbs.resume },
  ],
};

/** Which objects: those that were picked, or all that match. */
export type Target = { ids: string[] } | { filter: Schemas['BulkFilter']; all: boolean };

/** What the form holds, as it was typed. */
export interface BulkInput {
  limit: string;
  canary: string;
  proceed: 'auto' | 'manual';
  rate: string;
  stopAt: string;
  reason: string;
  priority: 'high' | 'normal' | 'low';
  compensate: boolean;
  fromNode: string;
  allTriggers: boolean;
  maxRetries: string;
}

export const BULK_INPUT: BulkInput = {
  limit: '',
  canary: '',
  proceed: 'auto',
  rate: '',
  stopAt: '',
  reason: '',
  priority: 'normal',
  compensate: false,
  fromNode: '',
  allTriggers: false,
  maxRetries: '',
};

/** Filters that take several values, which an address separates by commas and a body lists. */
const SEVERAL = [
  'queue',
  'status',
  'jobType',
  'workflow',
  'tenant',
  'priority',
  'tag',
  'fingerprint',
  'workerId',
  'trigger',
  'reason',
  'source',
  'webhookId',
  'eventType',
];

/** The filters of a list as a bulk operation takes them. */
export function filterOf(query: Record<string, string | undefined>): Schemas['BulkFilter'] {
  const kept = Object.entries(query).filter(([name, value]) => value && !['order', 'sort'].includes(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name,
      value!.includes(',') && SEVERAL.includes(name) ? value!.split(',') : value,
    ]),
  );
}

/** The body of a call. A dry run is given what the form does not hold yet. */
export function bodyOf(operation: Operation, target: Target, input: BulkInput, dryRun: boolean): object {
  const has = (field: OperationField) => operation.fields?.includes(field) ?? false;
  const reason = input.reason || (dryRun && operation.needsReason ? t.bulk.dryRun : '');
  return {
    ...target,
    ...(dryRun ? { dryRun } : {}),
    ...(input.limit ? { limit: Number(input.limit) } : {}),
    ...(input.canary ? { canary: { count: Number(input.canary), proceed: input.proceed } } : {}),
    ...(input.rate ? { ratePerSecond: Number(input.rate) } : {}),
    ...(input.stopAt ? { stopOnFailureRate: Number(input.stopAt) / 100 } : {}),
    ...(reason ? { reason } : {}),
    ...(has('priority') ? { priority: input.priority } : {}),
    ...(has('compensate') ? { compensate: input.compensate } : {}),
    ...(has('fromNode') ? { fromNode: input.fromNode || (dryRun ? 'node' : '') } : {}),
    ...(has('allTriggers') ? { allTriggers: input.allTriggers } : {}),
    ...(has('maxRetries') && input.maxRetries ? { maxRetries: Number(input.maxRetries) } : {}),
  };
}

/** An object of a dry run in a line: what it is, what is said of it, and whose it is. */
export function describe(sample: Record<string, unknown>): { id: string; name: string; detail: string } {
  const text = (name: string) => (typeof sample[name] === 'string' ? sample[name] : '');
  const error = sample['error'] as { message?: string } | null | undefined;
  return {
    id: text('id'),
    name: text('jobType') || text('workflow') || text('eventType') || text('name') || shortId(text('id')),
    detail: error?.message ?? [text('status'), text('tenant')].filter(Boolean).join(' · '),
  };
}
