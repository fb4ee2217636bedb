import { useGet } from './hooks';

/**
 * The tenant that owns a workflow as another tenant sees it: its own where it has one by this name, else the one of all tenants, of
 * which there is no owner. Nothing while it is not known.
 */
export function useOwner(name: string | null | undefined, tenant: string): { tenant?: string } | undefined {
  const { data } = useGet(
    '/v1/workflows/{name}',
    { path: { name: name ?? '' }, query: { tenant } },
    { enabled: Boolean(name) },
  );
  return data && (data.tenant ? { tenant: data.tenant } : {});
}

/** What names the version that an execution runs. */
interface Running {
  workflow: string;
  version: number;
  tenant: string;
}

/** The version that an execution runs, as its tenant sees it. */
export function useVersionOf(execution: Running | undefined) {
  const { workflow = '', version = 0, tenant = '' } = execution ?? {};
  return useGet(
    '/v1/workflows/{name}/versions/{version}',
    { path: { name: workflow, version }, query: { tenant } },
    { enabled: execution !== undefined },
  );
}
