import { useFilters } from '../../app/filters';
import { PageHead } from '../../components/basics';
import { Tabs } from '../../components/tabs';
import { t } from '../../messages/en';
import { Alerts, History } from './alerts';
import { Notifications } from './notifications';
import { Routes } from './routes';
import { Rules } from './rules';
import { Silences } from './silences';

const VIEWS = ['firing', 'history', 'rules', 'routes', 'silences', 'notifications'] as const;

/** Alerts, and everything that decides about them. */
export function Page() {
  const [filters, change] = useFilters();
  const view = VIEWS.find((name) => name === filters['view']) ?? 'firing';
  return (
    <>
      <PageHead title={t.alerts.title} intro={t.alerts.intro} />
      <div
        className="thin-scroll mb-3 overflow-x-auto pb-1"
        tabIndex={0}
        role="region"
        aria-label={t.alerts.views}
      >
        <Tabs
          label={t.alerts.views}
          tabs={VIEWS.map((name): [string, string] => [name, t.alerts.tabs[name]])}
          value={view}
          onChange={(next) => change({ view: next === 'firing' ? undefined : next })}
        />
      </div>
      {view === 'firing' && <Alerts />}
      {view === 'history' && <History />}
      {view === 'rules' && <Rules />}
      {view === 'routes' && <Routes />}
      {view === 'silences' && <Silences />}
      {view === 'notifications' && <Notifications />}
    </>
  );
}
