import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { Button, Card } from '../../components/basics';
import { Code } from '../../components/code';
import { Tag } from '../../components/status';
import { parseExactJson, type Json } from '../../lib/json';
import { messageOf } from '../../lib/text';
import { t } from '../../messages/en';

type Wait = Schemas['SimulatedWait'];

/** A result of a node, or a signal. */
export type Given =
  { output: Json } | { error: { message: string } } | { timesOut: true } | { name: string; payload: Json };

/** Says how something ends that the simulation waits for. */
export function GiveResult({ wait, onGive }: { wait: Wait; onGive: (result: Given) => void }) {
  const [text, setText] = useState('{}');
  const [fault, setFault] = useState('');
  const complete = () => {
    let value: Json;
    try {
      value = parseExactJson(text.trim() || 'null');
    } catch (error) {
      setFault(messageOf(error));
      return;
    }
    setFault('');
    onGive(
      wait.awaits === 'signal' && wait.signal ? { name: wait.signal, payload: value } : { output: value },
    );
  };
  return (
    <Card
      className="border-warn"
      title={t.simulate.waitsFor(wait.nodeId)}
      side={<Tag tone="warn">{t.simulate.awaits[wait.awaits] ?? wait.awaits}</Tag>}
    >
      <div className="space-y-2">
        <Code label={t.simulate.resultOf(wait.nodeId)} value={text} onChange={setText} />
        {fault && <p className="text-bad">{fault}</p>}
        <div className="flex flex-wrap gap-2">
          <Button look="main" small onClick={complete}>
            {wait.awaits === 'signal' ? t.simulate.signal(wait.signal ?? '') : t.simulate.complete}
          </Button>
          <Button small onClick={() => onGive({ error: { message: t.simulate.failure } })}>
            {t.simulate.fail}
          </Button>
          <Button small onClick={() => onGive({ timesOut: true })}>
            {t.simulate.timeOut}
          </Button>
        </div>
      </div>
    </Card>
  );
}
