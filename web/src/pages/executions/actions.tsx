import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan } from '../../api/me';
import { omittedOf } from '../../api/payloads';
import { useVersionOf } from '../../api/workflows';
import { Button, Failed, Loading } from '../../components/basics';
import { Checkbox, Form, SelectField, TextField } from '../../components/form';
import { Code } from '../../components/code';
import { CopyMenu } from '../../components/copy';
import { Dialog } from '../../components/dialog';
import { Tag } from '../../components/status';
import { cli } from '../../lib/commands';
import type { Graph } from '../../lib/graph';
import { incident } from '../../lib/incident';
import { parseExactJson, writeJson, type Json } from '../../lib/json';
import { previewRerun } from '../../lib/rerun';
import { inputSchemaOf } from '../../lib/schema';
import { isExecutionOpen } from '../../lib/words';
import { t } from '../../messages/en';

type Execution = Schemas['Execution'];
type Node = Schemas['Node'];

/** What can be done with an execution as it stands. */
export function ExecutionActions({
  execution,
  nodes,
  graph,
}: {
  execution: Execution;
  nodes: Node[];
  graph: Graph;
}) {
  const mayRetry = useCan('executions.retry');
  const mayRerun = useCan('executions.rerun');
  const mayCancel = useCan('executions.cancel');
  const [shown, setShown] = useState<'cancel' | 'rerun' | null>(null);
  const retry = useAct('post', '/v1/executions/{id}/retry', { done: t.execution.retried });
  const isOpen = isExecutionOpen(execution.status);
  const close = () => setShown(null);
  return (
    <>
      {mayRetry && execution.status === 'FAILED' && (
        <Button
          look="main"
          icon="refresh"
          busy={retry.isPending}
          onClick={() => retry.mutate({ path: { id: execution.id } })}
        >
          {t.execution.retry}
        </Button>
      )}
      {mayRerun && !isOpen && nodes.length > 0 && (
        <Button onClick={() => setShown('rerun')}>{t.execution.rerun}</Button>
      )}
      {mayCancel && isOpen && (
        <Button look="danger" onClick={() => setShown('cancel')}>
          {t.job.cancel}
        </Button>
      )}
      <CopyMenu
        json={execution}
        path={`/v1/executions/${execution.id}`}
        command={cli('execution', 'show', execution.id)}
        more={[{ label: t.copy.incident, text: () => incident(execution, nodes, location.href) }]}
      />
      <Dialog title={t.execution.cancelTitle} open={shown === 'cancel'} onClose={close}>
        <CancelForm id={execution.id} onDone={close} />
      </Dialog>
      <Dialog
        title={t.execution.rerunTitle}
        intro={t.execution.rerunIntro}
        open={shown === 'rerun'}
        onClose={close}
        wide
      >
        <RerunDialog execution={execution} nodes={nodes} graph={graph} />
      </Dialog>
    </>
  );
}

function CancelForm({ id, onDone }: { id: string; onDone: () => void }) {
  const [reason, setReason] = useState('');
  const [compensate, setCompensate] = useState(false);
  const cancel = useAct('post', '/v1/executions/{id}/cancel', {
    done: t.execution.cancelled,
    onDone,
    quiet: true,
  });
  return (
    <Form
      onSubmit={() => cancel.mutate({ path: { id }, body: { compensate, ...(reason ? { reason } : {}) } })}
    >
      <TextField label={t.execution.reason} value={reason} onChange={setReason} />
      <Checkbox checked={compensate} onChange={setCompensate}>
        {t.execution.compensate}
      </Checkbox>
      {cancel.error && <Failed error={cancel.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>{t.common.keep}</Button>
        <Button look="danger" type="submit" busy={cancel.isPending}>
          {t.execution.cancel}
        </Button>
      </div>
    </Form>
  );
}

interface RerunProps {
  execution: Execution;
  nodes: Node[];
  graph: Graph;
}

/** Reads the input where it was too large to come with the execution. */
function RerunDialog({ execution, ...rest }: RerunProps) {
  const isLeftOut = omittedOf(execution.omitted, 'input') !== undefined;
  const { data, error } = useGet(
    '/v1/executions/{id}/input',
    { path: { id: execution.id } },
    { enabled: isLeftOut },
  );
  if (error) return <Failed error={error} />;
  if (isLeftOut && data === undefined) return <Loading />;
  return <RerunForm execution={isLeftOut ? { ...execution, input: data } : execution} {...rest} />;
}

/** Runs it again from a node, with another input where somebody changed it. */
function RerunForm({ execution, nodes, graph }: RerunProps) {
  const start = writeJson(execution.input ?? {}, 2);
  const [fromNode, setFromNode] = useState(execution.error?.node ?? nodes[0]?.nodeId ?? '');
  const [text, setText] = useState(start);
  const [fault, setFault] = useState('');
  const version = useVersionOf(execution);
  const navigate = useNavigate();
  const rerun = useAct('post', '/v1/executions/{id}/rerun', {
    done: t.execution.rerunning,
    quiet: true,
    onDone: ({ id }) => void navigate({ to: `/executions/${id}` as never }),
  });
  const submit = () => {
    let input: Json | undefined;
    try {
      input = text === start ? undefined : parseExactJson(text);
    } catch (error) {
      setFault(String(error));
      return;
    }
    setFault('');
    rerun.mutate({
      path: { id: execution.id },
      body: { fromNode, ...(input === undefined ? {} : { input }) },
    });
  };
  return (
    <div className="space-y-3">
      <SelectField
        label={t.execution.fromNode}
        hint={t.execution.fromNodeHint}
        value={fromNode}
        onChange={setFromNode}
      >
        {nodes
          .filter(({ nodeId }) => !/[[:]/.test(nodeId))
          .map(({ nodeId, status }) => (
            <option
              key={nodeId}
              value={nodeId}
            >{`${nodeId} (${(t.status as Record<string, string>)[status] ?? status})`}</option>
          ))}
      </SelectField>
      <Preview graph={graph} nodes={nodes} fromNode={fromNode} />
      <Code
        label={t.execution.input}
        value={text}
        onChange={setText}
        original={start}
        schema={inputSchemaOf(version.data?.definition)}
      />
      {fault && <p className="text-bad">{fault}</p>}
      {rerun.error && <Failed error={rerun.error} />}
      <div className="flex justify-end">
        <Button look="main" busy={rerun.isPending} onClick={submit}>
          {t.execution.rerun}
        </Button>
      </div>
    </div>
  );
}

/** Which results are taken over, and which nodes run again. */
function Preview({ graph, nodes, fromNode }: { graph: Graph; nodes: Node[]; fromNode: string }) {
  const statuses = Object.fromEntries(nodes.map(({ nodeId, status }) => [nodeId, status]));
  const { kept, again } = previewRerun(graph, statuses, fromNode);
  const line = (label: string, ids: string[], tone: 'ok' | 'busy') => (
    <p className="flex flex-wrap items-center gap-1.5" data-preview={tone === 'ok' ? 'kept' : 'again'}>
      <span className="text-soft">{label}</span>
      {ids.length === 0
        ? t.common.none
        : ids.map((id) => (
            <Tag key={id} tone={tone}>
              {id}
            </Tag>
          ))}
    </p>
  );
  return (
    <div className="space-y-1 rounded-lg bg-raised px-3 py-2">
      {line(t.execution.kept, kept, 'ok')}
      {line(t.execution.runsAgain, again, 'busy')}
    </div>
  );
}
