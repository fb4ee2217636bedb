import type { Schemas } from '../../api/client';
import { useAct } from '../../api/hooks';
import { SchemaForm } from '../../components/schema-form';
import type { JsonSchema } from '../../lib/schema';
import { t } from '../../messages/en';

/** The form of a user task. What is submitted becomes the node's output. */
export function TaskForm({ task, onDone }: { task: Schemas['UserTask']; onDone?: () => void }) {
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
        complete.mutate({ path: { id: task.executionId, nodeId: task.nodeId }, body: { output } })
      }
    />
  );
}
