import type { ReactNode } from 'react';
import { Go } from './go';

interface WorkflowLinkProps {
  name: string;
  /** Who names it: a tenant may have a workflow of its own by a name that others share. */
  tenant: string | null | undefined;
  version?: number;
  children?: ReactNode;
  className?: string;
}

/** A link to a workflow, as a tenant sees it. */
export function WorkflowLink({ name, tenant, version, children = name, ...rest }: WorkflowLinkProps) {
  const search = { ...(version ? { version: String(version) } : {}), ...(tenant ? { tenant } : {}) };
  return (
    <Go to={`/workflows/${name}`} search={search} {...rest}>
      {children}
    </Go>
  );
}
