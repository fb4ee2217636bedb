import type { Schemas } from '../../api/client';
import { useAct, useGet } from '../../api/hooks';
import { useCan, useHidesPayloads } from '../../api/me';
import { omittedOf, PAYLOAD_MAX } from '../../api/payloads';
import { Button, Failed, Loading } from '../../components/basics';
import { Payload } from '../../components/payload';
import { SchemaForm } from '../../components/schema-form';
import { Status } from '../../components/status';
import { Time } from '../../components/time';
import type { JsonSchema } from '../../lib/schema';
import { t } from '../../messages/en';

type Task = Schemas['UserTask'];

interface OpenTaskProps {
  executionId: string;
  nodeId: string;
  /** Whether its input is shown with it. */
  withInput?: boolean;
  onDone?: () => void;
}

/** The latest task of a node, read when it is opened: what it is about, who has it, and the form that ends it. */
export function OpenTask({ executionId, nodeId, withInput = false, onDone }: OpenTaskProps) {
  const { data: task, error } = useGet('/v1/user-tasks/{executionId}/{nodeId}', {
    path: { executionId, nodeId },
    query: { maxPayload: PAYLOAD_MAX },
  });
  if (error && !task) return <Failed error={error} />;
  if (!task) return <Loading />;
  return (
    <div className="space-y-4">
      {withInput && <TaskInput task={task} />}
      {task.status === 'open' ? (
        <>
          <TaskClaim task={task} />
          <TaskForm key={task.round} task={task} {...(onDone ? { onDone } : {})} />
        </>
      ) : (
        <p>
          {t.task.closed} <Status status={task.status} label={t.task.statuses[task.status] ?? task.status} />
        </p>
      )}
    </div>
  );
}

function TaskInput({ task }: { task: Task }) {
  const hidesPayloads = useHidesPayloads();
  const isThere = task.input !== undefined && task.input !== null;
  if (!isThere && !hidesPayloads && !omittedOf(task.omitted, 'input')) return null;
  return <Payload value={task.input} omitted={task.omitted} field="input" label={t.execution.input} />;
}

/** Who works on a task, and the ways to take it and to give it back. */
function TaskClaim({ task }: { task: Task }) {
  const mayClaim = useCan('userTasks.claim');
  const path = { executionId: task.executionId, nodeId: task.nodeId };
  const claim = useAct('post', '/v1/user-tasks/{executionId}/{nodeId}/claim', { done: t.task.claimed });
  const release = useAct('post', '/v1/user-tasks/{executionId}/{nodeId}/release', { done: t.task.released });
  const body = { round: task.round };
  return (
    <div className="flex flex-wrap items-center justify-between gap-2 rounded-lg bg-raised px-3 py-1.5">
      <span>
        {task.claimedBy ? (
          <>
            {t.task.claimedBy} <strong className="font-medium">{task.claimedBy}</strong>{' '}
            <span className="text-soft">
              <Time at={task.claimedAt} />
            </span>
          </>
        ) : (
          t.task.free
        )}
      </span>
      {mayClaim &&
        (task.claimedBy ? (
          <Button small busy={release.isPending} onClick={() => release.mutate({ path, body })}>
            {t.task.release}
          </Button>
        ) : (
          <Button small busy={claim.isPending} onClick={() => claim.mutate({ path, body })}>
            {t.task.claim}
          </Button>
        ))}
    </div>
  );
}

/** The form of a user task. What is submitted becomes the node's output. */
function TaskForm({ task, onDone }: { task: Task; onDone?: () => void }) {
  const complete = useAct('post', '/v1/executions/{id}/user-tasks/{nodeId}/complete', {
    done: t.task.completed,
    quiet: true,
    ...(onDone ? { onDone } : {}),
  });
  return (
    <SchemaForm
      schema={task.form as JsonSchema | null | undefined}
      label={t.task.complete}
      busy={complete.isPending}
      error={complete.error}
      onSubmit={(output) =>
        complete.mutate({
          path: { id: task.executionId, nodeId: task.nodeId },
          body: { output, round: task.round },
        })
      }
    />
  );
}
