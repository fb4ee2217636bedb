import { Menu } from '@base-ui/react/menu';
import { useState, type ReactNode } from 'react';
import { useLive } from '../api/live';
import { useSession, useSignOut } from '../api/session';
import { Dialog } from '../components/dialog';
import { Icon, type IconName } from '../components/icons';
import { ZoneForm } from '../components/time';
import { t } from '../messages/en';
import { chooseZone, setPreference, usePreferences, type Theme } from './preferences';

const ITEM =
  'flex cursor-default items-center gap-2 rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-raised';

/** Pauses everything that is read again by itself, and resumes it. */
export function LiveButton() {
  const { state, toggle } = useLive();
  const { paused } = usePreferences();
  const label = paused ? t.live.paused : state === 'live' ? t.live.live : t.live.connecting;
  const dot = paused ? 'bg-warn' : state === 'live' ? 'bg-ok' : 'bg-soft pulse';
  return (
    <button
      type="button"
      onClick={toggle}
      aria-pressed={paused}
      title={paused ? t.live.resume : t.live.pause}
      className="flex items-center gap-2 rounded-lg border border-line bg-card px-2.5 py-1 hover:border-strong"
    >
      <span className={`size-2 rounded-full ${dot}`} />
      <span className="max-sm:sr-only">{label}</span>
      <Icon name={paused ? 'play' : 'pause'} size={13} />
    </button>
  );
}

interface PopupProps {
  label: string;
  icon: IconName;
  children: ReactNode;
  /** What outlives the menu, such as a dialog that it opens. */
  beside?: ReactNode;
}

function Popup({ label, icon, children, beside }: PopupProps) {
  const menu = (
    <Menu.Root modal={false}>
      <Menu.Trigger
        aria-label={label}
        className="rounded-lg border border-line bg-card p-1.5 hover:border-strong"
      >
        <Icon name={icon} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="z-40">
          <Menu.Popup className="min-w-48 rounded-xl border border-strong bg-card p-1.5 shadow-xl">
            {children}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
  return (
    <>
      {menu}
      {beside}
    </>
  );
}

function Choice({
  label,
  value,
  current,
  onPick,
}: {
  label: string;
  value: string;
  current: string;
  onPick: (value: string) => void;
}) {
  return (
    <Menu.RadioItem value={value} className={ITEM} closeOnClick={false} onClick={() => onPick(value)}>
      <span className="w-4">{value === current && <Icon name="check" size={14} />}</span>
      {label}
    </Menu.RadioItem>
  );
}

const THEMES: Theme[] = ['system', 'light', 'dark', 'contrast'];

/** Theme and time zone. */
export function ViewMenu() {
  const { theme, zone, ownZone } = usePreferences();
  const [isNaming, setNaming] = useState(false);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set(['local', 'UTC', ...(ownZone ? [ownZone] : []), zone])];
  const dialog = (
    <Dialog
      title={t.frame.otherZone}
      intro={t.settings.zoneHint}
      open={isNaming}
      onClose={() => setNaming(false)}
    >
      <ZoneForm onDone={() => setNaming(false)} />
    </Dialog>
  );
  return (
    <Popup label={t.frame.view} icon="sun" beside={dialog}>
      <Menu.RadioGroup value={theme}>
        <Menu.Group>
          <Menu.GroupLabel className="px-2.5 py-1 text-[13px] text-soft">{t.frame.theme}</Menu.GroupLabel>
          {THEMES.map((value) => (
            <Choice
              key={value}
              label={t.themes[value]}
              value={value}
              current={theme}
              onPick={(next) => setPreference('theme', next as Theme)}
            />
          ))}
        </Menu.Group>
      </Menu.RadioGroup>
      <Menu.Separator className="my-1.5 h-px bg-line" />
      <Menu.RadioGroup value={zone}>
        <Menu.Group>
          <Menu.GroupLabel className="px-2.5 py-1 text-[13px] text-soft">{t.frame.time}</Menu.GroupLabel>
          {zones.map((value) => (
            <Choice
              key={value}
              label={value === 'local' ? t.frame.localTime(own) : value}
              value={value}
              current={zone}
              onPick={chooseZone}
            />
          ))}
        </Menu.Group>
      </Menu.RadioGroup>
      <Menu.Item className={ITEM} onClick={() => setNaming(true)}>
        <span className="w-4">
          <Icon name="plus" size={14} />
        </span>
        {t.frame.otherZone}
      </Menu.Item>
    </Popup>
  );
}

/** Who is signed in, and the way out. */
export function AccountMenu() {
  const session = useSession();
  const signOut = useSignOut();
  return (
    <Popup label={t.frame.account} icon="workers">
      <div className="px-2.5 py-1.5">
        <p className="font-medium">{t.frame.role(session.role)}</p>
        <p className="font-mono text-xs break-all text-soft">{session.actor}</p>
        {session.tenant && <p className="text-[13px] text-soft">{t.frame.tenant(session.tenant)}</p>}
      </div>
      {session.csrfToken && (
        <>
          <Menu.Separator className="my-1.5 h-px bg-line" />
          <Menu.Item className={ITEM} onClick={() => void signOut()}>
            <Icon name="out" />
            {t.session.signOut}
          </Menu.Item>
        </>
      )}
    </Popup>
  );
}
