import type { ReactNode } from 'react';

/** Drawn here, so that nothing is fetched and nothing is inline style. 24 units square, strokes only. */
const PATHS = {
  overview: 'M3 13h7V4H3zM14 20h7V4h-7zM3 20h7v-4H3z',
  jobs: 'M4 6h16M4 12h16M4 18h10',
  executions: 'M5 3v6m0 0a3 3 0 1 0 0 6m0-6a3 3 0 1 1 0 6m0 0v6M8 12h5m0 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0',
  dead: 'M12 3l9 16H3zM12 10v4M12 17v.01',
  workflows: 'M4 4h6v6H4zM14 14h6v6h-6zM10 7h4a3 3 0 0 1 3 3v4',
  schedules: 'M12 7v5l3 2M12 21a9 9 0 1 0 0-18a9 9 0 0 0 0 18z',
  webhooks: 'M9 8a3 3 0 1 1 4 2.8L10.5 16M6 14a3 3 0 1 0 3.5 3H16m1.5-4.5A3 3 0 1 1 15 19l-3-7',
  deliveries: 'M4 5h16v14H4zM4 7l8 6l8-6',
  tasks: 'M9 11l2 2l4-4M5 4h14v16H5z',
  batches: 'M4 4h16v5H4zM4 13h10M4 17h10M17 14l2 2l3-4',
  alerts: 'M6 17V11a6 6 0 1 1 12 0v6l2 2H4zM10 21h4',
  events: 'M13 3L5 14h6l-1 7l8-11h-6z',
  workers: 'M12 8a3 3 0 1 0 0-6a3 3 0 0 0 0 6zM5 21v-4a4 4 0 0 1 4-4h6a4 4 0 0 1 4 4v4',
  limits: 'M4 18a8 8 0 1 1 16 0M12 18l4-6',
  tenants: 'M4 21V8l8-5l8 5v13M9 21v-6h6v6',
  audit: 'M6 3h9l4 4v14H6zM9 12h7M9 16h7M9 8h3',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5v4M8 15v4',
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13a6.5 6.5 0 0 0 0 13zM15.5 15.5L20 20',
  pause: 'M8 5v14M16 5v14',
  play: 'M7 4l12 8l-12 8z',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  close: 'M6 6l12 12M18 6L6 18',
  down: 'M6 9l6 6l6-6',
  right: 'M9 6l6 6l-6 6',
  menu: 'M4 6h16M4 12h16M4 18h16',
  refresh: 'M20 11a8 8 0 0 0-14.5-4M4 4v4h4M4 13a8 8 0 0 0 14.5 4M20 20v-4h-4',
  sun: 'M12 16a4 4 0 1 0 0-8a4 4 0 0 0 0 8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5',
  out: 'M10 4H5v16h5M14 8l4 4l-4 4M18 12H9',
  plus: 'M12 5v14M5 12h14',
  check: 'M5 12l5 5l9-10',
  info: 'M12 21a9 9 0 1 0 0-18a9 9 0 0 0 0 18zM12 11v5M12 8v.01',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }): ReactNode {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="shrink-0"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
