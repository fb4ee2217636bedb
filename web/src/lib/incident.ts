import { t } from '../messages/en';

interface IncidentExecution {
  id: string;
  workflow: string;
  version: number;
  status: string;
  tenant: string;
  createdAt: string;
  startedAt?: string | null;
  completedAt?: string | null;
  error?: { message: string; node?: string | null; code?: string | null } | null;
}

interface IncidentNode {
  nodeId: string;
  type: string;
  status: string;
  attempts: number;
  error?: { message: string } | null;
}

/** An execution as Markdown for a ticket: what, when, where it failed. Holds no payloads. */
export function incident(execution: IncidentExecution, nodes: IncidentNode[], address: string): string {
  const lines = [
    `## ${execution.workflow} v${execution.version}: ${execution.status}`,
    '',
    `- ${t.jobs.execution}: [${execution.id}](${address})`,
    `- ${t.jobs.tenant}: ${execution.tenant}`,
    `- ${t.job.created}: ${execution.createdAt}`,
    ...(execution.startedAt ? [`- ${t.job.started}: ${execution.startedAt}`] : []),
    ...(execution.completedAt ? [`- ${t.job.completed}: ${execution.completedAt}`] : []),
  ];
  if (execution.error) {
    lines.push('', t.incident.failed(execution.error.node ?? ''), '', ...fenced(execution.error.message));
  }
  const heads = [t.jobs.node, t.jobs.type, t.jobs.status, t.jobs.attempts, t.job.error];
  lines.push('', `| ${heads.join(' | ')} |`, '| --- | --- | --- | --- | --- |');
  for (const node of nodes) {
    lines.push(
      `| ${node.nodeId} | ${node.type} | ${node.status} | ${node.attempts} | ${cell(node.error?.message ?? '')} |`,
    );
  }
  return `${lines.join('\n')}\n`;
}

interface IncidentLetter {
  id: string;
  jobId: string;
  jobType: string;
  tenant: string;
  workflow?: string | null;
  executionId?: string | null;
  nodeId?: string | null;
  reason: string;
  fingerprint: string;
  attemptCount: number;
  diedAt: string;
  error: { message: string; code?: string | null };
}

/** A dead letter as Markdown for a ticket. Holds no payload. */
export function incidentOfLetter(letter: IncidentLetter, address: string): string {
  const { error } = letter;
  const lines = [
    `## ${letter.jobType}: ${letter.reason}`,
    '',
    `- ${t.dead.one}: [${letter.id}](${address})`,
    `- ${t.jobs.id}: ${letter.jobId}`,
    ...(letter.executionId
      ? [`- ${t.jobs.execution}: ${letter.executionId} (${letter.workflow ?? ''}, ${letter.nodeId ?? ''})`]
      : []),
    `- ${t.jobs.tenant}: ${letter.tenant}`,
    `- ${t.incident.died(letter.diedAt, letter.attemptCount)}`,
    `- ${t.dead.fingerprint}: ${letter.fingerprint}`,
    ...(error.code ? [`- ${t.dead.code}: ${error.code}`] : []),
    '',
    ...fenced(error.message),
  ];
  return `${lines.join('\n')}\n`;
}

function fenced(text: string): string[] {
  return ['````', ...text.split('\n'), '````'];
}

function cell(text: string): string {
  const line = text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
