import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { boot } from '../boot';
import { OverviewPage } from '../pages/overview';
import { Frame } from './frame';
import { NotFound } from './not-found';

/** Filters as the address holds them: plain text, so that links are read and written by people. */
export type Filters = Record<string, string | undefined>;

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });

const validateSearch = (search: Record<string, unknown>): Filters =>
  Object.fromEntries(
    Object.entries(search)
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .map(([name, value]) => [name, String(value)]),
  );

function page<P extends string>(path: P, component: () => React.ReactNode) {
  return createRoute({ getParentRoute: () => root, path, component, validateSearch });
}

type Load = () => Promise<{ Page: () => React.ReactNode }>;

const loads: Load[] = [];

/** Loads the code of all pages, so that each opens at once, and also while the server is away or after it was updated. */
export async function loadAllPages(): Promise<void> {
  for (const load of loads) await load().catch(() => undefined);
}

function later<P extends string>(path: P, load: Load) {
  loads.push(load);
  const component = lazyRouteComponent(load, 'Page');
  return createRoute({ getParentRoute: () => root, path, component, validateSearch });
}

const routeTree = root.addChildren([
  page('/', OverviewPage),
  later('/jobs', () => import('../pages/jobs/list')),
  later('/jobs/$id', () => import('../pages/jobs/detail')),
  later('/executions', () => import('../pages/executions/list')),
  later('/executions/$id', () => import('../pages/executions/detail')),
  later('/dead-letters', () => import('../pages/dead-letters/list')),
  later('/dead-letters/$id', () => import('../pages/dead-letters/detail')),
  later('/archive', () => import('../pages/dead-letters/archive')),
  later('/alerts', () => import('../pages/alerts/page')),
  later('/workflows', () => import('../pages/workflows/list')),
  later('/workflows/$name', () => import('../pages/workflows/detail')),
  later('/workflow-new', () => import('../pages/workflows/push')),
  later('/schedules', () => import('../pages/schedules/list')),
  later('/schedules/$id', () => import('../pages/schedules/detail')),
  later('/webhooks', () => import('../pages/webhooks/list')),
  later('/webhooks/$id', () => import('../pages/webhooks/detail')),
  later('/deliveries', () => import('../pages/deliveries/list')),
  later('/deliveries/$id', () => import('../pages/deliveries/detail')),
  later('/events', () => import('../pages/events/page')),
  later('/user-tasks', () => import('../pages/user-tasks/list')),
  later('/batches', () => import('../pages/batches/list')),
  later('/batches/$id', () => import('../pages/batches/detail')),
  later('/workers', () => import('../pages/system/workers')),
  later('/limits', () => import('../pages/system/limits')),
  later('/tenants', () => import('../pages/system/tenants')),
  later('/tenants/$name', () => import('../pages/tenants/detail')),
  later('/audit', () => import('../pages/system/audit')),
  later('/settings', () => import('../pages/system/settings')),
]);

export const router = createRouter({
  routeTree,
  basepath: `${boot.basePath}/console`,
  defaultPreload: 'intent',
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const kept = Object.entries(search).filter(
      ([, value]) => value !== undefined && value !== null && value !== '',
    );
    const text = new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString();
    return text ? `?${text}` : '';
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
