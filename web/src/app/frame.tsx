import { Tooltip } from '@base-ui/react/tooltip';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { listen } from '../api/live';
import { useMe } from '../api/me';
import { useSession } from '../api/session';
import { boot } from '../boot';
import { Icon } from '../components/icons';
import { Toasts } from '../components/toasts';
import { t } from '../messages/en';
import { Away } from './away';
import { EnvironmentStrip, EnvironmentTag, ReadOnlyTag } from './environment';
import { LiveButton, AccountMenu, ViewMenu } from './menus';
import { TenantMenu } from './tenant-menu';
import { PLACES } from './navigation';
import { Keyboard } from './keyboard';
import { openPalette } from './palette-state';

/** What stands around every page. */
export function Frame() {
  const queries = useQueryClient();
  useEffect(() => listen(queries), [queries]);
  const [menuOpen, setMenuOpen] = useState(false);
  const address = useRouterState({ select: (state) => state.location.href });
  useEffect(() => setMenuOpen(false), [address]);
  return (
    <Tooltip.Provider>
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:bg-card focus:p-2"
      >
        {t.frame.skip}
      </a>
      <EnvironmentStrip />
      <div className="lg:grid lg:min-h-dvh lg:grid-cols-[13.5rem_minmax(0,1fr)]">
        <div
          id="side"
          className={`${menuOpen ? 'block' : 'hidden'} fixed inset-y-0 left-0 z-30 w-60 overflow-y-auto border-r border-line bg-card lg:sticky lg:top-0 lg:block lg:h-dvh lg:w-auto`}
        >
          <Side />
        </div>
        {menuOpen && (
          <div
            className="fixed inset-0 z-20 bg-black/40 lg:hidden"
            onClick={() => setMenuOpen(false)}
            aria-hidden="true"
          />
        )}
        <div className="min-w-0">
          <header className="sticky top-0 z-10 flex h-13 items-center gap-2 border-b border-line bg-page/95 px-3 py-2 backdrop-blur lg:px-6">
            <button
              type="button"
              aria-label={t.frame.menu}
              aria-expanded={menuOpen}
              aria-controls="side"
              className="rounded-lg p-1.5 hover:bg-raised lg:hidden"
              onClick={() => setMenuOpen(!menuOpen)}
            >
              <Icon name="menu" size={20} />
            </button>
            <button
              type="button"
              onClick={openPalette}
              className="flex min-w-0 items-center gap-2 rounded-lg border border-line bg-card px-3 py-1 text-soft hover:border-strong sm:w-72"
            >
              <Icon name="search" />
              <span className="flex-1 truncate text-left max-sm:sr-only">{t.palette.open}</span>
              <kbd aria-hidden="true" className="font-mono text-xs max-sm:hidden">
                Ctrl K
              </kbd>
            </button>
            <div className="flex-1" />
            <TenantMenu />
            <LiveButton />
            <ViewMenu />
            <AccountMenu />
          </header>
          <Away />
          <main
            id="main"
            tabIndex={-1}
            className="mx-auto max-w-[110rem] px-3 py-4 outline-none lg:px-6 lg:py-5"
          >
            <Outlet />
          </main>
        </div>
      </div>
      <Keyboard />
      <Toasts />
    </Tooltip.Provider>
  );
}

function Side() {
  const { role } = useSession();
  const can = useMe()?.can ?? [];
  return (
    <nav aria-label={t.frame.pages} className="flex min-h-full flex-col px-2.5 py-3">
      <Link to="/" className="mb-3 flex items-center gap-2 px-2 text-[15px] font-semibold tracking-tight">
        <img src="favicon.svg" alt="" width={22} height={22} />
        Trunkline
      </Link>
      <EnvironmentTag />
      <ReadOnlyTag />
      {PLACES.map(({ label, places }) => (
        <div key={label} className="mb-3">
          <p className="px-2 pb-0.5 text-xs text-soft">{label}</p>
          <ul>
            {places
              .filter((place) => !place.needs || can.includes(place.needs))
              .map((place) => (
                <li key={place.to}>
                  <Link
                    to={place.to}
                    activeOptions={{ exact: place.to === '/', includeSearch: false }}
                    className="flex items-center gap-2.5 rounded-lg px-2 py-1.5 text-soft hover:bg-raised hover:text-ink"
                    activeProps={{ className: 'bg-tint !text-accent font-medium' }}
                  >
                    <Icon name={place.icon} size={17} />
                    {place.label}
                  </Link>
                </li>
              ))}
          </ul>
        </div>
      ))}
      <p className="mt-auto px-2 pt-3 text-xs text-soft">
        {t.frame.build(boot.version, boot.database)}
        <br />
        {t.frame.role(role)}
      </p>
    </nav>
  );
}
