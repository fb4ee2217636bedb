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
    `- Execution: [${execution.id}](${address})`,
    `- Tenant: ${execution.tenant}`,
    `- Created: ${execution.createdAt}`,
    ...(execution.startedAt ? [`- Started: ${execution.startedAt}`] : []),
    ...(execution.completedAt ? [`- Ended: ${execution.completedAt}`] : []),
  ];
  if (execution.error) {
    lines.push(
      '',
      `Failed${execution.error.node ? ` at \`${execution.error.node}\`` : ''}:`,
      '',
      ...fenced(execution.error.message),
    );
  }
  lines.push('', '| Node | Type | Status | Attempts | Error |', '| --- | --- | --- | --- | --- |');
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
    `- Dead letter: [${letter.id}](${address})`,
    `- Job: ${letter.jobId}`,
    ...(letter.executionId
      ? [`- Execution: ${letter.executionId} (${letter.workflow ?? ''} at ${letter.nodeId ?? ''})`]
      : []),
    `- Tenant: ${letter.tenant}`,
    `- Failed permanently: ${letter.diedAt}, after ${letter.attemptCount} attempts`,
    `- Fingerprint: ${letter.fingerprint}`,
    ...(error.code ? [`- Code: ${error.code}`] : []),
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
