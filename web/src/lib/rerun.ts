import type { Graph } from './graph';

/** What a rerun from a node takes over, and what it runs again. */
export interface RerunPreview {
  kept: string[];
  again: string[];
}

/**
 * Plans a rerun as the server does: the chosen node, what comes after it, and whatever had not completed with all that
 * comes after that, run again. `statuses` are those of the ended execution.
 */
export function previewRerun(graph: Graph, statuses: Record<string, string>, from: string): RerunPreview {
  const isDone = (id: string) => ['COMPLETED', 'SKIPPED'].includes(statuses[id] ?? '');
  const again = new Set<string>();
  const next = graph.nodes.map(({ id }) => id).filter((id) => id === from || !isDone(id));
  while (next.length > 0) {
    const id = next.pop()!;
    if (again.has(id)) continue;
    again.add(id);
    next.push(...graph.edges.filter((edge) => edge.from === id).map((edge) => edge.to));
  }
  const ids = graph.nodes.map(({ id }) => id);
  return {
    kept: ids.filter((id) => !again.has(id) && statuses[id] === 'COMPLETED'),
    again: ids.filter((id) => again.has(id)),
  };
}
