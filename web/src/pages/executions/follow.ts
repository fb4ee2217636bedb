import type { Schemas } from '../../api/client';

type Node = Schemas['Node'];

/** The node that moved last: the one that follow mode shows. */
export function newestMove(nodes: Node[]): string | undefined {
  const at = (node: Node) => Date.parse(node.finishedAt ?? node.startedAt ?? '') || 0;
  const active = nodes.filter(({ status }) => ['RUNNING', 'RETRY_WAIT'].includes(status));
  const waiting = nodes.filter(({ status }) => status === 'WAITING');
  const candidates =
    [active, waiting, nodes.filter(({ startedAt }) => startedAt)].find((list) => list.length > 0) ?? [];
  return [...candidates].sort((a, b) => at(b) - at(a))[0]?.nodeId;
}
