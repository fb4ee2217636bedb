import { isRecord } from './json';

export interface GraphNode {
  id: string;
  type: string;
}

export interface GraphEdge {
  from: string;
  to: string;
  /** The condition under which it is taken. */
  label?: string;
  /** Where a failure leads. */
  isFailure?: boolean;
}

export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

/** The graph of a definition: who waits for whom, and where conditions and failures lead. */
export function graphOf(definition: unknown): Graph {
  const listed =
    isRecord(definition) && Array.isArray(definition['nodes']) ? definition['nodes'].filter(isRecord) : [];
  const nodes = listed.map((node) => ({ id: String(node['id']), type: String(node['type']) }));
  const ids = new Set(nodes.map(({ id }) => id));
  const edges = listed.flatMap((node): GraphEdge[] => {
    const to = String(node['id']);
    const waits = texts(node['dependsOn']).map((from) => ({
      from,
      to,
      ...(typeof node['when'] === 'string' ? { label: node['when'] } : {}),
    }));
    const onError = node['onError'];
    const failure =
      isRecord(onError) && typeof onError['goto'] === 'string'
        ? [{ from: to, to: onError['goto'], isFailure: true }]
        : [];
    return [...waits, ...failure];
  });
  // The condition of a case stands on the way to the node that it chooses.
  for (const node of listed.filter((candidate) => candidate['type'] === 'SWITCH')) {
    const cases = Array.isArray(node['cases']) ? node['cases'].filter(isRecord) : [];
    for (const { when, goto } of cases as { when?: unknown; goto?: unknown }[]) {
      const edge = edges.find(({ from, to }) => from === node['id'] && to === goto);
      if (edge) edge.label = String(when);
    }
  }
  return { nodes, edges: edges.filter(({ from, to }) => ids.has(from) && ids.has(to)) };
}
