import type { LimitPlace } from '../lib/limits';
import { useAct } from './hooks';

/** Sets limits and rates of a queue for a place: a tenant, a workflow or a job type, or over all. Null gives back the defaults. */
export function useSetLimits(done: string) {
  const ofQueues = useAct('put', '/v1/limits', { done });
  const ofTenant = useAct('put', '/v1/tenants/{tenant}/limits', { done });
  const ofWorkflow = useAct('put', '/v1/workflows/{name}/limits', { done });
  const ofJobType = useAct('put', '/v1/job-types/{jobType}/limits', { done });
  const set = ({ tenant, workflow, jobType }: LimitPlace, queue: string, change: object | null) => {
    const body = { [queue]: change } as never;
    const query = tenant ? { tenant } : {};
    if (workflow) ofWorkflow.mutate({ path: { name: workflow }, query, body });
    else if (jobType) ofJobType.mutate({ path: { jobType }, query, body });
    else if (tenant) ofTenant.mutate({ path: { tenant }, body });
    else ofQueues.mutate({ body });
  };
  const isPending = [ofQueues, ofTenant, ofWorkflow, ofJobType].some((each) => each.isPending);
  return { set, isPending };
}
