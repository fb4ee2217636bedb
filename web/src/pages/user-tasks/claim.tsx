import type { Schemas } from '../../api/client';
import { useAct } from '../../api/hooks';
import { useCan } from '../../api/me';
import { Button } from '../../components/basics';
import { Time } from '../../components/time';
import { t } from '../../messages/en';

type Task = Schemas['UserTask'];

/** Who works on a task, and the ways to take it and to give it back. */
export function TaskClaim({ task, onChange }: { task: Task; onChange?: (task: Task) => void }) {
  const mayClaim = useCan('userTasks.claim');
  const path = { executionId: task.executionId, nodeId: task.nodeId };
  const onDone = (answer: Task) => onChange?.(answer);
  const claim = useAct('post', '/v1/user-tasks/{executionId}/{nodeId}/claim', {
    done: t.task.claimed,
    onDone,
  });
  const release = useAct('post', '/v1/user-tasks/{executionId}/{nodeId}/release', {
    done: t.task.released,
    onDone,
  });
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
