import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark' | 'contrast';

/** What a person chose, kept in this browser. */
export interface Preferences {
  theme: Theme;
  /** `local`, `UTC`, or the name of a time zone. */
  zone: string;
  /** The zone beside these two that can be switched to; empty for none. */
  ownZone: string;
  /** Whether nothing is read again by itself. */
  paused: boolean;
  /** The tenant that lists are narrowed to; empty for all. */
  tenant: string;
}

const KEY = 'trunkline.preferences';
const DEFAULTS: Preferences = { theme: 'system', zone: 'local', ownZone: '', paused: false, tenant: '' };
const listeners = new Set<() => void>();
let current = read();

function read(): Preferences {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>) };
  } catch {
    return DEFAULTS;
  }
}

export function preferences(): Preferences {
  return current;
}

export function setPreference<K extends keyof Preferences>(name: K, value: Preferences[K]): void {
  current = { ...current, [name]: value };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // A browser that keeps nothing still works until the page is closed.
  }
  applyTheme();
  listeners.forEach((listener) => listener());
}

/** Shows times in a zone. One that is named stays a choice when another is shown. */
export function chooseZone(zone: string): void {
  if (zone !== 'local' && zone !== 'UTC') setPreference('ownZone', zone);
  setPreference('zone', zone);
}

export function subscribePreferences(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribePreferences, preferences);
}

const dark = globalThis.matchMedia?.('(prefers-color-scheme: dark)');

/** Puts the theme on the page, before anything is drawn. */
export function applyTheme(): void {
  const { theme } = current;
  const shown = theme === 'system' ? (dark?.matches ? 'dark' : 'light') : theme;
  document.documentElement.dataset['theme'] = shown;
}

dark?.addEventListener('change', () => {
  applyTheme();
  listeners.forEach((listener) => listener());
});

/** The theme that is shown, which also changes with the system. For what is drawn in colors that it has read. */
export function useShownTheme(): string | undefined {
  return useSyncExternalStore(subscribePreferences, () => document.documentElement.dataset['theme']);
}
