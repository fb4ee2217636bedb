/** An entry of a timeline, of an execution or of a simulation. */
export interface Step {
  at: string;
  kind: string;
  nodeId?: string | null | undefined;
  detail?: string | null | undefined;
}

/** What a step changed. */
export interface Difference {
  /** The node; nothing for the execution itself. */
  nodeId: string | null;
  from: string;
  to: string;
}

export interface Moment {
  execution: string;
  nodes: Record<string, string>;
  /** What the last step changed. */
  difference: Difference | null;
}

const NODE_STATUS: Record<string, string> = {
  node_started: 'RUNNING',
  node_waiting: 'WAITING',
  node_completed: 'COMPLETED',
  node_failed: 'FAILED',
  node_child_failed: 'FAILED',
  node_skipped: 'SKIPPED',
  node_cancelled: 'CANCELLED',
  node_requeued: 'RETRY_WAIT',
  node_repeated: 'RUNNING',
};

const EXECUTION_STATUS: Record<string, string> = {
  execution_started: 'RUNNING',
  execution_retried: 'RUNNING',
  execution_compensating: 'COMPENSATING',
  execution_completed: 'COMPLETED',
  execution_failed: 'FAILED',
  execution_cancelled: 'CANCELLED',
};

const PENDING = 'PENDING';

/** Where an execution and its nodes stood after so many steps. */
export function momentAt(steps: readonly Step[], count: number): Moment {
  const moment: Moment = { execution: PENDING, nodes: {}, difference: null };
  for (const { kind, nodeId } of steps.slice(0, count)) {
    moment.difference = null;
    const execution = EXECUTION_STATUS[kind];
    const node = nodeId ? NODE_STATUS[kind] : undefined;
    if (execution && execution !== moment.execution) {
      moment.difference = { nodeId: null, from: moment.execution, to: execution };
      moment.execution = execution;
    } else if (node && nodeId) {
      moment.difference = { nodeId, from: moment.nodes[nodeId] ?? PENDING, to: node };
      moment.nodes[nodeId] = node;
    }
  }
  return moment;
}
