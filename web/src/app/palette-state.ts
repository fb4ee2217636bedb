import { useSyncExternalStore } from 'react';

type Overlay = 'palette' | 'shortcuts' | null;

let shown: Overlay = null;
const listeners = new Set<() => void>();

export function showOverlay(next: Overlay): void {
  shown = next;
  listeners.forEach((listener) => listener());
}

export const openPalette = () => showOverlay('palette');

export function useOverlay(): Overlay {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
}
