import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Schemas } from '../../api/client';
import { useAll } from '../../api/hooks';
import { NODE_PAYLOAD_MAX } from '../../api/payloads';

type Node = Schemas['Node'];

/** A row: a node, or below it a node of an execution that it started. */
export interface Line {
  node: Node;
  /** The execution that the node is of, where it is another one. */
  of: string | null;
  /** The execution that it started, which opens in place. */
  child: string | null;
}

export interface Lines {
  all: Line[];
  /** The executions below their nodes that are open. */
  open: readonly string[];
  toggle: (child: string) => void;
  hasChildren: boolean;
}

/** The rows, with those of the children that are open, and how to open and close one. */
export function useLines(execution: string, started: Node[]): Lines {
  const [open, setOpen] = useState<readonly string[]>([]);
  const startsOthers = started.some(({ type }) => type === 'WORKFLOW');
  const children = useAll(
    '/v1/executions',
    { query: { parent: execution } },
    { enabled: startsOthers },
  ).items;
  const query = { items: true, maxPayload: NODE_PAYLOAD_MAX };
  const read = useQueries({
    queries: open.map((id) => ({
      queryKey: ['/v1/executions/{id}/nodes', { path: { id }, query }],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call('get', '/v1/executions/{id}/nodes', { path: { id }, query, signal }),
    })),
  });
  const nodesOf = new Map(open.map((id, index) => [id, read[index]?.data?.items ?? []]));
  const lines = started.flatMap((node): Line[] => {
    const child = children?.find(({ parent }) => parent?.nodeId === node.nodeId)?.id ?? null;
    const below = (child === null ? [] : (nodesOf.get(child) ?? [])).filter(({ startedAt }) => startedAt);
    return [{ node, of: null, child }, ...below.map((each) => ({ node: each, of: child, child: null }))];
  });
  const toggle = (id: string) =>
    setOpen((old) => (old.includes(id) ? old.filter((each) => each !== id) : [...old, id]));
  return { all: lines, open, toggle, hasChildren: (children?.length ?? 0) > 0 };
}
