import { useMutation } from '@tanstack/react-query';
import { Suspense, useEffect, useMemo, useState } from 'react';
import type { Schemas } from '../../api/client';
import { useMe } from '../../api/me';
import { Button, Card, Failed, Loading } from '../../components/basics';
import { Code } from '../../components/code';
import { GraphView } from '../../components/graph-view';
import { JsonView } from '../../components/json-view';
import { Status } from '../../components/status';
import { Stepper } from '../../components/stepper';
import { graphOf } from '../../lib/graph';
import { parseExactJson, writeJson, type Json } from '../../lib/json';
import { exampleOf, type JsonSchema } from '../../lib/schema';
import { momentAt } from '../../lib/steps';
import { messageOf } from '../../lib/text';
import { t } from '../../messages/en';
import { simulate as runDry } from '../../simulation/simulate';
import { GiveResult, type Given } from './give-result';

type Simulation = Schemas['Simulation'];

interface SimulateProps {
  /** The version that is simulated. */
  of: { workflow: string; version: number };
  /** For whom; empty where nobody said. */
  tenant: string;
  definition: unknown;
  schema: JsonSchema | null;
}

/** Runs a definition without running it: nothing is stored, no job is made, and waits take no time. */
export function Simulate({ of, tenant, definition, schema }: SimulateProps) {
  const [input, setInput] = useState(() => writeJson(exampleOf(schema), 2));
  const [given, setGiven] = useState('{}');
  const [signals, setSignals] = useState<Given[]>([]);
  const [fault, setFault] = useState('');
  const [at, setAt] = useState(0);
  const [selected, setSelected] = useState<string>();
  const me = useMe();
  const simulate = useMutation({
    mutationFn: runDry,
    onSuccess: ({ simulation }) => setAt(simulation.timeline.length),
  });
  const simulation = simulate.data?.simulation;
  const run = (results: string, sent: Given[]) => {
    let asked;
    try {
      asked = { input: parseExactJson(input || '{}'), results: parseExactJson(results || '{}') };
    } catch (error) {
      setFault(messageOf(error));
      return;
    }
    setFault('');
    simulate.mutate({
      of,
      definition,
      ...asked,
      signals: sent as Json,
      tenant: tenant || (me?.tenant ?? 'default'),
    });
  };
  // The first run shows what the definition waits for.
  useEffect(() => {
    run(given, signals);
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const give = (nodeId: string, result: Given) => {
    if ('name' in result) {
      const next = [...signals, result];
      setSignals(next);
      run(given, next);
      return;
    }
    const results = (parseExactJson(given || '{}') ?? {}) as Record<string, Json[]>;
    const next = writeJson({ ...results, [nodeId]: [...(results[nodeId] ?? []), result as Json] }, 2);
    setGiven(next);
    run(next, signals);
  };
  const restart = () => {
    setGiven('{}');
    setSignals([]);
    run('{}', []);
  };
  return (
    <div className="grid gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(26rem,1fr)]">
      <div className="min-w-0 space-y-4">
        {simulate.error && <Failed error={simulate.error} />}
        {fault && <p className="text-bad">{fault}</p>}
        {!simulation && simulate.isPending && <Loading />}
        {simulation && (
          <Drawn
            simulation={simulation}
            definition={definition}
            at={at}
            onMove={setAt}
            selected={selected}
            onSelect={setSelected}
          />
        )}
        {simulation && <Outcome simulation={simulation} selected={selected} />}
      </div>
      <div className="min-w-0 space-y-4">
        {simulation?.waitingFor.map((wait) => (
          <GiveResult
            key={`${wait.nodeId} ${simulation.timeline.length}`}
            wait={wait}
            onGive={(result) => give(wait.nodeId, result)}
          />
        ))}
        <Card title={t.execution.input}>
          <Code label={t.execution.input} value={input} onChange={setInput} schema={schema} />
        </Card>
        <Card title={t.simulate.results}>
          <p className="mb-2 text-[13px] text-soft">{t.simulate.resultsHint}</p>
          <Code label={t.simulate.results} value={given} onChange={setGiven} />
        </Card>
        <div className="flex gap-2">
          <Button look="main" icon="play" busy={simulate.isPending} onClick={() => run(given, signals)}>
            {t.simulate.run}
          </Button>
          <Button onClick={restart}>{t.simulate.restart}</Button>
        </div>
        {simulate.data && (
          <p className="text-[13px] text-soft" data-simulated-by={simulate.data.by}>
            {t.simulate.by[simulate.data.by]}
          </p>
        )}
      </div>
    </div>
  );
}

interface DrawnProps {
  simulation: Simulation;
  definition: unknown;
  at: number;
  onMove: (at: number) => void;
  selected: string | undefined;
  onSelect: (node: string) => void;
}

/** The graph as it stands after so many steps. */
function Drawn({ simulation, definition, at, onMove, selected, onSelect }: DrawnProps) {
  const graph = useMemo(() => graphOf(definition), [definition]);
  const moment = momentAt(simulation.timeline, at);
  const states = Object.fromEntries(
    graph.nodes.map(({ id }) => [id, { status: moment.nodes[id] ?? 'PENDING' }]),
  );
  return (
    <Card title={t.simulate.title} side={<Status status={simulation.status} />} flush>
      <Suspense fallback={<Loading />}>
        <GraphView
          graph={graph}
          states={states}
          selected={selected}
          onSelect={onSelect}
          label={t.execution.graph}
        />
      </Suspense>
      <Stepper steps={simulation.timeline} at={at} moment={moment} onMove={onMove} />
    </Card>
  );
}

/** What came out, and what went into and came out of the chosen node. */
function Outcome({ simulation, selected }: { simulation: Simulation; selected: string | undefined }) {
  const rounds = simulation.nodes.filter(({ nodeId }) => nodeId === selected);
  return (
    <>
      {simulation.error && (
        <p className="rounded-xl border border-bad bg-bad-tint px-4 py-2.5 font-mono text-[13px] text-bad">
          {simulation.error.message}
        </p>
      )}
      {simulation.output !== undefined && simulation.output !== null && (
        <Card title={t.execution.output}>
          <JsonView value={simulation.output} label={t.execution.output} />
        </Card>
      )}
      {rounds.map((round) => (
        <Card
          key={round.round}
          title={t.simulate.round(round.nodeId, round.round)}
          side={<Status status={round.status} />}
        >
          <div className="grid gap-4 sm:grid-cols-2">
            <div className="min-w-0">
              <p className="mb-1 text-[13px] text-soft">{t.execution.nodeInput}</p>
              <JsonView value={round.input ?? undefined} label={t.execution.nodeInput} />
            </div>
            <div className="min-w-0">
              <p className="mb-1 text-[13px] text-soft">{t.execution.nodeOutput}</p>
              <JsonView value={round.output ?? undefined} label={t.execution.nodeOutput} />
            </div>
          </div>
          {round.error && <p className="mt-2 font-mono text-[13px] text-bad">{round.error.message}</p>}
        </Card>
      ))}
      {!selected && <p className="text-soft">{t.simulate.pick}</p>}
    </>
  );
}
