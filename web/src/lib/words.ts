/** The words of the interface that filters choose from, in the order in which things go through them. */
export const QUEUES = [
  'workflow-execution',
  'workflow-node',
  'workflow-scheduled',
  'workflow-webhook',
] as const;
export const JOB_STATUSES = [
  'SCHEDULED',
  'QUEUED',
  'PROCESSING',
  'WAITING',
  'RETRY_WAIT',
  'COMPLETED',
  'FAILED',
  'DEAD_LETTER',
  'CANCELLED',
] as const;
export const EXECUTION_STATUSES = [
  'PENDING',
  'RUNNING',
  'WAITING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'COMPENSATING',
] as const;
export const PRIORITIES = ['high', 'normal', 'low'] as const;

/** Whether a job will still change. */
export function isJobOpen(status: string): boolean {
  return ['SCHEDULED', 'QUEUED', 'PROCESSING', 'WAITING', 'RETRY_WAIT'].includes(status);
}

/** Whether an execution will still change by itself. */
export function isExecutionOpen(status: string): boolean {
  return ['PENDING', 'RUNNING', 'WAITING', 'COMPENSATING'].includes(status);
}

/** Whether a bulk operation is still under way. */
export function isBatchOpen(status: string): boolean {
  return ['preparing', 'running', 'paused'].includes(status);
}
