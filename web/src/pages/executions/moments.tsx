import { useState, type ReactNode } from 'react';
import { useFilters } from '../../app/filters';
import { Button } from '../../components/basics';
import type { NodeState } from '../../components/graph';
import { Stepper } from '../../components/stepper';
import type { Graph } from '../../lib/graph';
import { momentAt } from '../../lib/steps';
import { t } from '../../messages/en';
import { useTimeline } from './timeline-pages';

interface MomentsProps {
  id: string;
  graph: Graph;
  /** Whether the execution goes on: then its present is shown. */
  isOpen: boolean;
  states: Record<string, NodeState>;
  children: (states: Record<string, NodeState>) => ReactNode;
}

/** The present of an execution, or its history entry by entry. The moment is in the address, so that it can be shared. */
export function Moments({ id, graph, isOpen, states, children }: MomentsProps) {
  const [filters, change] = useFilters();
  const [wanted, setWanted] = useState(false);
  const step = filters['step'];
  const isReplaying = !isOpen && (step !== undefined || wanted);
  const { rows, hasNextPage, isSuccess } = useTimeline(id, { enabled: isReplaying, whole: true });
  if (!isReplaying || !isSuccess || hasNextPage) {
    return (
      <>
        {children(states)}
        {!isOpen && (
          <div className="flex items-center gap-3 border-t border-line px-4 py-2">
            <Button small icon="play" busy={isReplaying} onClick={() => setWanted(true)}>
              {t.steps.replay}
            </Button>
            <span className="text-[13px] text-soft">
              {isReplaying && hasNextPage ? t.execution.entries(rows.length, true) : t.steps.replayHint}
            </span>
          </div>
        )}
      </>
    );
  }
  const at = Math.min(Number(step ?? 0) || 0, rows.length);
  const moment = momentAt(rows, at);
  const shown = Object.fromEntries(
    graph.nodes.map((node) => [node.id, { status: moment.nodes[node.id] ?? 'PENDING' }]),
  );
  return (
    <>
      {children(shown)}
      <Stepper steps={rows} at={at} moment={moment} onMove={(next) => change({ step: String(next) })} />
    </>
  );
}
