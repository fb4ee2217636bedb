import type { IconName } from '../components/icons';
import { t } from '../messages/en';

export interface Place {
  to: string;
  label: string;
  icon: IconName;
  /** Pressed after `g`. */
  key: string;
  /** The action that reading it needs; nothing where every key may. */
  needs?: string;
}

/** The pages, in the order of the side bar. A page of a later endpoint is one line here and one in the router. */
export const PLACES: { label: string; places: Place[] }[] = [
  {
    label: t.nav.watch,
    places: [
      { to: '/', label: t.nav.overview, icon: 'overview', key: 'o' },
      { to: '/jobs', label: t.nav.jobs, icon: 'jobs', key: 'j' },
      { to: '/executions', label: t.nav.executions, icon: 'executions', key: 'e' },
      { to: '/dead-letters', label: t.nav.deadLetters, icon: 'dead', key: 'd' },
      { to: '/user-tasks', label: t.nav.userTasks, icon: 'tasks', key: 'u' },
      { to: '/alerts', label: t.nav.alerts, icon: 'alerts', key: 'x' },
    ],
  },
  {
    label: t.nav.define,
    places: [
      { to: '/workflows', label: t.nav.workflows, icon: 'workflows', key: 'w' },
      { to: '/schedules', label: t.nav.schedules, icon: 'schedules', key: 's' },
      { to: '/webhooks', label: t.nav.webhooks, icon: 'webhooks', key: 'h' },
      { to: '/deliveries', label: t.nav.deliveries, icon: 'deliveries', key: 'v' },
      { to: '/events', label: t.nav.events, icon: 'events', key: 'n' },
    ],
  },
  {
    label: t.nav.system,
    places: [
      { to: '/batches', label: t.nav.batches, icon: 'batches', key: 'b' },
      { to: '/workers', label: t.nav.workers, icon: 'workers', key: 'k' },
      { to: '/limits', label: t.nav.limits, icon: 'limits', key: 'l' },
      { to: '/tenants', label: t.nav.tenants, icon: 'tenants', key: 't', needs: 'tenants.read' },
      { to: '/audit', label: t.nav.audit, icon: 'audit', key: 'a', needs: 'audit.read' },
      { to: '/settings', label: t.nav.settings, icon: 'settings', key: 'c' },
    ],
  },
];

export const ALL_PLACES = PLACES.flatMap(({ places }) => places);
