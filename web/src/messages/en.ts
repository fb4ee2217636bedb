import { alertMessages } from './en/alerts';
import { auditMessages } from './en/audit';
import { bulkMessages } from './en/bulk';
import { deploymentMessages } from './en/deployment';
import { eventMessages } from './en/events';
import { figureMessages } from './en/figures';
import { frame } from './en/frame';
import { issueMessages } from './en/issues';
import { tenantMessages } from './en/tenants';
import { viewMessages } from './en/views';
import { work } from './en/work';
import { executions } from './en/executions';
import { define } from './en/define';
import { simulateMessages } from './en/simulate';
import { system } from './en/system';

/** Every sentence of the console, in English, by area of pages. Another language is another folder of this form. */
export const t = {
  ...alertMessages,
  ...auditMessages,
  ...bulkMessages,
  ...deploymentMessages,
  ...eventMessages,
  ...figureMessages,
  ...frame,
  ...issueMessages,
  ...tenantMessages,
  ...viewMessages,
  ...work,
  ...executions,
  ...define,
  ...simulateMessages,
  ...system,
};
