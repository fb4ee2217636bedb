import dagre from '@dagrejs/dagre';
import {
  Background,
  Controls,
  Handle,
  MarkerType,
  Position,
  ReactFlow,
  type Edge,
  type Node,
  type NodeProps,
  type ReactFlowInstance,
} from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { memo, useEffect, useMemo, useState } from 'react';
import type { Graph } from '../lib/graph';
import { usePreferences } from '../app/preferences';
import { t } from '../messages/en';
import { Status, toneOf } from './status';

export interface NodeState {
  status: string;
  note?: string | undefined;
}

interface Props {
  graph: Graph;
  states?: Record<string, NodeState>;
  selected?: string | undefined;
  onSelect?: (id: string) => void;
  label: string;
  /** Whether the selected node is brought to the middle, legible, whenever another one is selected. */
  follow?: boolean;
}

/** Whoever follows reads the names of nodes. */
const FOLLOW_ZOOM_MIN = 0.7;
const WIDTH = 190;
const HEIGHT = 64;
/** The drawing is as high as its nodes need, within these bounds. */
const HEIGHT_MIN = 220;
const HEIGHT_MAX = 440;

type Data = { id: string; type: string; state: NodeState | undefined; isSelected: boolean };

const BORDERS: Record<string, string> = {
  ok: 'border-ok',
  warn: 'border-warn',
  bad: 'border-bad',
  busy: 'border-busy',
  rest: 'border-strong',
};

const Box = memo(function Box({ data }: NodeProps<Node<Data>>) {
  const { state } = data;
  const border = BORDERS[state ? toneOf(state.status) : 'rest'];
  return (
    <div
      className={`flex h-16 w-[190px] flex-col justify-center gap-0.5 rounded-lg border-2 bg-card px-3 text-left ${border} ${data.isSelected ? 'ring-3 ring-accent' : ''} ${state && ['PENDING', 'SKIPPED'].includes(state.status) ? 'border-dashed' : ''}`}
    >
      <Handle type="target" position={Position.Left} className="!size-1 !min-w-0 !border-0 !bg-strong" />
      <span className="truncate font-medium">{data.id}</span>
      <span className="flex items-center justify-between gap-1 text-xs text-soft">
        <span className="truncate">{data.type}</span>
        {state && <Status status={state.status} {...(state.note ? { label: state.note } : {})} />}
      </span>
      <Handle type="source" position={Position.Right} className="!size-1 !min-w-0 !border-0 !bg-strong" />
    </div>
  );
});

const NODE_TYPES = { box: Box };

/** A graph from left to right, each node with its state. */
export default function GraphView({ graph, states, selected, onSelect, label, follow = false }: Props) {
  const { theme } = usePreferences();
  const places = useMemo(() => layOut(graph), [graph]);
  const [flow, setFlow] = useState<ReactFlowInstance<Node<Data>, Edge> | null>(null);
  const place = follow && selected ? places[selected] : undefined;
  useEffect(() => {
    if (!flow || !place) return;
    const zoom = Math.max(FOLLOW_ZOOM_MIN, flow.getZoom());
    void flow.setCenter(place.x + WIDTH / 2, place.y + HEIGHT / 2, { zoom });
  }, [flow, place]);
  const lowest = Math.max(0, ...Object.values(places).map(({ y }) => y + HEIGHT));
  const nodes: Node<Data>[] = graph.nodes.map(({ id, type }) => ({
    id,
    type: 'box',
    position: places[id] ?? { x: 0, y: 0 },
    data: { id, type, state: states?.[id], isSelected: id === selected },
    width: WIDTH,
    height: HEIGHT,
    ariaLabel: `${id} ${states?.[id]?.status ?? ''}`,
  }));
  const edges: Edge[] = graph.edges.map(({ from, to, label: text, isFailure }) => ({
    id: `${from} ${to}`,
    source: from,
    target: to,
    animated: states?.[to] ? toneOf(states[to].status) === 'busy' : false,
    markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--strong)' },
    style: {
      stroke: isFailure ? 'var(--bad)' : 'var(--strong)',
      ...(isFailure ? { strokeDasharray: '5 4' } : {}),
    },
    ...(text
      ? {
          label: text.length > 32 ? `${text.slice(0, 31)}…` : text,
          labelBgStyle: { fill: 'var(--page)' },
          labelStyle: { fill: 'var(--soft)', fontSize: 11 },
        }
      : {}),
  }));
  return (
    <div
      role="group"
      aria-label={label}
      className="w-full overflow-hidden rounded-b-xl"
      style={{ height: Math.min(HEIGHT_MAX, Math.max(HEIGHT_MIN, lowest + 120)) }}
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        onInit={setFlow}
        onNodeClick={(_, node) => onSelect?.(node.id)}
        fitView
        fitViewOptions={{ maxZoom: 1, padding: 0.1 }}
        minZoom={0.1}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        nodesFocusable={false}
        zoomOnScroll={false}
        preventScrolling={false}
        onlyRenderVisibleElements={graph.nodes.length > 200}
        proOptions={{ hideAttribution: true }}
        colorMode={theme === 'light' ? 'light' : theme === 'system' ? 'system' : 'dark'}
        aria-label={t.execution.graph}
      >
        <Background color="var(--line)" />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

function layOut(graph: Graph): Record<string, { x: number; y: number }> {
  const layout = new dagre.graphlib.Graph();
  layout.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: 64 });
  layout.setDefaultEdgeLabel(() => ({}));
  for (const { id } of graph.nodes) layout.setNode(id, { width: WIDTH, height: HEIGHT });
  for (const { from, to } of graph.edges) layout.setEdge(from, to);
  dagre.layout(layout);
  return Object.fromEntries(
    graph.nodes.map(({ id }) => {
      const { x, y } = layout.node(id) as { x: number; y: number };
      return [id, { x: x - WIDTH / 2, y: y - HEIGHT / 2 }];
    }),
  );
}
